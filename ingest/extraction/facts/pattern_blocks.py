"""The building blocks of the patterns in which English states facts: who, what, when, how.

A pattern names a block as `@block`. Lists of words are closed on purpose: what is not in them is
not understood, rather than misunderstood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Predicate: what stands for it, behind "my".
_KIN = """
partner: wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee
mother: mother mom mum
father: father dad
sister: sister
brother: brother
son: son
daughter: daughter
cousin: cousin
friend: friend
colleague: colleague coworker
boss: boss manager
"""
#: Predicate: what is counted.
_COUNTED = """
children: kids children kid child
sons: sons
daughters: daughters
siblings: siblings
brothers: brothers
sisters: sisters
"""


def _predicate_by_word(table: str) -> Mapping[str, str]:
    rows = [line.split(": ") for line in table.strip().splitlines()]
    return {word: predicate for predicate, words in rows for word in words.split()}


#: What a relative is called, or what is counted → the predicate.
KIN, COUNTED = _predicate_by_word(_KIN), _predicate_by_word(_COUNTED)

#: What people do for a living.
OCCUPATIONS = """
    accountant actor actress analyst animator architect artist attorney author baker barber barista
    bartender biologist blogger bookkeeper builder butcher carpenter cashier chef chemist clerk
    coach coder composer consultant contractor cook counselor counsellor dancer dentist designer
    developer dietitian doctor driver economist editor electrician engineer entrepreneur farmer
    filmmaker firefighter freelancer gardener geologist illustrator instructor investor janitor
    journalist judge lawyer lecturer librarian lifeguard linguist machinist manager mathematician
    mechanic midwife musician nanny nurse nutritionist painter paralegal paramedic pharmacist
    photographer physician physicist physiotherapist pilot plumber podcaster poet policeman
    policewoman producer professor programmer psychiatrist psychologist realtor receptionist
    recruiter reporter researcher sailor salesman saleswoman scientist screenwriter secretary
    singer soldier statistician streamer student surgeon surveyor sysadmin tailor teacher
    technician therapist trader trainer translator tutor veterinarian vet waiter waitress welder
    writer
""".split()
_LANGUAGES = """
    Afrikaans Albanian Arabic Armenian Bengali Bulgarian Cantonese Catalan Chinese Croatian Czech
    Danish Dutch English Estonian Farsi Finnish French Georgian German Greek Gujarati Hebrew Hindi
    Hungarian Icelandic Indonesian Irish Italian Japanese Korean Latin Latvian Lithuanian Malay
    Mandarin Marathi Norwegian Persian Polish Portuguese Punjabi Romanian Russian Serbian Slovak
    Slovenian Spanish Swahili Swedish Tagalog Tamil Telugu Thai Turkish Ukrainian Urdu Vietnamese
    Welsh Yoruba Zulu
""".split()
_TOOLS = """
    vim neovim emacs vscode git linux macos windows ubuntu debian python rust golang java
    javascript typescript docker kubernetes postgres postgresql mysql sqlite neo4j redis numpy
    pandas pytorch tensorflow react django flask pytest tmux zsh bash make cmake npm yarn pip uv
    conda jira slack notion obsidian figma photoshop excel terraform ansible github gitlab
""".split()
_MOODS = """
    angry annoyed anxious ashamed awful bored calm confident confused depressed disappointed
    discouraged drained energised energized excited exhausted frustrated grateful happy homesick
    hopeful lonely miserable motivated nervous overwhelmed proud relaxed relieved sad scared sick
    stressed terrible tired unwell upset worried
""".split()

_CAP = "[A-ZÀ-ÖØ-ÞĀ-Ž]"
_NAME = rf"(?!I\b){_CAP}[^\W\d_A-Z]+(?:[-'’]?{_CAP}[^\W\d_]+)*"
_PROPER = rf"(?!I\b)(?:St\. )?{_CAP}[\w&'’+#-]*(?:\.\w+)*"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DATE = (
    rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b"
    rf"|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?\b|\d{{4}}-\d\d-\d\d"
)
_WEEKDAY = "(?i:mon|tues|wednes|thurs|fri|satur|sun)day"


def _alternatives(words: list[str]) -> str:
    return "|".join(words)


_BLOCKS: Mapping[str, str] = {
    "adv": r"(?: (?:just|now|still|also|currently|actually|really|recently|finally|always|mainly"
    r"|mostly|usually|absolutely|totally|truly|definitely|personally|already|both|genuinely))*",
    "i": r"\b(?:[Ii]|[Ww]e)",
    "am": r"\b(?:[Ii](?:['’]m| am)|[Ww]e(?:['’]re| are))",
    "have": r"\b(?:[Ii]|[Ww]e)(?: have|['’]ve| have got|['’]ve got)",
    "my": r"\b(?:[Mm]y|[Oo]ur)",
    "kin": _alternatives(list(KIN)),
    "kinship": r"(?:(?:best|older|younger|little|big|oldest|youngest|twin|new) )?(?:@kin)",
    "person": rf"{_NAME}(?: {_NAME}){{0,2}}",
    "who": r"(?P<who>@my @kinship|\b@person)",
    "proper": rf"(?:[Tt]he )?{_PROPER}(?:[ /](?:of (?:the )?|de |la |del |& )?{_PROPER}){{0,4}}",
    "place": r"@proper(?:, [A-Z]{2}\b)?",
    "thing": r"[^.,;:!?()\[\]\n\"“”*]{2,80}",
    "things": r"[^.;:!?()\[\]\n\"“”*]{2,120}",
    "occupation": rf"(?:[\w-]+ ){{0,3}}(?:{_alternatives(OCCUPATIONS)})\b(?!['’-])",
    "language": _alternatives(_LANGUAGES),
    "languages": r"@language(?:(?:,|,? and|,? or| &) @language)*",
    "tool": rf"@proper|(?:{_alternatives(_TOOLS)})\b",
    "mood": _alternatives(_MOODS),
    "animal": "dog|puppy|pup|cat|kitten|turtle|hamster|rabbit|bunny|parrot|bird|horse|snake"
    "|lizard|guinea pig",
    "number": r"\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten",
    "counted": _alternatives(list(COUNTED)),
    "date": _DATE,
    "day": rf"{_DATE}|(?:(?:this|next) )?{_WEEKDAY}|today|tomorrow|tonight|noon|midnight"
    r"|next (?:week|month|year)|(?:the )?end of (?:the )?\w+|the \d{1,2}(?:st|nd|rd|th)"
    r"|\d{1,2}(?::\d\d)? ?(?:am|pm|AM|PM)\b|\d{1,2}:\d\d\b",
    "anymore": r" any ?more| any longer",
    "never": r"no longer|don['’]t|do not",
    "nevers": r"no longer|doesn['’]t|does not",
    "quit": r"quit|resigned from|(?:got|was|been|were) (?:laid off|fired|let go) (?:from|by|at)",
    "fond": "love|like|enjoy|adore",
    "fonds": "loves|likes|enjoys|adores",
    "loath": "hate|dislike|detest|can['’]t stand|cannot stand|can['’]t bear",
    "loaths": "hates|dislikes|detests|can['’]t stand|cannot stand",
    "dislike": "(?:don['’]t|do not)(?: really)? (?:like|enjoy)",
    "dislikes": "(?:doesn['’]t|does not)(?: really)? (?:like|enjoy)",
}
#: In texts without any capital, names have none either; then they are at most three words.
_UNCASED_BLOCKS: Mapping[str, str] = {
    "who": r"(?P<who>@my @kinship)",
    "person": r"[a-z][\w'’-]+",
    "proper": r"(?:the )?[a-z][\w&'’+#-]*(?: [a-z][\w&'’+#-]*){0,2}",
    "place": "@proper",
    "tool": rf"(?:{_alternatives(_TOOLS)})\b",
    "language": _alternatives(_LANGUAGES).lower(),
    "date": _DATE.lower(),
}
_BLOCK = re.compile(r"@([a-z]+)")


def expand_blocks(pattern: str, *, uncased: bool) -> str:
    """Put the blocks in place; `uncased` for texts in which nothing is written with a capital."""
    blocks = {**_BLOCKS, **_UNCASED_BLOCKS} if uncased else _BLOCKS
    while _BLOCK.search(pattern):
        pattern = _BLOCK.sub(lambda match: f"(?:{blocks[match[1]]})", pattern)
    return pattern
