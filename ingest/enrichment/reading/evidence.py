"""The items of a model's answer about a session for which the session has evidence.

An item is accepted when its quote is in the message it names, the speaker is that message's, and
its claim is in the quote; all others are refused and counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ....core.events import EventKind
from ....core.ids import fold
from ....core.text import ascii_marks, find_quote
from ....language.analyser import Analyser
from ....language.fact_ends import ending_of, may_end
from ....language.marks import marks_of
from ....models.answer_types import (
    ClosingAnswer,
    EvidenceAnswer,
    FactAnswer,
    PromiseAnswer,
    SessionAnswer,
)
from ...extraction.facts.predicates import FAVOURITE, PREDICATES
from ...extraction.facts.statement_extraction import STATED_KINDS
from .transcript import TranscriptLine

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|\Z)|\n")
#: A quote behind one of these in its sentence says something else than the sentence.
_TURNS = re.compile(
    r"\b(?:not|never|no longer|nobody|if|unless|whether|wish|hope|hoped|dreamt)\b|n't\b",
    re.IGNORECASE,
)
#: What is told with neither word but with "you" is of somebody else.
_OWN = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|myself)\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:you|your|yours|yourself|ya|u)\b", re.IGNORECASE)
#: What a question can undertake.
_ASKED_KINDS = frozenset({"proposal", "reminder"})
_CALLED = re.compile(r"\b(?:called|named)\b", re.IGNORECASE)
_BEFORE_NOW = frozenset({"past verb", "perfect"})
#: Predicates that hold with such a word too.
_DENYING = frozenset("dislikes health diet allergic_to did note marital_status".split())

Item = TypeVar("Item", bound=EvidenceAnswer)


def shown_by(
    answer: SessionAnswer, window: Sequence[TranscriptLine], analyser: Analyser
) -> tuple[SessionAnswer, int]:
    """Return what of an answer the window shows, and how many items were refused."""
    check = _Evidence(window, analyser)
    taken = {
        "events": _filtered(answer.events, check.is_own),
        "facts": _filtered(answer.facts, check.is_stated),
        "promises": _filtered(answer.promises, check.names_deed),
        "feelings": _filtered(answer.feelings, check.is_own),
        "closings": _filtered(answer.closings, check.names_deed),
    }
    taken_count = sum(len(items) for items in taken.values())
    refused = sum(len(getattr(answer, name)) for name in taken) - taken_count
    return answer.model_copy(update=taken), refused


def _filtered(items: Iterable[Item], holds: Callable[[Item], bool]) -> tuple[Item, ...]:
    return tuple(item for item in items if holds(item))


class _Evidence:
    """The messages of a window, as evidence."""

    def __init__(self, window: Sequence[TranscriptLine], analyser: Analyser) -> None:
        self._lines = {line.place: line for line in window if line.place is not None}
        self._stems = {
            number: frozenset(analyser.terms(line.text)) for number, line in self._lines.items()
        }
        self._analyser = analyser

    def is_quoted(self, item: EvidenceAnswer) -> bool:
        """Say whether the quote stands in its message, and who is named said it."""
        line = self._lines.get(item.message)
        if line is None or fold(item.speaker) != fold(line.speaker):
            return False
        span = find_quote(line.text, item.quote)
        return span is not None and not _turns(_sentence_before(line.text, span[0]))

    def is_stated(self, item: FactAnswer) -> bool:
        """Say whether a person says so: the agent only repeats what people say."""
        if not (self.is_quoted(item) and (item.object or item.ends)):
            return False
        line = self._lines[item.message]
        kind = item.predicate.removeprefix(FAVOURITE)
        in_table = item.predicate in PREDICATES or kind != item.predicate
        denied = not item.ends and item.predicate not in _DENYING and _turns(item.quote)
        words = [item.object, kind.replace("_", " ") if kind != item.predicate else ""]
        if fold(item.subject) != fold(line.speaker):
            words.append(item.subject)
        return (
            in_table
            and not denied
            and line.event["kind"] in STATED_KINDS
            and not _is_question(line.text, item.quote)
            and _stands_in(" ".join(words), item.quote)
            and _says_same(item)
        )

    def is_own(self, item: EvidenceAnswer) -> bool:
        """Say whether a person says it of themselves: what an agent tells is no person's."""
        if not self.is_quoted(item):
            return False
        line = self._lines[item.message]
        person = line.event.get("person") or line.event["kind"] == EventKind.USER_MESSAGE
        of_other = _OTHER.search(item.quote) or _is_question(line.text, item.quote)
        return bool(person) and not (of_other and not _OWN.search(item.quote))

    def names_deed(self, item: PromiseAnswer | ClosingAnswer) -> bool:
        """Say whether the deed is one that the session has spoken of by then."""
        text = self._lines[item.message].text if self.is_quoted(item) else ""
        if not text or (item.kind not in _ASKED_KINDS and _is_question(text, item.quote)):
            return False
        spoken = frozenset[str]().union(
            *(stems for number, stems in self._stems.items() if number <= item.message)
        )
        objects = self._analyser.terms(" ".join(item.objects))
        return bool(objects) and spoken.issuperset(objects)


def _says_same(item: FactAnswer) -> bool:
    """Say whether a quote says that a fact holds, or that it ended, as the item does.

    An end needs a word that turns the sentence, a word of ending, or a verb in the past.
    """
    if ending_of(item.quote, item.predicate, item.object) is not None:
        return item.ends
    leaves = may_end(item.quote)
    if not item.ends:
        return item.predicate in _DENYING or not leaves
    words = _CALLED.sub("", item.quote)
    return leaves or _turns(words) or not _BEFORE_NOW.isdisjoint(marks_of(words))


def _stands_in(words: str, quote: str) -> bool:
    """Say whether all words stand in a quote."""
    quoted = {fold(word) for word in _WORD.findall(quote)}
    return quoted.issuperset(fold(word) for word in _WORD.findall(words))


def sentence_around(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return where the sentence begins and ends in which a quote stands."""
    before = text[: span[0]]
    start = max((end.end() for end in _SENTENCE_END.finditer(before)), default=0)
    start += len(before[start:]) - len(before[start:].lstrip())
    ends = _SENTENCE_END.search(text, max(span[1] - 1, start))
    end = len(text) if ends is None else ends.end()
    return min(start, span[0]), max(span[1], len(text[:end].rstrip()))


def _turns(words: str) -> bool:
    return _TURNS.search(ascii_marks(words)) is not None


def _sentence_before(text: str, start: int) -> str:
    """Return what stands before a place in its sentence."""
    return text[sentence_around(text, (start, start))[0] : start]


def _is_question(text: str, quote: str) -> bool:
    """Say whether the sentence in which a quote stands asks."""
    span = find_quote(text, quote)
    return span is not None and text[slice(*sentence_around(text, span))].endswith("?")
