"""Whether lines `word: text` are what people say to each other: few labels that recur plausibly.

A log, a recipe, a list of settings and a page of notes have such lines too. Nobody says those:
their labels are many, or keys, or nothing in them is said to anybody.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ....core.entities.common_words import CALENDAR
from ..import_options import role_of

#: Words before a colon that open a remark, an entry or a line of a log, not a turn.
_KEYS = frozenset(
    "note notes warning ps example examples error hint tip step date subject title topic time "
    "output input result code source from to cc re url http https data info warn debug trace "
    "fatal critical notice todo idea task question answer pros cons name email phone "
    "ingredients servings breakfast lunch dinner".split()
)
#: Words that somebody says to somebody, in the languages that many write.
_ADDRESSES = frozenset(
    "i i'm i'll i've i'd me my you you're you'll your we we're we'll us our let's thanks hi hello "
    "hey ich mir mich mein meine du dir dich dein deine wir uns ihr euch danke hallo "
    "yo tú te mi tu nosotros gracias hola je j'ai moi toi nous vous mon merci bonjour salut "
    "io ti noi voi mio grazie ciao eu você nós meu obrigado obrigada olá oi "
    "ik jij je mij jou wij ons mijn bedankt hoi ben sen biz siz bana sana benim merhaba "
    "я ты мне тебе мы вы меня спасибо привет".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: Whole sentences, of three words at least: what is said, not what is filled in. Scripts without
#: blanks have a stop of their own.
_SENTENCES = re.compile(r"[A-ZÀ-ÞА-Я](?:\S*\s+){2,}\S*[.!?…]|\S.*[。？！]", re.DOTALL)
#: One turn in so many has to speak to somebody.
_TURNS_PER_ADDRESS = 8


def speakers_of(labels: Sequence[str]) -> frozenset[str]:
    """Return the labels, each as often as it stands there, if they are few that may be names."""
    counts = Counter(label for label in labels if may_be_name(label, labels.count(label)))
    return frozenset(counts) if _are_few(counts) else frozenset()


def may_be_name(label: str, times: int) -> bool:
    """Whether a label may be a person: written as a name, or a word that stands there again."""
    words = label.split()
    if len(label) < 2 or label.lower() in _KEYS or (label.lower() in CALENDAR and times < 2):
        return False
    is_title = not words[0][0].islower() and not words[-1][0].islower()
    return is_title or (len(words) == 1 < times)


def is_talk(turns: Sequence[tuple[str, str]], dated: int) -> bool:
    """Whether turns, each a label and a text, are a dialogue; `dated` have a time before them."""
    roles = {role for label, _ in turns if (role := role_of(label))}
    if len(roles) > 1:
        return True
    labels = [label for label, _ in turns if not role_of(label)]
    counts = Counter(labels)
    names = Counter({label: n for label, n in counts.items() if may_be_name(label, n)})
    if len(names) + len(roles) < 2 or names.total() * 2 < len(labels):
        return False
    if not _are_few(names) or _is_table(labels) or all(name.lower() in CALENDAR for name in names):
        return False
    if all(_SENTENCES.fullmatch(text.strip()) for _, text in turns):
        return True
    addressing = sum(_speaks_to_somebody(text, names) for _, text in turns)
    asked = len(turns) == 2 and _asks(turns[0][1])
    goes_on = asked or roles or len(counts) < len(turns)  # somebody answers, or speaks again
    enough = _TURNS_PER_ADDRESS if goes_on else 1
    return dated * 2 >= len(turns) or addressing * enough >= len(turns)


def _are_few(counts: Counter[str]) -> bool:
    return bool(counts) and len(counts) <= max(2, (counts.total() + 1) // 2)


def _is_table(labels: Sequence[str]) -> bool:
    """Whether three labels or more come in the same order again and again, as fields do."""
    width = len(set(labels))
    return (
        width > 2
        and len(labels) >= 2 * width
        and all(label == labels[at % width] for at, label in enumerate(labels))
    )


def _speaks_to_somebody(text: str, names: Counter[str]) -> bool:
    words = {word.lower().replace("’", "'") for word in _WORD.findall(text)}
    called = any(name.split()[0].lower() in words for name in names)
    return called or _asks(text) or not words.isdisjoint(_ADDRESSES)


def _asks(text: str) -> bool:
    return not {"?", "？", "؟"}.isdisjoint(text)
