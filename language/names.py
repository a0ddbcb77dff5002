"""Names that a text gives: by how they are written, and by the words of their sentences.

Organisations by their legal forms and kinds, what stands beside a name ("my cat, Momo"), and in
messages what the tagger takes for a name, with its type where the words beside it tell one.
English, but for legal forms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from ..core.entities.common_words import is_common_word, is_common_word_name
from ..core.entities.entity_gazetteer import NAME_CHARS_MAX, EntityType, FoldedText
from ..core.ids import fold
from .addresses import NameMatch
from .fact_objects import ANIMALS, KIN
from .facts import bearers_in
from .tagging import Analysis, Sentence, TaggedWord, join
from .word_lists import word_list, word_table

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
_FORM_WORDS = word_list("legal_form_words")
_SHAPE_WORDS = word_list("institution_words")
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
_POSSESSIVE = re.compile(r"['’]s?$")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
#: With capitals only because a sentence begins: greetings, thanks, requests.
_OPENERS = word_list("openers")


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


def is_opener(word: str) -> bool:
    """Return whether a folded word stands where a name could and is none: a greeting, a pronoun."""
    return word in _OPENERS or is_common_word(word)


def may_be_name(name: str) -> bool:
    """Return whether some words may be a name: with a letter, and not of ordinary words alone."""
    words = [_POSSESSIVE.sub("", fold(word)) for word in re.findall(r"[^\W_][\w’'-]*", name)]
    significant = [word for word in words if not is_opener(word) and not word.isdecimal()]
    return (
        bool(significant) and len(name) <= NAME_CHARS_MAX and not fold(name).endswith(("'m", "'ll"))
    )


def is_valid_name(name: str) -> bool:
    """Return whether a caller's text can be stored as a name: not empty, not a page."""
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


_SURE, _LIKELY = 0.9, 0.8
#: Where a part of a sentence begins.
_PART = re.compile(r"\A|[-–—;:(,]\s+|\band ")
_TITLE_WORDS_MAX, _ACRONYM_CHARS_MAX = 9, 4
#: A noun before a name, or a word at its end → what the name is of.
_KINDS = {word: EntityType[kind] for word, kind in word_table("kinds_of_names").items()}
_WORK_VERBS = word_list("verbs_of_works")
#: What is played, watched or read by name is a work.
_PLAYED = frozenset("watch watched watching read reading play played playing".split())
#: First words of the names of places.
_PLACE_OPENERS = frozenset("mount mt lake fort cape port saint isle camp".split())
#: With "from" and "with": whom something is bought of or agreed on with.
_TRADED = frozenset(
    "ordered ordering bought offer offers deal contract sponsorship sponsored endorsement".split()
)
_TIME_ZONES = frozenset("utc gmt cet cest bst est edt cst cdt pst pdt".split())
_CALLED_NAMES = frozenset({"called", "named", "titled"})
#: How words end that say of which place something is.
_ADJECTIVE_ENDINGS = ("ern", "ese", "ian", "ean", "ish")
_LABELS = {"PER": EntityType.PERSON, "LOC": EntityType.PLACE, "ORG": EntityType.ORG}
_LINKS = frozenset("of the de la del & von van".split())
_MOTION = word_list("motion")
#: What somebody works or studies at has people, even where it is known as a place.
_EMPLOYED = word_list("employed")
#: What is used, driven or bought by name is a product.
_USED = frozenset("use uses using used drive drives driving drove bought buy own owns".split())
_CELEBRATED = frozenset("celebrate celebrated celebrating celebrates".split())
#: With a capital in the middle of a sentence, and no name of anything.
_NO_NAMES = word_list("capitals_of_no_name")


def find_message_names(analysis: Analysis, names: Collection[str]) -> Iterator[NameMatch]:
    """Yield what a message names, the surest first in each sentence.

    `names` are case-folded single words of the names of people who speak.
    """
    for sentence in analysis.sentences:
        taken: list[tuple[int, int]] = []
        for match in _names_in(sentence):
            words = match.name.lower().split()
            if all(word in names for word in words) or _overlaps(match, taken):
                continue
            taken.append((match.start, match.end))
            yield match


def is_name_of_nobody(token: TaggedWord) -> bool:
    """Return whether a word has its capital from where somebody comes from, or what they are."""
    folded = token.lower
    return folded in _NO_NAMES or folded.endswith(_ADJECTIVE_ENDINGS) or folded in KIN


def _names_in(sentence: Sentence) -> Iterator[NameMatch]:
    places = [part.end() for part in _PART.finditer(sentence.text)]
    for place, until in pairwise([*places, len(sentence.text)]):
        for noun, name, start, end in bearers_in(sentence.text, place, until):
            type = EntityType.PET if noun in ANIMALS else EntityType.PERSON
            yield NameMatch(sentence.start + start, sentence.start + end, type, name, _SURE)
    yield from _titles(sentence.tokens)
    yield from _capitals(sentence)


def _titles(tokens: Sequence[TaggedWord]) -> Iterator[NameMatch]:
    """Yield what stands in quotes as a title does: 'the book "Becoming Nicole"'."""
    place = 0
    while place < len(tokens):
        closing = {'"': '"', "“": "”"}.get(tokens[place].text)
        last = next((n for n in range(place + 2, len(tokens)) if tokens[n].text == closing), None)
        if closing is None or last is None or last - place > _TITLE_WORDS_MAX:
            place += 1
            continue
        words = [word for word in tokens[place + 1 : last] if word.text not in {",", ".", "!"}]
        capitals = sum(word.text[0].isupper() for word in words)
        beside = _type_beside(tokens, place, last)
        verb = any(word.lower in _WORK_VERBS for word in tokens[max(place - 4, 0) : place])
        is_title = verb or beside is not None or (len(words) > 1 and 2 * capitals > len(words))
        if words and words[0].text[0].isupper() and is_title:
            by = place > 0 and tokens[place - 1].lower == "by"  # "a song by "Summer Rain""
            type = EntityType.ORG if by else beside or EntityType.WORK
            yield NameMatch(words[0].start, words[-1].end, type, join(words), _LIKELY)
        place = last + 1


def _type_beside(tokens: Sequence[TaggedWord], first: int, last: int) -> EntityType | None:
    """Return the kind that a noun near a name says: before it, or right behind it."""
    for word in reversed(tokens[max(first - 4, 0) : first]):
        if word.tag.startswith("NN") and word.lower in _KINDS:
            return _KINDS[word.lower]
        if word.text[0] in ".!?;":
            break
    behind = tokens[last : last + 2]
    return next((_KINDS[word.lower] for word in behind if word.lower in _KINDS), None)


def _capitals(sentence: Sentence) -> Iterator[NameMatch]:
    """Yield the runs of words with capitals that are names."""
    tokens, place = sentence.tokens, 0
    while place < len(tokens):
        if not _may_begin(tokens, place):
            place += 1
            continue
        last = place + 1
        while last < len(tokens):
            if _is_name_word(tokens[last]):
                last += 1
            elif (
                tokens[last].lower in _LINKS
                and last + 1 < len(tokens)
                and _is_name_word(tokens[last + 1])
            ):
                last += 2
            else:
                break
        type = _type_of(tokens, place, last)
        if type is not None:
            words = tokens[place:last]
            yield NameMatch(words[0].start, words[-1].end, type, join(words), _LIKELY)
        place = last


def _is_name_word(token: TaggedWord) -> bool:
    folded = token.lower
    if not token.text[0].isupper() or folded in _NO_NAMES or folded in KIN:
        return False
    # "Midwestern" is of a place, and none.
    return token.tag.startswith("NNP") or (token.name != "O" and token.tag != "JJ")


def _may_begin(tokens: Sequence[TaggedWord], place: int) -> bool:
    token = tokens[place]
    folded = token.lower
    if not _is_name_word(token) or is_common_word(folded) or is_opener(folded):
        return False
    follows = tokens[place + 1 : place + 2]
    if folded.endswith(_ADJECTIVE_ENDINGS) and follows and follows[0].tag in {"NN", "NNS"}:
        return False
    shouted = token.text.isupper() and token.name == "O" and len(token.text) > _ACRONYM_CHARS_MAX
    if shouted or len(token.text) == 1 or folded in _TIME_ZONES:
        return False
    begins = place == 0 or tokens[place - 1].text in {":", "-", "–", "—", "(", '"', "*"}
    more = bool(follows) and _is_name_word(follows[0])
    if begins and not more and is_common_word_name(folded):
        return False
    return not begins or token.name.startswith("B-") or more


def _type_of(tokens: Sequence[TaggedWord], first: int, last: int) -> EntityType | None:
    """Return the kind of a name; None where nothing says it."""
    labels = [word.name[2:] for word in tokens[first:last] if word.name != "O"]
    beside = _type_stated(tokens, first) or _type_within(tokens, first, last)
    games = first > 0 and tokens[first - 1].lower in {"play", "played", "playing"}
    if beside is None and (games or labels[:1] != ["PER"]):
        beside = _type_around(tokens, first, last, labels)
    label = next((_LABELS[label] for label in labels if label in _LABELS), None)
    kind = beside or _type_by_verb(tokens, first, last, label) or label
    if kind is None and _goes(tokens, first):
        kind = EntityType.PLACE
    # Several words, or a label without a kind, name something that nobody says the kind of.
    return kind or (EntityType.CONCEPT if labels or last - first > 1 else None)


def _type_stated(tokens: Sequence[TaggedWord], first: int) -> EntityType | None:
    """Return the kind that a sentence states: "my favourite band is Coldplay"."""
    if first > 1 and tokens[first - 1].lower in {"is", "was"}:
        return _KINDS.get(tokens[first - 2].lower)
    return None


def _type_within(tokens: Sequence[TaggedWord], first: int, last: int) -> EntityType | None:
    """Return the kind that a name of several words says itself: "Lake Como", "Pride Month"."""
    if tokens[last - 1].lower.endswith("-con"):
        return EntityType.EVENT
    if last - first == 1:
        return None
    place = EntityType.PLACE if tokens[first].lower in _PLACE_OPENERS else None
    return _KINDS.get(tokens[last - 1].lower) or place


def _type_around(
    tokens: Sequence[TaggedWord], first: int, last: int, labels: Sequence[str]
) -> EntityType | None:
    """Return the kind that the words right before and behind a name say."""
    behind = tokens[last].lower if last < len(tokens) else ""
    if behind in _KINDS and behind not in {"day", "month"}:
        # "the Rust tournament": what is played.
        kind = _KINDS[behind]
        return EntityType.WORK if kind is EntityType.EVENT else kind
    if first and tokens[first - 1].lower in _CALLED_NAMES:
        # "the game was called Valorant"
        return _type_beside(tokens[:first], first - 1, first)
    # "my home country, Sweden"
    place = first - 1 - (first > 1 and tokens[first - 1].text == ",")
    before = tokens[place].lower if first else ""
    if before in _PLAYED and "LOC" not in labels:
        return EntityType.WORK
    return _KINDS.get(before)


def _type_by_verb(
    tokens: Sequence[TaggedWord], first: int, last: int, label: EntityType | None
) -> EntityType | None:
    """Return the kind that what is done with a name says: "works at NASA", "drives a Honda"."""
    article = first > 0 and tokens[first - 1].lower in {"the", "a", "an", "my", "our"}
    before = [token.lower for token in tokens[max(first - 5, 0) : first - article]]
    if not before or label is EntityType.PERSON:
        return None
    if before[-1] in {"at", "for"} or before[-2:] == ["graduated", "from"]:
        return None if _EMPLOYED.isdisjoint(before) else EntityType.ORG
    if before[-1] in {"from", "with"} and not _TRADED.isdisjoint(before):
        return EntityType.ORG
    if before[-1] == "by" and last - first > 1 and label is None:
        return EntityType.PERSON
    if before[-1] in _CELEBRATED:
        return EntityType.EVENT
    used = before[-1] in _USED and label is not EntityType.PLACE
    return EntityType.PRODUCT if used else None


def _goes(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Return whether somebody goes, lives or is born there."""
    place -= place > 0 and tokens[place - 1].lower == "the"
    if place == 0 or tokens[place - 1].lower not in {"in", "to", "from", "near"}:
        return False
    return any(token.lower in _MOTION for token in tokens[max(place - 5, 0) : place])


def _overlaps(match: NameMatch, spans: Sequence[tuple[int, int]]) -> bool:
    return any(match.start < last and first < match.end for first, last in spans)
