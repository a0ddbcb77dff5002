"""What is taken of a model's answer about a session: only what its own lines show.

Every finding has a quote of the line that it cites; people, feelings and changes are those of who
said it. What has no evidence is dropped and counted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ...core.entries import (
    EntitiesMentioned,
    EpisodeSynthesised,
    ExperienceEnriched,
    FactAsserted,
    FactEntry,
    StateTransitioned,
)
from ...core.events import EventKind, speaker_id, speaker_name
from ...core.experience import Phenomenology, RegisterState, Utterance
from ...core.facts import Fact, FactConfirmed, fold_facts
from ...core.ids import derived, fold
from ...core.settings import TransitionsSettings
from ...core.text import ascii_marks, find_quote, shorten
from ...core.types import EntryKind
from ...core.vocabulary import TransitionField
from ...language.analyser import Analyser
from ...language.fact_ends import ending_of, may_end
from ...language.marks import OTHER, OWN, TURNS, marks_of
from ...language.predicates import FAVOURITE, PREDICATES
from ...models.answer_types import (
    EvidenceAnswer,
    FactAnswer,
    FeelingAnswer,
    PromiseAnswer,
    SessionAnswer,
)
from ...storage.projections.entry_indexes import subject_key
from ...storage.store import Store
from ..curation import gazetteer
from ..extraction import phenomenology
from ..extraction.statements import (
    DIRECT,
    REPORTED,
    STATED_KINDS,
    Statement,
    assert_fact,
    key_of,
    statement_of,
    things_of,
)
from . import register
from .batch_state import speaker_of
from .session_question import TranscriptLine

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|\Z)|\n")
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
        """Return whether the quote stands in its message, and who is named said it."""
        line = self._lines.get(item.message)
        if line is None or fold(item.speaker) != fold(line.speaker):
            return False
        span = find_quote(line.text, item.quote)
        return span is not None and not _turns(_sentence_before(line.text, span[0]))

    def is_stated(self, item: FactAnswer) -> bool:
        """Return whether a person says so: the agent only repeats what people say."""
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
        """Return whether a person says it of themselves: what an agent tells is no person's."""
        if not self.is_quoted(item):
            return False
        line = self._lines[item.message]
        person = line.event.get("person") or line.event["kind"] == EventKind.USER_MESSAGE
        of_other = OTHER.search(item.quote) or _is_question(line.text, item.quote)
        return bool(person) and not (of_other and not OWN.search(item.quote))

    def names_deed(self, item: PromiseAnswer) -> bool:
        """Return whether the deed is one that the session has spoken of by then."""
        text = self._lines[item.message].text if self.is_quoted(item) else ""
        if not text or (item.kind not in _ASKED_KINDS and _is_question(text, item.quote)):
            return False
        spoken = frozenset[str]().union(
            *(stems for number, stems in self._stems.items() if number <= item.message)
        )
        objects = self._analyser.terms(" ".join(item.objects))
        return bool(objects) and spoken.issuperset(objects)


def _says_same(item: FactAnswer) -> bool:
    """Return whether a quote says that a fact holds, or that it ended, as the item does.

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
    """Return whether all words stand in a quote."""
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
    return TURNS.search(ascii_marks(words)) is not None


def _sentence_before(text: str, start: int) -> str:
    """Return what stands before a place in its sentence."""
    return text[sentence_around(text, (start, start))[0] : start]


def _is_question(text: str, quote: str) -> bool:
    """Return whether the sentence in which a quote stands asks."""
    span = find_quote(text, quote)
    return span is not None and text[slice(*sentence_around(text, span))].endswith("?")


_FIELD = TransitionField.EMOTIONAL_SIGNATURE


def felt_changes(
    window: Sequence[TranscriptLine],
    felt: Mapping[str, Phenomenology],
    feeling_before: Callable[[TranscriptLine], Phenomenology | None],
    file: Store,
    thresholds: TransitionsSettings,
) -> Iterator[tuple[str, StateTransitioned]]:
    """Yield the changes of people's feelings in a window, with their keys.

    `felt` is what the model read, by experience; `feeling_before` says how any other message was.
    """
    changed = _changed(window, file)
    state = RegisterState()
    for line in window:
        entry, person = line.entry, speaker_of(line.event, line.entry.space)
        phenomenology = felt.get(entry.id) or (feeling_before(line) if person else None)
        if person is None or phenomenology is None or entry.stream is None:
            continue
        state, changes = register.step(
            state, phenomenology, None, entry.at, entry.key, thresholds, person
        )
        for change in changes:
            if change.field is _FIELD and entry.id in felt and entry.id not in changed:
                id = derived("transition", entry.space, entry.id, "model")
                yield id, register.transitioned(change, id, entry.stream, entry.id, person)


def _changed(window: Sequence[TranscriptLine], file: Store) -> set[str]:
    """Return the experiences at which a change of feeling is recorded already."""
    space, streams = window[0].entry.space, {line.entry.stream for line in window} - {None}
    entries = file.journal.of_sessions(
        space, EntryKind.STATE_TRANSITIONED, sorted(map(str, streams))
    )
    payloads = [entry.payload for entry in entries]
    return {
        payload.experience
        for payload in payloads
        if isinstance(payload, StateTransitioned) and payload.field is _FIELD
    }


#: How likely a sentence is what a model takes it for.
_SURE = 0.95
#: Prose of a session that was read in parts, characters.
_PROSE_CHARS_MAX = 4_000
#: The phenomenology of an experience as recorded; None where the caller stated it.
FeelingBefore = Callable[[TranscriptLine], Phenomenology | None]
#: What a finding becomes.
Finding = ExperienceEnriched | FactEntry | StateTransitioned


def with_prose(
    payload: EpisodeSynthesised, answer: SessionAnswer, earlier: EpisodeSynthesised | None = None
) -> EpisodeSynthesised:
    """Return the episode with a model's topic and summary; the sources stay.

    `earlier` tells the part of the session before the one that was read now.
    """
    if earlier is None:
        return replace(payload, topic=answer.topic, summary=answer.summary, by="model", replaces=())
    summary = shorten(f"{earlier.summary} {answer.summary}", _PROSE_CHARS_MAX)
    return replace(payload, topic=earlier.topic, summary=summary, by="model", replaces=())


def findings_of(
    answer: SessionAnswer,
    window: Sequence[TranscriptLine],
    file: Store,
    feeling_before: FeelingBefore,
    thresholds: TransitionsSettings,
) -> list[tuple[str, Finding]]:
    """Return the entries, with their keys, that what a window shows (`evidence`) leads to."""
    events, feelings = _by_message(answer.events), _by_message(answer.feelings)
    deeds = _by_message(answer.promises)
    facts, stated = _FactReader(file, window), _by_message(answer.facts)
    findings: list[tuple[str, Finding]] = []
    felt: dict[str, Phenomenology] = {}
    for line in window:
        if line.place is None:
            continue
        id, number = line.entry.id, line.place
        read = _felt(line, feelings[number], feeling_before)
        if read is not None:
            felt[id] = read
        enriched = ExperienceEnriched(
            id,
            phenomenology=read,
            utterances=_utterances(line, events[number], deeds[number]) or None,
        )
        if enriched != ExperienceEnriched(id):
            findings.append((f"{id}#session", enriched))
        for item in stated[number]:
            findings += [(key_of(entry), entry) for entry in facts.read(line, item)]
    if felt:
        findings += felt_changes(window, felt, feeling_before, file, thresholds)
    return findings


def _by_message(items: Iterable[Item]) -> Mapping[int, list[Item]]:
    by_message: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        by_message[item.message].append(item)
    return by_message


def _sentence(line: TranscriptLine, item: EvidenceAnswer) -> tuple[int, int]:
    """Return where the whole sentence of a quote stands: nothing is cut away from it."""
    span = find_quote(line.text, item.quote)
    assert span is not None, "what is not in the message was refused"
    return sentence_around(line.text, span)


def _utterances(
    line: TranscriptLine,
    events: Sequence[EvidenceAnswer],
    deeds: Sequence[PromiseAnswer],
) -> tuple[Utterance, ...]:
    """Return the sentences that a model took for news and promises, in order."""
    kinds: dict[tuple[int, int], dict[str, float]] = defaultdict(dict)
    for item in events:
        kinds[_sentence(line, item)]["news"] = _SURE
    for deed in deeds:
        kinds[_sentence(line, deed)][deed.kind] = _SURE
    return tuple(Utterance(*span, kinds[span], {}) for span in sorted(kinds))


def _felt(
    line: TranscriptLine, feelings: Sequence[FeelingAnswer], feeling_before: FeelingBefore
) -> Phenomenology | None:
    """Return the phenomenology of a message, with the speaker's feelings that a model read."""
    before = feeling_before(line) if feelings else None
    if before is None:
        return None
    strongest = sorted(feelings, key=lambda item: -(item.intensity or 0.0))
    emotions = dict.fromkeys(item.emotion.value for item in strongest)
    signature = {
        "primary": list(emotions)[:3],
        "intensity": strongest[0].intensity,
        "valence": strongest[0].valence,
    }
    anchors = [
        {"phrase": item.quote, "significance": item.emotion.value, "sensoryChannel": "verbal"}
        for item in strongest[:2]
    ]
    given = {name: value for name, value in signature.items() if value is not None}
    return phenomenology.merge({"emotionalSignature": given, "anchors": anchors}, before)[0]


class _FactReader:
    """The facts of a space while a window is read."""

    def __init__(self, file: Store, window: Sequence[TranscriptLine]) -> None:
        self._file = file
        self._space = window[0].entry.space
        self._people = gazetteer(file, self._space)
        self._facts: dict[str, Mapping[str, Fact]] = {}
        ids, kind = [line.entry.id for line in window], EntryKind.ENTITIES_MENTIONED
        self._mentions = {
            entry.key: entry.payload.entities
            for entry in file.journal.by_keys(self._space, kind, ids)
            if isinstance(entry.payload, EntitiesMentioned)
        }

    def read(self, line: TranscriptLine, item: FactAnswer) -> Iterator[FactEntry]:
        """Yield what a fact adds to those that are known; nothing where it is known."""
        entry, speaker = line.entry, speaker_name(line.event)
        statement = _statement(item, line, speaker)
        subject = statement.subject or speaker
        if subject is None:
            return
        id = speaker_id(line.event, self._space)
        if statement.subject is not None:
            person = self._people.find(subject)
            id = None if person is None else person.id
        key = subject_key(id, subject)
        if key not in self._facts:
            self._facts[key] = fold_facts(self._file.space(self._space).facts.about([key]))
        about = things_of(statement, self._people, self._mentions.get(entry.id, ()))
        known = list(self._facts[key].values())
        for finding in assert_fact(statement, known, entry, speaker, id, by="model"):
            if isinstance(finding, FactConfirmed):
                continue
            stated: FactEntry = finding
            if isinstance(finding, FactAsserted):
                stated = replace(finding, about=about, evidence=item.quote)
            self._facts[key] = fold_facts([(stated, self._file.clock())], self._facts[key])
            yield stated


def _statement(item: FactAnswer, line: TranscriptLine, speaker: str | None) -> Statement:
    own = fold(item.subject) == fold(line.speaker)
    stated = item.predicate, item.object.strip(" .!"), item.ends
    return statement_of(None if own else item.subject, stated, DIRECT if own else REPORTED, speaker)
