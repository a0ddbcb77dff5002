"""Reference tracking: does the agent use a shown memory in its next turns?

Runs when a session ends, over answers that were stored before one of its turns. The result is one
journal entry for each answer, so that a rebuild needs no encoder. It reads only the agent's own
turns; without any it records nothing: silence does not prove that nothing helped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta

import numpy as np

from ...core.entries import (
    EntitiesMentioned,
    ExperienceCaptured,
    ExperienceEnriched,
    TrackedFeedback,
)
from ...core.events import EventKind, speaker_name, text_of
from ...core.ids import fold, session_id
from ...core.types import Entry, EntryDraft, EntryKind, Filters, Space
from ...language.glance import style_measures
from ...language.runs.tool_calls import Event
from ...language.sentences import split_sentences
from ...models.tokens import Embedder
from ...storage.projections.feedback_table import ShownAnswer
from ...storage.store import Store
from ...storage.vectors import Matrix, VectorIndex, VectorIndexes

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
#: A difference as large as this makes a measure wholly unlike: words a sentence, and three shares.
_DIFFERENCES_MAX = (20.0, 0.2, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class ReplyStyle:
    """How a reply compares with the baseline of `replies` earlier ones.

    `similarity` is 0 to 1. `personal` is how much larger the share of its words is that are I, we
    or you; `contextual` the share of its terms that nobody in the session had said, and that what
    was shown brings.
    """

    similarity: float
    personal: float
    contextual: float
    replies: int


def style_continuity(
    reply: str, baseline: Sequence[str], contextual: float = 0.0
) -> ReplyStyle | None:
    """Compare a reply with earlier ones; None where there is none to compare with."""
    if not baseline:
        return None
    own, before = style_measures(reply), [style_measures(text) for text in baseline]
    means = [sum(column) / len(before) for column in zip(*before, strict=True)]
    differences = [
        min(abs(own_value - mean) / most, 1.0)
        for own_value, mean, most in zip(own, means, _DIFFERENCES_MAX, strict=True)
    ]
    similarity = 1 - sum(differences) / len(differences)
    return ReplyStyle(
        round(similarity, 3), round(own[1] - means[1], 3), round(contextual, 3), len(before)
    )


#: A turn is looked at for so long after an answer was given.
ANSWER_WINDOW = timedelta(hours=1)
#: Turns of the agent that are searched after an answer.
TURNS_MAX = 10
#: A sentence and a memory this near in meaning (cosine) say the same in other words. Between the
#: two bounds nothing is certain: such a memory is neither referenced nor ignored.
PARAPHRASE_MIN, UNRELATED_MAX = 0.48, 0.35
#: Sentences of one turn that are compared with what was shown.
SENTENCES_MAX = 50
#: A memory is referred to from here on: one anchor, or two of its names and topics.
_REFERENCE_MIN, _ANCHOR_WEIGHT, _WORD_WEIGHT = 1.0, 1.0, 0.5
#: What a memory gets, hundredths.
REFERENCED, IGNORED = 25, -5
#: First replies that make the baseline of style, and messages looked through for them.
_BASELINE, _SCAN_MAX = 5, 200


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """One turn of a session: its entry, and its whole event where that is held."""

    entry: Entry
    event: Event

    @property
    def is_agent(self) -> bool:
        """Whether the agent says it."""
        return str(self.event["kind"]) == EventKind.ASSISTANT_MESSAGE

    @property
    def text(self) -> str:
        """What is said."""
        return text_of(self.event)


@dataclass(slots=True)
class ReferenceCues:
    """By what a memory is known again: phrases, and stems with the word that they stand for."""

    anchors: list[str] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tracked:
    """What became of one answer, and which memories may have been used or not."""

    payload: TrackedFeedback
    unclear: set[str]


class SentenceVectors:
    """The vectors of the sentences of turns, each turn embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._rows: dict[str, Matrix] = {}

    def of(self, turn: SessionTurn) -> Matrix:
        """Return one row for each of the first sentences of a turn."""
        if turn.entry.id not in self._rows:
            sentences = split_sentences(turn.text)[:SENTENCES_MAX]
            self._rows[turn.entry.id] = self.embedder.embed(sentences)
        return self._rows[turn.entry.id]


class ReferenceTracker:
    """Looks for what was shown in the turns that followed."""

    def __init__(
        self,
        file: Store,
        embedder: Callable[[], Embedder | None] = lambda: None,
        indexes: VectorIndexes | None = None,
    ) -> None:
        """Track over a file; without an embedder and its indexes, by words alone."""
        self._file = file
        self._embedder = embedder
        self._indexes = indexes

    def drafts(self, space: Space, session: str, turns: Sequence[SessionTurn]) -> list[EntryDraft]:
        """Return what became of every answer that was kept before a turn of a session that ends."""
        agent = [turn for turn in turns if turn.is_agent]
        if not agent:
            return []
        since = turns[0].entry.recorded_at - ANSWER_WINDOW
        until = max(turn.entry.recorded_at for turn in turns) + ANSWER_WINDOW
        answers = self._file.space(space).feedback.shown_before(session, since, until)
        embedder = self._embedder()
        meanings = SentenceVectors(embedder) if embedder and self._indexes else None
        tracked = [self._tracked(space, turns, answer, meanings) for answer in answers]
        outcomes = [outcome for outcome in tracked if outcome is not None]
        return [
            EntryDraft(outcome.payload.reconstitution or "", replace(outcome.payload, effects=own))
            for outcome, own in zip(outcomes, _effects_per_session(outcomes), strict=True)
        ]

    def _tracked(
        self,
        space: Space,
        turns: Sequence[SessionTurn],
        shown: ShownAnswer,
        meanings: SentenceVectors | None,
    ) -> Tracked | None:
        """Return what became of one answer but for its effects; None where nothing tells."""
        after = [
            turn
            for turn in turns
            if turn.is_agent
            and turn.entry.seq >= shown.turn
            and turn.entry.recorded_at - shown.at <= ANSWER_WINDOW
        ][:TURNS_MAX]
        here = {turn.entry.id for turn in turns}
        memories = [id for id in shown.memories if id not in here]
        if not after or not memories:
            return None
        cues = self._cues(space, memories)
        hits = self._new_cues(turns, after, shown, cues)
        referenced = {
            id for id, words in hits.items() if _weight(words, cues[id]) >= _REFERENCE_MIN
        }
        nearness = self._nearness(space, memories, after, meanings)
        referenced |= {id for id, near in nearness.items() if near >= PARAPHRASE_MIN}
        unclear = {id for id in memories if hits[id] or nearness.get(id, 0.0) > UNRELATED_MAX}
        style = self._style(space, turns, after[0], hits)
        payload = TrackedFeedback(
            reconstitution=shown.id,
            mode=shown.mode,
            session=after[0].entry.stream,
            shown=tuple(memories),
            referenced=tuple(id for id in memories if id in referenced),
            anchors=tuple(sorted({word for id in referenced for word in hits[id]})),
            auto_score=len(referenced) / len(memories),
            style=None if style is None else asdict(style),
            note=None if style is None else f"style continuity {style.similarity:.2f}",
            effects={},
            by="rule",
        )
        return Tracked(payload, unclear - referenced)

    def _cues(self, space: Space, memories: Sequence[str]) -> dict[str, ReferenceCues]:
        """Return anchors, topics and names of each memory, as enrichment found them."""
        cues = {id: ReferenceCues() for id in memories}
        journal = self._file.journal
        for entry in journal.by_keys(space, EntryKind.EXPERIENCE_ENRICHED, memories):
            enrichment, memory_cues = entry.payload, cues[entry.key]
            if not isinstance(enrichment, ExperienceEnriched):
                continue
            if enrichment.phenomenology is not None:
                memory_cues.anchors += [
                    anchor.phrase for anchor in enrichment.phenomenology.anchors
                ]
            memory_cues.words.update(enrichment.concepts or {})
            for person in enrichment.people or ():
                self._add_name(memory_cues, person.name)
        for entry in journal.by_keys(space, EntryKind.ENTITIES_MENTIONED, memories):
            if isinstance(entry.payload, EntitiesMentioned):
                for entity in entry.payload.entities:
                    self._add_name(cues[entry.key], entity.name)
        for entry in journal.by_ids(space, memories):
            event = entry.payload.event if isinstance(entry.payload, ExperienceCaptured) else None
            if name := (event or {}).get("person"):
                self._add_name(cues[entry.id], name)
        return cues

    def _add_name(self, cues: ReferenceCues, name: str) -> None:
        for _, stem in self._file.analyser.words(name):
            if stem is not None:
                cues.words.setdefault(stem, name)

    def _new_cues(
        self,
        turns: Sequence[SessionTurn],
        after: Sequence[SessionTurn],
        shown: ShownAnswer,
        cues: Mapping[str, ReferenceCues],
    ) -> dict[str, set[str]]:
        """Return by memory the anchors and words that the agent was the first to bring up.

        What the question or an earlier turn says already, or who is there, proves nothing.
        """
        wanted = {turn.entry.id for turn in after}
        people = {turn.event.get("person") or "" for turn in turns}
        earlier_terms = set(self._file.analyser.terms(" ".join([shown.question, *people])))
        earlier_text = fold(shown.question)
        hits: dict[str, set[str]] = {id: set() for id in cues}
        for turn in turns:
            text, terms = fold(turn.text), set(self._file.analyser.terms(turn.text))
            if turn.entry.id in wanted:
                for id, memory_cues in cues.items():
                    fresh = (terms - earlier_terms) & memory_cues.words.keys()
                    hits[id] |= {memory_cues.words[stem] for stem in fresh}
                    hits[id] |= {
                        a
                        for a in memory_cues.anchors
                        if _contains_phrase(a, text) and not _contains_phrase(a, earlier_text)
                    }
            earlier_terms |= terms
            earlier_text += "\n" + text
        return hits

    def _nearness(
        self,
        space: Space,
        memories: Sequence[str],
        after: Sequence[SessionTurn],
        meanings: SentenceVectors | None,
    ) -> dict[str, float]:
        """Return how near the nearest sentence comes to each memory that has a vector (cosine)."""
        if meanings is None or self._indexes is None:
            return {}
        entries = self._file.journal.by_ids(space, memories)
        until = max(int(turn.entry.seq) for turn in after)
        embedder = meanings.embedder
        index = self._indexes.index(space, embedder.model, embedder.dimension, until)
        sentence_rows = np.concatenate([meanings.of(turn) for turn in after])
        memory_rows = {entry.id: _vectors(index, [int(entry.seq)]) for entry in entries}
        return {
            id: float((rows @ sentence_rows.T).max())
            for id, rows in memory_rows.items()
            if len(rows) and len(sentence_rows)
        }

    def _style(
        self,
        space: Space,
        turns: Sequence[SessionTurn],
        reply: SessionTurn,
        hits: Mapping[str, set[str]],
    ) -> ReplyStyle | None:
        """Compare the first reply with the agent's first ones in sessions with the same person."""
        people = [p for turn in turns if not turn.is_agent and (p := speaker_name(turn.event))]
        if not people:
            return None
        catalog, before = self._file.catalog, turns[0].entry.at
        seq_max = turns[-1].entry.seq
        met = Filters(person=people[0], until=before, seq_max=seq_max)
        sessions = {m.session for m in catalog.newest(space, met, _SCAN_MAX)} - {None}
        asked = Filters(kind=EventKind.ASSISTANT_MESSAGE, until=before, seq_max=seq_max)
        firsts: dict[str, str] = {}
        for memory in catalog.newest(space, asked, _SCAN_MAX):
            if memory.session in sessions and memory.session is not None:
                firsts[memory.session] = memory.text  # newest first: the last one was the first
        own = turns[0].entry.stream
        texts = [text for key, text in firsts.items() if session_id(space, key) != own]
        terms = set(self._file.analyser.terms(reply.text))
        brought = {stem for words in hits.values() for w in words for stem in self._stems(w)}
        return style_continuity(
            reply.text, texts[:_BASELINE], len(terms & brought) / max(len(terms), 1)
        )

    def _stems(self, text: str) -> list[str]:
        return self._file.analyser.terms(text)


def _effects_per_session(outcomes: Sequence[Tracked]) -> list[dict[str, tuple[str, int]]]:
    """Return what each answer gives to its memories; asking again and again gives nothing more.

    A memory counts once a session: in the newest answer after which it was referred to, or else
    in the newest that showed it. What may have been used gets nothing, and loses nothing.
    """
    payloads = [outcome.payload for outcome in outcomes]
    owner = {id: place for place, payload in enumerate(payloads) for id in payload.shown}
    owner |= {id: place for place, payload in enumerate(payloads) for id in payload.referenced}
    unclear = {id for outcome in outcomes for id in outcome.unclear}
    return [
        {
            id: ("referenced", REFERENCED) if id in payload.referenced else ("ignored", IGNORED)
            for id in payload.shown
            if owner[id] == place and (id in payload.referenced or id not in unclear)
        }
        for place, payload in enumerate(payloads)
    ]


def _weight(words: set[str], cues: ReferenceCues) -> float:
    return sum(_ANCHOR_WEIGHT if word in cues.anchors else _WORD_WEIGHT for word in words)


def _contains_phrase(phrase: str, text: str) -> bool:
    """Return whether a phrase stands in a folded text, as whole words."""
    return re.search(rf"(?<!\w){re.escape(fold(phrase))}(?!\w)", text) is not None


def _vectors(index: VectorIndex, seqs: Sequence[int]) -> Matrix:
    """Return all rows of the vectors of some sequences."""
    places = index.places(np.array(seqs, np.int64))
    ends = np.append(index.starts[1:], len(index.rows))
    rows = [index.rows[index.starts[at] : ends[at]] for at in places[places >= 0].tolist()]
    return np.concatenate(rows) if rows else index.rows[:0]
