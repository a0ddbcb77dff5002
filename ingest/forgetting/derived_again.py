"""What takes the place of what was derived from memories that are forgotten, for those that stay.

A change of a session's register may have begun where a forgotten memory left it; a fact that a
forgotten one ended holds until the next that stays; one that a message that stays says too is read
from there. Episodes are told again when their sessions are, and asked questions are not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...core.entries import ExperienceEnriched, FactSuperseded
from ...core.events import event_of, is_restricted
from ...core.experience import RegisterState
from ...core.facts import Fact, fold_facts
from ...core.ids import derived
from ...core.settings import TransitionsSettings
from ...core.time import to_text
from ...core.types import EntryDraft, EntryKind, Space
from ...core.vocabulary import FactRelation
from ...storage.forgetting.erasure import Selection
from ...storage.store import Store
from ..capture.event_view import metadata_of
from ..enrichment import register
from ..enrichment.batch_state import speaker_of, topic_of
from ..enrichment.passes import is_captured
from ..enrichment.rule_pass import FACTS_STAGE

#: A fact said in so many messages that stay needs no reading of all of them.
_READ_AGAIN_MAX = 200
Drafts = Callable[[], Sequence[EntryDraft]]


def derive_again(
    file: Store, space: Space, thresholds: TransitionsSettings, selection: Selection
) -> Drafts:
    """Look at what is to be forgotten; return what then makes the entries that take its place.

    Messages that may state a forgotten fact are scheduled to be read again.
    """
    gone = set(selection.facts)
    facts = fold_facts(file.space(space).facts.related(sorted(gone)))
    read_again = _stating(file, space, selection, [facts[id] for id in gone if id in facts])

    def drafts() -> Sequence[EntryDraft]:
        tasks = file.space(space).tasks
        for seq in read_again:
            tasks.schedule(seq, FACTS_STAGE, "a fact that it may state was forgotten")
        return [*_successions(facts, gone), *_transitions(file, space, thresholds, selection)]

    return drafts


def _stating(
    file: Store, space: Space, selection: Selection, facts: Sequence[Fact]
) -> Sequence[int]:
    """Return the memories that stay and have all the words of a fact, as it was said, together."""
    index, gone = file.space(space).full_text, set(selection.seqs)
    phrases = set().union(*(file.analyser.readings(fact.object) for fact in facts))
    stating = {seq for terms in phrases for seq in index.phrase(terms)} - gone
    return sorted(stating)[:_READ_AGAIN_MAX]


def _successions(facts: Mapping[str, Fact], gone: set[str]) -> Iterator[EntryDraft]:
    """Let what a forgotten fact ended be ended by what came after that."""
    for fact in facts.values():
        if fact.id in gone or fact.superseded_by not in gone:
            continue
        later: Fact | None = fact
        while later is not None and later.superseded_by in gone:
            later = facts.get(later.superseded_by or "")
        later = facts.get(later.superseded_by or "") if later else None
        if later is None or later.is_end_record or later.predicate != fact.predicate:
            continue
        reason, at = f"since then: {later.text}", to_text(max(later.t_valid, fact.t_valid))
        ended = FactSuperseded(fact.id, later.id, FactRelation.SUPERSEDES, at, reason, later.by)
        yield EntryDraft(f"{fact.id} {ended.relation} {later.id}", ended)


def _transitions(
    file: Store, space: Space, thresholds: TransitionsSettings, selection: Selection
) -> Iterator[EntryDraft]:
    """Tell again how the register changed in sessions of which something is left."""
    for session in selection.sessions:
        state = RegisterState()
        entries = {e.id: e for e in file.journal.stream(space, session) if is_captured(e)}
        kind = EntryKind.EXPERIENCE_ENRICHED
        for enriched in file.journal.by_keys(space, kind, list(entries)):
            entry, payload = entries[enriched.key], enriched.payload
            event = event_of(entry)
            if not isinstance(payload, ExperienceEnriched) or payload.phenomenology is None:
                continue
            if is_restricted(metadata_of(event)):
                continue
            person = speaker_of(event, space)
            state, changes = register.step(
                state,
                payload.phenomenology,
                topic_of(event),
                entry.at,
                entry.key,
                thresholds,
                person,
            )
            for place, change in enumerate(changes):
                if change.before is not None:  # what began with a memory that stays, stands
                    id = derived("transition", space, entry.id, str(place))
                    changed = register.transitioned(change, id, session, entry.id, person)
                    yield EntryDraft(id, changed, entry.at)
