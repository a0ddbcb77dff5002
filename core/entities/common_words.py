"""English words that are no names, or not only: function words, days, months, "Grace", "will".

The directory of people and the gazetteer of entities look names up by them; all other words stand
in `language`. A word that is a name too ("What will Will do in May?") is a name with a capital in a
name's place, or where only a name can stand ("did may say", "will's drums").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..ids import fold

#: Articles, pronouns, auxiliaries, prepositions, conjunctions and question words.
FUNCTION_WORDS = frozenset(
    """
    a an the this that these those some any each every either neither such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    am is are was were be been being do does did doing done has have had having
    can could will would shall should may might must ought
    don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't can't couldn't won't
    wouldn't shouldn't mustn't ain't cannot dont didnt doesnt isnt cant wont
    i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll
    we're we've we'd we'll they're they've they'd they'll that's there's here's let's what's who's
    where's when's how's why's
    what which who whom whose when where why how
    and or but nor so yet if then else than because while although though until unless since
    as at by for from in into of off on onto out over to under up upon with within without about
    above across after again against along among around before behind below beneath beside
    besides between beyond down during except inside near outside past through throughout toward
    towards via
    not no yes oh too very just also only even still there here now ever both own same other
    s t d ll m re ve
    """.split()
)
#: First names and surnames that are words: written small, they are nobody's.
_COMMON_WORD_NAMES = frozenset(
    """
    angel april art august autumn baker banks bell bill bishop black blue brook brooks brown bush
    carol carter case chance charity chase chip christian clay cliff close cole cook cooper cross
    dale daisy dawn day dean destiny drew earl eve faith field fields fisher ford forest fox frank
    gene ginger glen grace grant gray green guy hall harmony hart haven hazel heath heather hill
    holly hope hunter ivy jade joy june justice king knight lake lane lily little long love major
    marina mark marks mason max may melody mercy miles miller miracle moon nick noble nova olive
    page paige park parks pat patience peace pearl penny pet poppy porter potter price prince queen
    rain ray reed rich river rob robin rock rocky rod rose ruby rusty sage sandy serenity shepherd
    short sky small smart smith sonny star stone storm sue summer sunny trinity violet wade walker
    ward warren west white will willow winter wolf wood woods worth young
    """.split()
)
#: Names of days and months are times.
CALENDAR = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
    sat sun january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec today tomorrow yesterday tonight
    """.split()
)
AUXILIARIES = frozenset("do does did doesn't didn't don't".split())
DETERMINERS = frozenset(
    "the a an my your his her its our their this that these those some any no every each".split()
)
PRONOUNS = frozenset("i you he she it we they me him us them there".split())
#: Behind the first word of a sentence they show that it is a verb: "Will you", "Mark the date".
BEHIND_VERB = DETERMINERS | PRONOUNS | frozenset("be to for all everyone everything so".split())
#: Before the name of a month or day.
BEFORE_DATE = frozenset(
    "in on since until till during last next this early mid late every of by".split()
)
#: What stands before a name and is none, in lower case and without its full stop.
FORMS_OF_ADDRESS = frozenset(
    "dr mr mrs ms miss mx prof professor doctor sir madam herr frau".split()
)
#: Words within the names of things, and the legal forms of companies.
NAME_PARTICLES = frozenset("of the and for a an de la der die das und von for in on & to".split())
LEGAL_FORMS = frozenset(
    """
    inc incorporated ltd limited llc llp plc corp corporation company co gmbh ag kg se sa ab oy
    """.split()
)
#: Who speaks in a transcript without names: nobody in particular.
ROLES = frozenset(
    "agent ai assistant bot customer developer human model speaker system tool user".split()
)
#: Words that stand where a name should, and name nobody.
PLACEHOLDER_NAMES = frozenset(
    "user human person agent assistant system bot tool anonymous guest unknown nobody default none "
    "null undefined me you".split()
)


def is_common_word(word: str) -> bool:
    """Say whether a folded word is a function word, a day or a month: alone it names nothing."""
    return word in FUNCTION_WORDS or word in CALENDAR


def is_common_word_name(name: str) -> bool:
    """Say whether a folded name of one word, such as "grace" or "will", is a word too."""
    return name in _COMMON_WORD_NAMES or is_common_word(name)


_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: What separates a word from its neighbours.
_BREAK = re.compile(r"[.!?:;\n…]")
#: A text with so many words, nearly all with capitals, is a title: they say nothing.
_TITLE_WORDS_MIN, _TITLE_SHARE = 4, 0.8


@dataclass(frozen=True, slots=True)
class TextWord:
    """A word of a text: where it stands, and folded, without a possessive."""

    start: int
    end: int
    text: str
    folded: str


def words_in(text: str) -> list[TextWord]:
    """Return the words of a text, in order."""
    return [
        TextWord(*match.span(), match.group(), fold(match.group()).removesuffix("'s"))
        for match in _WORD.finditer(text)
    ]


def is_name_at(words: Sequence[TextWord], place: int, text: str) -> bool:
    """Say whether a word of a text that somebody is called by stands there for them."""
    word = words[place]
    if not is_common_word_name(word.folded):
        return True
    before = _neighbour(words, place, -1, text)
    after = _neighbour(words, place, 1, text)
    possessive = fold(word.text).endswith("'s")
    is_date = word.folded in CALENDAR and not possessive and _is_date(before, after)
    if is_date or (before is not None and before.folded in DETERMINERS):
        return False
    is_function_word = word.folded in FUNCTION_WORDS or word.folded == "may"
    if possessive or (is_function_word and before is not None and fold(before.text) in AUXILIARIES):
        return True
    if not word.text[0].isupper() or _is_title(words):
        return False
    is_verb = after is not None and (after.folded in BEHIND_VERB or after.text[0].isupper())
    return before is not None or not is_verb


def _is_date(before: TextWord | None, after: TextWord | None) -> bool:
    numbers = [other for other in (before, after) if other and other.text[0].isdigit()]
    return bool(numbers) or (before is not None and before.folded in BEFORE_DATE)


def _neighbour(words: Sequence[TextWord], place: int, step: int, text: str) -> TextWord | None:
    """Return the word before or behind another in its sentence."""
    other = place + step
    if not 0 <= other < len(words):
        return None
    first, second = sorted((words[place], words[other]), key=lambda word: word.start)
    return None if _BREAK.search(text[first.end : second.start]) else words[other]


def _is_title(words: Sequence[TextWord]) -> bool:
    capitals = sum(word.text[0].isupper() for word in words)
    return len(words) >= _TITLE_WORDS_MIN and capitals >= _TITLE_SHARE * len(words)
