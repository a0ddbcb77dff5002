"""Misfortunes that no bright side makes good news, and endings that make good news of bad words.

"I got fired, but I stay positive" is bad news; "It was close, but we pulled it off" is none. Set
phrases of people who tell it of themselves; English only.
"""

from __future__ import annotations

import re

_DENIED = r"(?:n['’]t|\bnot|\bnever|\bnearly|\balmost|\bif|\bwhen|\bafraid|\bhow)"
_ADVERB = r"(?:(?:just|recently|actually|unfortunately|sadly|even|also|finally|all|both) )?"
_I = rf"(?:\b(?:i|we)(?:['’](?:ve|d|m|re))?|\bim|\A|[,;–-]|\band|\bbut|\bso) ?{_ADVERB}"
_MINE = r"\b(?:my|our) (?:[\w'’-]+ ){1,3}?"
_BE = r"(?:was|were|got|get|been|have been|had been|am|are|being)"
_DONE_TO = (
    r"(?:fired|sacked|laid off|let go (?:from|by|at|last|in|on|this)|dumped|evicted|robbed|mugged"
    r"|burgled|diagnosed with|hospitali[sz]ed|scammed|rejected|turned down|passed over|ghosted"
    r"|disqualified|expelled|suspended|demoted|rear-ended|injured|knocked out|stood up)"
)
_LOST = (
    r"(?:job|position|wallet|purse|keys?|phone|passport|luggage|suitcase|bag|house|home|voice"
    r"|savings|scholarship|licen[sc]e|sponsor|funding|lease|deposit|data|work|files|progress"
    r"|(?:main|biggest|best) (?:client|customer|sponsor))"
)
_SURE = re.compile(
    rf"{_I}{_BE} {_ADVERB}{_DONE_TO}\b"
    rf"|{_I}(?:have |had )?lost (?:my|our|all (?:my|our)|all the|a) (?:[\w'’-]+ ){{0,2}}?{_LOST}\b"
    rf"|{_I}(?:broke|split|have broken|have split) up\b(?! (?:a|the|into|my day))"
    rf"|{_MINE}(?:and (?:i|me) )?(?:just )?(?:broke up|split up|broke down|fell through"
    r"|fell apart|gave out"
    r"|is getting divorced|(?:got|was|were|been) (?:stolen|rejected|turned down|denied"
    r"|cancelled|canceled|totaled|wrecked|damaged|destroyed|refused))\b"
    rf"|{_I}had to (?:close|shut|cancel|call off|give up|drop out|pull out|sell|quit) "
    r"(?:down |up |of |on )?(?:my|our|the)\b"
    rf"|{_I}(?:have |hit |had )(?:an? |some |this )?(?:(?:creative|bad|total|serious|major|big) )?"
    r"(?:writer['’]?s['’]? block|creative block|mental block|setbacks?|rough patch"
    r"|panic attacks?)\b"
    r"|\b(?:creative|writer['’]?s) block\b(?=.*\b(?:lately|any|stuck|again|nothing)\b)",
    re.IGNORECASE,
)
_BODY = r"(?:pain|aches?|headaches?|migraines?|stress|fears?|worr(?:y|ies)|debts?|anxiety)"
_WELL = re.compile(
    r"\b(?:pulled it off|paid off|worth (?:it|every)|aced|nailed it|had a blast|so much fun"
    r"|had (?:\w+ ){0,2}fun|what a laugh|got an? (?:\w+ )?offer|(?:i|we) got the (?:job|part)"
    r"|(?:took|won|brought home) (?:the|our|a) (?:\w+ )?(?:trophy|cup|title|gold|prize|medal|win)"
    r"|crossed the line|went (?:\w+ )?(?:well|great|fine|smoothly|better)|all clear|was clear"
    rf"|(?:got|getting) (?:rid of|over|out of my)|(?:took|takes) away (?:\w+ ){{0,2}}{_BODY}|cured"
    rf"|no more {_BODY}|(?:came|comes) home|(?:is|are) (?:back )?home again|is booming"
    r"|doing (?:well|great|fine|better)|training again"
    r"|back (?:on my feet|on track|in shape|to normal|in business)"
    r"|without (?:an?|any|one|a single) (?:\w+ )?(?:injury|problems?|hitch|scratch|sick day)"
    r"|(?:barely|hardly|did ?n['’]t) hurt|(?:killer|crazy good|great|good) (?:deal|price)"
    r"|got (?:my|our) (?:\w+ )?(?:back|fixed|repaired)|at last|goal weight|target weight"
    r"|(?:finally|now) (?:\w+ )?(?:fixed|repaired|healed|open|over|free|works?)"
    r"|lost (?:(?:so much|some|a lot of|the) weight|[\w-]+ (?:kilos?|pounds|kg|lbs))"
    r"|gave birth|had (?:her|their|an?) (?:\w+ )?baby|felt (?:this|so) (?:good|strong|great|alive)"
    r"|(?:better|easier) than (?:i|we) (?:had )?(?:feared|thought|expected)"
    r"|(?:crushed|smashed|beat) (?:them|theirs|my record)|full (?:that )?(?:we|people|they))\b",
    re.IGNORECASE,
)


def is_sure_misfortune(text: str) -> bool:
    """Say whether a sentence tells a misfortune of its speaker in words that leave no doubt."""
    match = _SURE.search(text)
    if match is None or _WELL.search(text):
        return False
    before = text[: match.start()].split()[-2:]
    return not re.search(_DENIED, " ".join([*before, match[0]]), re.IGNORECASE)


def ends_well(text: str) -> bool:
    """Say whether a sentence tells that it went well, whatever bad words stand in it."""
    return _WELL.search(text) is not None
