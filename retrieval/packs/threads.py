"""Open threads by rule: questions nobody answered, errors nobody solved, promises still open.

The words that commit are known in English (FACTS D27); a language model is not asked. A thread
always names the memories it rests on, and one that was settled later is not open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...core.text import shorten
from ...core.types import Memory
from .seen import Moment

#: Longest thread, characters.
THREAD_CHARS = 140
_COMMITS = re.compile(
    r"\b(?:i['’]ll|i will|we['’]ll|we will|let['’]s|let us|i promise|i(?:['’]m| am) going to)\b",
    re.IGNORECASE,
)
_NO_COMMITMENT = re.compile(
    r"\b(?:i['’]ll|i will|we['’]ll) (?:never|always|be (?:happy|glad|there|fine|okay|ok)|have to"
    r"|see you|let you go|miss)\b|\blet['’]s (?:see|say|be honest|face it)\b|\bif i\b|\bif you\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|did|sent|finished|booked|called|rang|bought|fixed|went|wrote|gave|made|brought"
    r"|told|met|took|got|signed|paid|moved|started|ran|\w{3,}ed)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_QUESTION = ("?", "？")
#: A call is known by its beginning, characters.
_CALL_CHARS = 60
#: Two content words of a promise must come back where it is kept, and half of them.
_KEPT_WORDS, _KEPT_SHARE = 2, 0.5

Terms = Callable[[str], Sequence[str]]


class ThreadKind(StrEnum):
    """What is left open."""

    QUESTION = "question"
    ERROR = "unresolved error"
    COMMITMENT = "commitment"
    UNCERTAINTY = "uncertainty"


@dataclass(frozen=True, slots=True)
class Thread:
    """One thing left open: in what words, by whom, and the memory it rests on."""

    kind: ThreadKind
    text: str
    memory: Memory


def open_questions(moments: Sequence[Moment]) -> list[Thread]:
    """Return questions at the end of a session that nobody else answered there, newest first."""
    answered: set[tuple[str | None, str | None]] = set()
    later: dict[str | None, set[str | None]] = {}
    found = []
    for one in reversed(moments):
        memory = one.memory
        voices = later.setdefault(memory.session, set())
        asked = one.spoken and memory.text.rstrip().endswith(_QUESTION)
        if asked and not voices - {memory.person} and (memory.session, memory.text) not in answered:
            question = _SENTENCE.split(memory.text.rstrip())[-1]
            found.append(Thread(ThreadKind.QUESTION, shorten(question, THREAD_CHARS), memory))
            answered.add((memory.session, memory.text))
        if one.spoken:
            voices.add(memory.person)
    return found


def uncertainties(moments: Sequence[Moment]) -> list[Thread]:
    """Return what a model heard stay open, newest first, each once."""
    found: dict[str, Thread] = {}
    for one in reversed(moments):
        for text in one.lived.uncertainties if one.lived else ():
            said = shorten(text, THREAD_CHARS)
            found.setdefault(text, Thread(ThreadKind.UNCERTAINTY, said, one.memory))
    return list(found.values())


def unresolved_errors(moments: Sequence[Moment], terms: Terms) -> list[Thread]:
    """Return failures after which the same tool never did the same again, newest first.

    The same: its call has half of the failed one's words; in one session, any call of the tool.
    """
    worked: dict[str, list[tuple[str | None, frozenset[str]]]] = {}
    found = []
    for one in reversed(moments):
        if one.tool is None:
            continue
        words = frozenset(terms(one.memory.text[:_CALL_CHARS]))
        later = worked.setdefault(one.tool, [])
        solved = any(
            session == one.memory.session or 2 * len(said & words) >= len(words)
            for session, said in later
        )
        if one.error and not solved:
            text = shorten(one.memory.text, THREAD_CHARS)
            found.append(Thread(ThreadKind.ERROR, text, one.memory))
        if not (one.error and solved):
            later.append((one.memory.session, words))
    return found


def commitments(moments: Sequence[Moment], terms: Terms) -> list[Thread]:
    """Return promises that no later message of the one who gave them says are kept, newest first.

    Kept: a later message of the same person tells of something done and shares at least two, and
    half, of the promise's content words.
    """
    done: dict[str | None, list[frozenset[str]]] = {}
    found = []
    for one in reversed(moments):
        memory = one.memory
        if not one.spoken:
            continue
        said = done.setdefault(memory.person, [])
        for sentence in reversed(_SENTENCE.split(memory.text)):
            words = frozenset(terms(sentence))
            if _is_promise(sentence) and len(words) > 1 and not _kept(words, said):
                text = shorten(sentence, THREAD_CHARS)
                found.append(Thread(ThreadKind.COMMITMENT, text, memory))
        said += [
            frozenset(terms(sentence))
            for sentence in _SENTENCE.split(memory.text)
            if _DONE.search(sentence) and not _is_promise(sentence)
        ]
    return found


def _is_promise(sentence: str) -> bool:
    asked = sentence.rstrip().endswith(_QUESTION)
    return not asked and bool(_COMMITS.search(sentence)) and not _NO_COMMITMENT.search(sentence)


def _kept(words: Collection[str], later: Sequence[frozenset[str]]) -> bool:
    needed = max(_KEPT_WORDS, _KEPT_SHARE * len(words))
    return any(len(said.intersection(words)) >= needed for said in later)
