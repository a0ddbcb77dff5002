"""Whether a message praises what it complains of: "Oh great, my car …", "Great, another flat tyre".

Who complains so tells what happened, and likes nothing of it. Only set phrases that are nearly
always meant so, and praise right beside a mishap; English only.
"""

from __future__ import annotations

import re

_PHRASE = re.compile(
    r"""
    (?:^|[.!?]\ )(?:(?:oh|ah|well|wow),?\ |just\ )+(?:great|wonderful|fantastic|perfect|lovely)
      ,\ (?:my|our|the|another|now|it|they|he|she|someone)\b
    | \boh\ (?:joy|goody)\b | \blucky\ (?:me|us)\b | \bjust\ my\ luck\b
    | \b(?:another|again)\b[^.!?]*[.!?]\ (?:just|exactly)\ what\ (?:I|we)\ (?:needed|wanted)\b
    | \byeah,?\ living\ the\ dream\b | \bwhat\ could\ (?:possibly\ )?go\ wrong\b
    | \bbecause\ (?:who|everyone|everybody)\ (?:doesn't\ )?(?:loves?|needs?|wants?)\b
    | (?:^|[.!?]\ )(?:yeah,?\ right|sure,\ because|as\ if)\b | (?<!\w)/s\s*$
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


_PRAISES = r"(?:great|wonderful|fantastic|perfect|lovely|brilliant|awesome|marvellous|nice|super)"
_MISHAP = r"""
    (?:flat\ tyres?|flat\ tires?|(?:parking|speeding)\ tickets?|cancel\w*|postponed|delay(?:ed|s)?
    |out\ of\ (?:order|ink|gas|paper|battery)|crashed|crashes|died|is\ dead|leak(?:s|ed|ing)?
    |broke(?:n)?(?!\ (?:my|our|the|a|his|her)\ )|(?:has|have)\ gone|stuck|raining\b|power\ cut
    |declined|stolen|lost\ (?:my|our|the)\ (?:luggage|keys|suitcase|bags?|file|order|wallet|phone)
    |traffic\ jam|drill(?:ed|ing)|slept|overtime|won['’]t\ start|not\ working|does\ ?n['’]t\ work
    |failed\ again|(?:is|are)\ down|left\ without\ me|missed\ (?:my|the|our)|bill\ of|error
    |\bbugs?\b|headache)
"""
#: Praise of a mishap: it opens the sentence, or stands behind it.
_PRAISED_MISHAP = re.compile(
    rf"""
    (?:^|[.!?]\ )(?:(?:oh|ah|well|wow|yeah|and),?\ )?(?:(?:that['’]s|how|isn['’]t\ (?:that|it))\ )?
      (?:just\ |simply\ |so\ )?{_PRAISES}[,.!:–-]*\ [^.!?]*?\b{_MISHAP}
    | \b{_MISHAP}[^.!?]*[,.!–-]+\ ?(?:how|that['’]s\ just|just|so)\ {_PRAISES}\b
    | \b{_MISHAP}[^.!?]*[,.!–-]+\ ?(?:just|exactly)\ what\ (?:I|we)\ (?:needed|wanted)\b
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
#: Mended, or none: praise that may be meant.
_MEANT = re.compile(
    r"\b(?:no|not|never|fixed|repaired|finally|found|at last|without|stopped|instead|but|so we"
    r"|thanks?|works? again)\b|n['’]t\b(?! (?:start|work|slept))",
    re.IGNORECASE,
)


def is_ironic(text: str) -> bool:
    """Say whether a message praises what it complains of."""
    if _PHRASE.search(text) is not None:
        return True
    praised = _PRAISED_MISHAP.search(text)
    if praised is None:
        return False
    behind = re.split(r"[.!?]", text[praised.end() :], maxsplit=1)[0]
    return not _MEANT.search(praised[0] + behind)
