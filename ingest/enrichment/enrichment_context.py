"""One experience during enrichment: its event, its decision, and what the stages add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...core.entries import EntityMention, EntryPayload, ExperienceEnriched
from ...core.events import captured_of, text_of
from ...core.experience import CaptureDecision, Phenomenology, Utterance
from ...core.facts import Fact
from ...core.people import Gazetteer
from ...core.types import Entry, EntryDraft, Json
from ...core.vocabulary import Trigger
from ...language.reading import factual_spans, read_message
from ...language.runs.tool_calls import Event
from ...language.sentences import Span
from ...language.tagging import TEXT_CHARS_MAX, Analysis, analyse
from ...models.tokens import Encoded
from ..capture.commit import decision_of


@dataclass
class EnrichmentContext:
    """An experience on its way through the stages; they write `found` and `drafts`.

    `found` becomes the payload of `ExperienceEnriched`. `echo` marks what came out of a recall,
    `undated` what was imported without a time.
    `mentions` are the entities that it names, `people` those that it may name. `earlier_facts` are
    those that the rules stated when they read it before, and `earlier_entries` what else they
    wrote then; `head` is the journal's end now.
    `seq` is that of the entry which brought the whole event: the capture, or an upgrade.
    """

    entry: Entry
    event: Event
    decision: CaptureDecision
    seq: int
    encode: Callable[[str], Encoded | None]
    trigger: Trigger = Trigger.NONE
    duplicate_of: str | None = None
    echo: bool = False
    undated: bool = False
    earlier_facts: Sequence[Fact] = ()
    phenomenology: Phenomenology | None = None
    mentions: Sequence[EntityMention] = ()
    people: Gazetteer = field(default_factory=lambda: Gazetteer(()))
    enriched_fields: dict[str, Json] = field(default_factory=dict)
    drafts: list[EntryDraft] = field(default_factory=list)
    earlier_entries: Sequence[Entry] = ()
    head: int = 0

    @property
    def analysed_text(self) -> str:
        """What is analysed of the event's own text."""
        return text_of(self.event)[:TEXT_CHARS_MAX]

    @cached_property
    def utterances(self) -> tuple[Utterance, ...]:
        """The sentences of the event's own text, and what each does."""
        return read_message(self.analysed_text)

    @cached_property
    def factual(self) -> list[Span]:
        """Where the sentences stand that tell what is so."""
        return factual_spans(self.utterances)

    @cached_property
    def analysis(self) -> Analysis:
        """The shallow analysis of the event's own text."""
        return analyse(self.analysed_text, self.encode)

    def add_entry(self, key: str, payload: EntryPayload) -> None:
        """Add an entry that this experience leads to; it happened when the experience did."""
        self.drafts.append(EntryDraft(key, payload, self.entry.at))

    def enriched_entry(self) -> EntryDraft:
        """Return the entry that says what was found out about the experience itself."""
        id = self.entry.id
        return EntryDraft(id, ExperienceEnriched(id, **self.enriched_fields), self.entry.at)

    def entries(self) -> list[EntryDraft]:
        """Return the entries that it leads to; on a repeated reading, only new ones.

        An entry that says something else is read in the place of the one before; what is not said
        any more is read as nothing.
        """
        enriched, before = self.enriched_entry(), {(e.kind, e.key): e for e in self.earlier_entries}
        if not before:
            return [enriched, *self.drafts]
        places = {(draft.kind, draft.key) for draft in (enriched, *self.drafts)}
        gone = [(e.seq, None) for place, e in before.items() if e.payload and place not in places]
        entries, replaces = [], list[tuple[int, str | None]](gone)
        for draft in self.drafts:
            earlier = before.get((draft.kind, draft.key))
            if earlier is None:
                entries.append(draft)
            elif earlier.payload != draft.payload:
                entries.append(replace(draft, key=self._key_anew(draft)))
                replaces.append((earlier.seq, entries[-1].key))
        earlier = before.get((enriched.kind, enriched.key))
        if earlier is None:
            return [enriched, *entries]
        key, payload = self._key_anew(enriched), earlier.payload
        reading = ExperienceEnriched(self.entry.id, **self.enriched_fields)
        is_same = (
            isinstance(payload, ExperienceEnriched) and replace(payload, replaces=()) == reading
        )
        if is_same and not replaces:
            return entries
        reading = replace(reading, replaces=((earlier.seq, key), *replaces))
        return [*entries, replace(enriched, key=key, payload=reading)]

    def _key_anew(self, draft: EntryDraft) -> str:
        return f"{draft.key}#again-{self.head}"


def enrichment_context_of(
    entry: Entry, event: Event, encode: Callable[[str], Encoded | None], seq: int | None = None
) -> EnrichmentContext:
    """Return a captured experience, none of whose stages has run; `event` is its whole event.

    `seq` names the entry that brought the event, where that is not the capture.
    """
    payload = captured_of(entry)
    return EnrichmentContext(
        entry=entry,
        event=event,
        decision=decision_of(payload),
        seq=entry.seq if seq is None else seq,
        encode=encode,
        trigger=payload.trigger,
        duplicate_of=payload.duplicate_of,
        echo="echo" in payload.marks,
        undated="undated" in payload.marks,
    )
