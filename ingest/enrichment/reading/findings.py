"""The entries made of a model's reading of a session, of the same kinds that rules write.

They are marked with their origin and stand beside the rules' entries; nothing is recorded twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ....core.entries import (
    EntitiesMentioned,
    EpisodeSynthesised,
    ExperienceEnriched,
    FactAsserted,
    FactEntry,
    StateTransitioned,
)
from ....core.events import speaker_id, speaker_name
from ....core.experience import Phenomenology, Utterance
from ....core.facts import Fact, FactConfirmed, fold_facts
from ....core.ids import fold
from ....core.settings import TransitionsSettings
from ....core.text import find_quote, shorten
from ....core.types import EntryKind
from ....models.answer_types import (
    ClosingAnswer,
    EvidenceAnswer,
    FactAnswer,
    FeelingAnswer,
    PromiseAnswer,
    SessionAnswer,
)
from ....storage.projections.entry_indexes import subject_key
from ....storage.store import Store
from ...extraction import phenomenology
from ...extraction.facts.fact_things import things_of
from ...extraction.facts.statement_extraction import DIRECT, REPORTED, Statement, statement_of
from ...extraction.facts.supersession import StatementSource, assert_fact, key_of
from ...people_cache import gazetteer
from .evidence import sentence_around
from .felt_changes import felt_changes
from .transcript import TranscriptLine

#: How likely a sentence is what a model takes it for.
_SURE = 0.95
#: Prose of a session that was read in parts, characters.
_PROSE_CHARS_MAX = 4_000
#: The phenomenology of an experience as recorded; None where the caller stated it.
FeelingBefore = Callable[[TranscriptLine], Phenomenology | None]

Item = TypeVar("Item", bound=EvidenceAnswer)
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
    deed_items: list[PromiseAnswer | ClosingAnswer] = [*answer.promises, *answer.closings]
    deeds = _by_message(deed_items)
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
    deeds: Sequence[PromiseAnswer | ClosingAnswer],
) -> tuple[Utterance, ...]:
    """Return the sentences that a model took for news, promises and closings, in order."""
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
        source = StatementSource(self._space, entry.id, entry.at, speaker, by="model")
        about = things_of(statement, self._people, self._mentions.get(entry.id, ()))
        for finding in assert_fact(statement, list(self._facts[key].values()), source, id):
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
