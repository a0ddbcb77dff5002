"""Names that are written like names: organisations by their form, matters by being repeated.

English writes names, headings, menus and the beginnings of sentences with capitals, so capitals
alone prove nothing. An organisation says what it is ("Acme GmbH", "University of Oslo"); a
matter of several words must come back in the middle of sentences. Nothing here knows the world.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from ....core.entities.common_words import is_common_word
from ....core.entities.entity_gazetteer import NAME_CHARS_MAX, EntityType, FoldedText
from ....core.ids import fold
from .address_patterns import NameMatch

#: Legal forms; not those that are also provinces, units or words (AB, NV, SA, KG, Limited).
_FORMS = (
    r"Inc|INC|Incorporated|Ltd|LTD|LLC|LLP|PLC|plc|Corp|Corporation|g?GmbH(?: & Co\.? KG)?|AG"
    r"|AG & Co\.? KG|KGaA|OHG|e\.V|S\.A|S\.A\.S|SARL|S\.r\.l|Srl|SpA|S\.p\.A|B\.V|BV|N\.V|Oyj?"
    r"|ASA|ApS|A/S|K\.K|Kft|Zrt|s\.r\.o|d\.o\.o|(?:Pty|Pvt|Co)\.?,? (?:Ltd|Limited|Inc)"
)
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
#: A word with a capital, or a name such as "eBay", "3M" and "AT&T".
_NAME_WORD = rf"(?:{_CAPITAL}[\w&’'.+-]*\w|{_CAPITAL}|[a-z]{_CAPITAL}\w+|\d+{_CAPITAL}+)"
#: "Dana of Acme Inc" is two names, "Bank of America Corp" one.
_OF_NAME = r"(?:Bank|Board|Bureau|Church|House|World) of(?: the)? "
_NAME = rf"(?:{_OF_NAME})?{_NAME_WORD}(?:[ ](?:&[ ])?{_NAME_WORD}){{0,4}}"
_LEGAL = re.compile(rf"(?<![\w.@/&+'’-])(?P<name>{_NAME}),?[ ](?P<form>{_FORMS})(?![\w-])")
#: Words of which one stands in every form without dots, and in every shape: looked for first.
_FORM_WORDS = frozenset(
    """
    inc incorporated ltd limited llc llp plc corp corporation gmbh ggmbh ag kgaa ohg sarl srl spa bv
    oy oyj asa aps kft zrt
    """.split()
)
_SHAPE_WORDS = frozenset(
    """
    university college institute academy foundation airlines airways association consortium bank
    ministry department universität universitat universiteit universitetet université università
    universidad universidade
    """.split()
)
_DOTTED = re.compile(r"\.[A-Za-z]|A/S")
_INSTITUTIONS = (
    "University|College|Institute|Academy|Foundation|Airlines|Airways|Association|Consortium"
)
_INSTITUTION_OF = re.compile(
    rf"(?<![\w.@/&+'’-])(?P<name>(?:{_NAME_WORD}[ ]){{0,3}}"
    r"(?:(?:University|Institute|Academy|Bank|Ministry|Department|College) of(?: the)?"
    r"|Universit(?:ät|at|eit|etet)(?: (?:de|van|zu|i))?"
    r"|Universit(?:é|à)(?: (?:de(?: la)?|di|del))|Universidade? (?:de(?: la)?|do|da))"
    rf"[ ]{_NAME_WORD}(?:[ ](?:(?:of|de|am)[ ])?{_NAME_WORD}){{0,3}})"
)
_INSTITUTION = re.compile(
    rf"(?<![\w.@/&+'’-])(?P<name>{_NAME})[ ](?P<house>{_INSTITUTIONS})(?![\w-])"
)
#: Capitals behind a word without one: within a sentence, and not within a title.
_MID_SENTENCE = re.compile(
    rf"(?<![\w’'.-])[^\W\d_A-Z][\w’'-]*[ ]"
    rf"(?P<name>{_CAPITAL}[\w’'-]*\w(?:[ ]{_CAPITAL}[\w’'-]*\w){{1,3}})"
)
#: Two neighbours with capitals, the second one only looked at: every pair of a text.
_PAIR = re.compile(r"(?<![\w’'-])([A-Z][\w’'-]+ )(?=([A-Z][\w’'-]+))")
_PAIR_ANY = re.compile(rf"(?<![\w’'-])({_CAPITAL}[\w’'-]+ )(?=({_CAPITAL}[\w’'-]+))")
_POSSESSIVE = re.compile(r"['’]s?$")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_REPEATS_MIN = 2
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
#: With capitals only because a sentence begins: greetings, thanks, requests.
_OPENERS = frozenset(
    """
    actually again alright also amazing anyway ask awesome aw call check cheers come congrats
    congratulations contact cool dear did email exactly excited find first furthermore get give glad
    go good goodbye got great haha happy hello hey hi hmm honestly however i ill im ive join keep
    last later lately let lets like lol look love maybe meet moreover morning my never next nice
    night okay ok oh omg perfect perhaps please read regarding remember right says see send since
    so sorry sounds super sure take tell thank thanks that thats the then therefore this
    totally try under use visit wanna wait welcome well when whoa work worked wow yay yeah yep
    yes yesterday your
    """.split()
)


def find_organisations(words: FoldedText) -> Iterator[NameMatch]:
    """Yield organisations by legal form ("Acme GmbH") or by shape ("University of Oslo")."""
    text = words.text
    if not _FORM_WORDS.isdisjoint(words.folded) or _DOTTED.search(text):
        for match in _LEGAL.finditer(text):
            yield from _organisation(text, match, 0.9)
    if not _SHAPE_WORDS.isdisjoint(words.folded):
        for match in _INSTITUTION_OF.finditer(text):
            yield from _organisation(text, match, 0.85)
        for match in _INSTITUTION.finditer(text):
            yield from _organisation(text, match, 0.85)


def find_repeated_names(text: str, names: Collection[str]) -> Iterator[NameMatch]:
    """Yield names of several words that come back within sentences and are nobody's.

    `names` are case-folded single words of people's names.
    """
    pairs = (_PAIR if text.isascii() else _PAIR_ANY).findall(text)
    if len(pairs) == len(set(pairs)):
        return
    matches = [
        match for match in _MID_SENTENCE.finditer(text) if _is_repeatable(match["name"], names)
    ]
    times = Counter(fold(match["name"]) for match in matches)
    for match in matches:
        if times.pop(fold(match["name"]), 0) >= _REPEATS_MIN:
            yield NameMatch(
                *match.span("name"), EntityType.CONCEPT, clean_name(match["name"]), 0.75
            )


def is_opener(word: str) -> bool:
    """Say whether a folded word stands where a name could and is none: a greeting, a pronoun."""
    return word in _OPENERS or is_common_word(word)


def may_be_name(name: str) -> bool:
    """Say whether some words may be a name: with a letter, and not of ordinary words alone."""
    words = [_POSSESSIVE.sub("", fold(word)) for word in re.findall(r"[^\W_][\w’'-]*", name)]
    significant = [word for word in words if not is_opener(word) and not word.isdecimal()]
    return (
        bool(significant) and len(name) <= NAME_CHARS_MAX and not fold(name).endswith(("'m", "'ll"))
    )


def is_valid_name(name: str) -> bool:
    """Say whether a text that a caller calls a name can be kept as one: not empty, not a page."""
    return len(name) <= NAME_CHARS_MAX and _LETTER_OR_DIGIT.search(name) is not None


def clean_name(name: str) -> str:
    """Return a name on one line, without white space or a comma around it."""
    return " ".join(name.split()).rstrip(",")


def bare_name(name: str) -> str:
    """Return a name without an article before it and a possessive behind it."""
    return clean_name(_POSSESSIVE.sub("", _ARTICLE.sub("", name.strip())))


def _organisation(text: str, match: re.Match[str], confidence: float) -> Iterator[NameMatch]:
    """Leave out the words before a name that have their capital from the sentence's beginning."""
    words = match["name"].split(" ")
    start, end = match.span()
    while words and not _begins_name(words[0]):
        start += len(words[0]) + 1
        words = words[1:]
    if words:
        # "S.A." keeps its last dot; that of "Inc." may be the sentence's, and names the same.
        dot = text[end : end + 1] == "." and text[end - 2 : end - 1] == "."
        yield NameMatch(start, end, EntityType.ORG, clean_name(text[start : end + dot]), confidence)


def _begins_name(word: str) -> bool:
    folded = _POSSESSIVE.sub("", fold(word))
    return not is_opener(folded) and any(sign.isupper() for sign in word)


def _is_repeatable(name: str, names: Collection[str]) -> bool:
    words = name.split()
    folded_words = [_POSSESSIVE.sub("", fold(word)) for word in words]
    if any(word in names or is_opener(word) for word in folded_words):
        return False
    return all(word[0].isupper() for word in words) and any(sign.islower() for sign in name)
