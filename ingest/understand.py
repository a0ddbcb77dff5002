"""The pass of understanding: what each experience was like and about, by rule, in a few stages.

The stages stand in one tuple, each a function over one experience and what the space knows. None
asks a model or stores anything. Of a skeleton nothing is understood: what it said is only held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.entities import EntityType
from ..core.errors import Unavailable
from ..core.events import EventKind, captions_of, text_of
from ..core.facts import CONFIRMED
from ..core.ids import derived, person_id
from ..core.types import Draft, Entry, EntryKind, Json, Space
from ..core.vocabulary import Relationship, Trigger
from ..graph import session_states, tasks
from ..graph.database import Connection
from ..graph.journal_file import JournalFile
from . import phenomenology, register
from .artifacts import artifacts_of
from .concepts import concepts_of
from .entities import mentions_of
from .episode import ends
from .knowledge import Entities, Knowing, topic_of
from .lived import Lived, lived_of
from .questions import anticipated
from .reading import Event, is_message, metadata_of
from .register import Thresholds
from .relationships import typed
from .statements import statements_of
from .supersession import Source, assert_fact
from .work import Work, is_captured

Stage = Callable[[Lived, Knowing], None]

#: The name under which the dead letters of this pass are kept.
STAGE = "understanding"


def _felt(lived: Lived, _known: Knowing) -> None:
    """Say how it was lived: the caller's own word, or else the rule's."""
    given = _given_feeling(lived.event)
    felt = phenomenology.heuristic(lived.event, lived.decision)
    if given is not None:
        felt, _ = phenomenology.merge(given, felt)
    lived.phenomenology = felt
    lived.found |= {"phenomenology": felt.as_json(), "by": "rule" if given is None else "caller"}


def _given_feeling(event: Event) -> Json:
    """Return what the caller says of how it was: a remark on it, or part of a capture by hand."""
    own = metadata_of(event).get("phenomenology")
    by_hand = event["kind"] == EventKind.MANUAL_CAPTURE
    return event["payload"].get("phenomenology") if own is None and by_hand else own


def _artifacts(lived: Lived, _known: Knowing) -> None:
    """Name the files, links and media that came with it or stand in it."""
    if artifacts := artifacts_of(lived.event):
        lived.found["artifacts"] = artifacts


def _people(lived: Lived, known: Knowing) -> None:
    """Name who is spoken of besides the speaker."""
    speaker = lived.event.get("person")
    own = person_id(lived.entry.space, speaker) if speaker else None
    lived.found["people"] = [
        {"id": person.id, "name": person.name}
        for person in known.people.named_in(text_of(lived.event))
        if person.id != own
    ]


def _relationship(lived: Lived, known: Knowing) -> None:
    """Change what the speaker is to the agent, when they have been there often enough."""
    speaker = lived.event.get("person")
    person = person_id(lived.entry.space, speaker) if speaker else ""
    # Nobody else becomes anything by rule, and counting takes longer than looking.
    if not person or known.relationship(person) is not Relationship.USER:
        return
    relation = known.relation(person)
    if relation is None:
        return
    kind = typed(relation, lambda: known.sessions_of(person))
    if kind is not relation.relationship_type:
        threshold = relation.capture_threshold_override
        payload = {"person": person, "type": kind.value, "threshold": threshold, "by": "rule"}
        lived.say(EntryKind.RELATIONSHIP_CHANGED, f"{person}#{kind.value}", payload)


def _entities(lived: Lived, known: Knowing) -> None:
    """Name the things it mentions; people have labels and edges of their own."""
    space = lived.entry.space
    mentions = mentions_of(lived.event, space, known.entities, known.people, known.find)
    found = [mention for mention in mentions if mention.type is not EntityType.PERSON]
    if found:
        payload = {
            "experience": lived.entry.id,
            "entities": [mention.as_json() for mention in found],
        }
        lived.say(EntryKind.ENTITIES_MENTIONED, lived.entry.id, payload)


def _concepts(lived: Lived, known: Knowing) -> None:
    """Name what it is about, in content words."""
    said = " ".join([text_of(lived.event), *captions_of(lived.event)])
    lived.found["concepts"] = concepts_of(said, known.analyser, known.people.words)


def _transitions(lived: Lived, known: Knowing) -> None:
    """Take it into its session's register; what changed there is a transition."""
    if lived.entry.stream is None or lived.phenomenology is None:
        return
    session, id = lived.entry.stream, lived.entry.id
    after, changes = register.step(
        known.register(session, lived.seq),
        lived.phenomenology,
        topic_of(lived.event),
        lived.entry.at,
        lived.entry.key,
        known.thresholds,
    )
    known.registers[session] = after
    for place, change in enumerate(changes):
        transition = derived("transition", lived.entry.space, id, str(place))
        payload = {
            "transition": transition,
            "session": session,
            "experience": id,
            **change.as_json(),
        }
        lived.say(EntryKind.STATE_TRANSITIONED, transition, payload)


def _end(lived: Lived, known: Knowing) -> None:
    """Take the session for ended, where a boundary says so."""
    if lived.entry.stream is not None and ends(lived.event):
        known.ended.append(lived.entry.stream)


def _questions(lived: Lived, _known: Knowing) -> None:
    """Anticipate what somebody will ask that it answers, where there is something to learn."""
    if lived.trigger is Trigger.NONE:
        return
    if asked := anticipated(lived.event, lived.trigger):
        payload = {"experience": lived.entry.id, "questions": asked, "by": "rule"}
        lived.say(EntryKind.QUESTIONS_ANTICIPATED, lived.entry.id, payload)


def _facts(lived: Lived, known: Knowing) -> None:
    """Assert what a message states, and supersede what it replaces; an echo states nothing."""
    if lived.echo or not is_message(lived.event):
        return
    entry, speaker = lived.entry, lived.event.get("person")
    source = Source(entry.space, entry.id, entry.at, speaker)
    for statement in statements_of(lived.event, speaker):
        subject = statement.subject or speaker
        if subject is None:
            continue
        person = known.people.find(subject)
        id = None if person is None else person.id
        found = [
            (kind, key, payload)
            for kind, key, payload in assert_fact(
                statement, known.facts_about(id, subject), source, id
            )
            if kind != CONFIRMED
        ]
        for kind, key, payload in found:
            lived.say(EntryKind(kind), key, payload)
        known.learn(id, subject, [(kind, payload) for kind, _, payload in found])


def _repetition(lived: Lived, _known: Knowing) -> None:
    """Let what says the same again reinforce what said it first."""
    if lived.duplicate_of and not lived.echo:
        payload = {
            "experience": lived.entry.id,
            "canonical": lived.duplicate_of,
            "reason": "exact",
            "similarity": 1.0,
        }
        lived.say(EntryKind.MEMORY_REINFORCED, lived.entry.id, payload)


STAGES: tuple[Stage, ...] = (
    _felt,
    _artifacts,
    _people,
    _concepts,
    _entities,
    _relationship,
    _transitions,
    _end,
    _questions,
    _facts,
    _repetition,
)


class Understanding:
    """Runs the stages over what was captured, and over skeletons that were upgraded."""

    name, version = "enrichment", 2

    def __init__(
        self, file: JournalFile, entities: Entities, thresholds: Thresholds, batch: int
    ) -> None:
        self.batch = batch
        self._file = file
        self._thresholds = thresholds
        self._entities = entities

    def until(self, space: Space) -> int:
        """Return the journal's end."""
        return self._file.journal.head(space).seq

    def concerns(self, entry: Entry) -> bool:
        """Say whether an entry brings a whole event."""
        return entry.payload is not None and "event" in entry.payload

    def work(self, space: Space, entries: Sequence[Entry]) -> Work:
        """Run every stage over every experience; one that cannot be understood is a dead letter."""
        known = self._knowing(space)
        drafts, failed = _understood(self._living(space, entries), known)
        return Work(
            drafts, lambda connection, number: self._write(connection, number, known, failed)
        )

    def due(self, space: Space) -> list[tasks.Task]:
        """Return what could not be understood and is to be tried again now."""
        number = self._file.journal.number(space)
        with self._file.database.reading() as connection:
            due = tasks.due(connection, number, self._file.clock())
        return [task for task in due if task.stage == STAGE]

    def again(self, space: Space) -> None:
        """Try again what could not be understood and is due."""
        number = self._file.journal.number(space)
        for task in self.due(space):
            entries = [
                e for e in self._file.journal.read(space, task.seq - 1, 1) if e.seq == task.seq
            ]
            known = self._knowing(space)
            drafts, failed = _understood(self._living(space, entries), known)
            with self._file.database.writing() as connection:
                self._file.journal.append(space, drafts)
                self._write(connection, number, known, failed)
                if not failed:
                    tasks.done(connection, number, task.seq, STAGE)

    def _knowing(self, space: Space) -> Knowing:
        return Knowing(self._file, space, self._entities, self._thresholds)

    def _living(self, space: Space, entries: Sequence[Entry]) -> list[Lived]:
        """Return the experiences of some entries; that of an upgrade was captured before."""
        upgraded = {
            (entry.payload or {})["experience"]: entry
            for entry in entries
            if entry.kind is EntryKind.EXPERIENCE_REEVALUATED
        }
        captured = [*entries, *self._file.journal.by_ids(space, list(upgraded))]
        brought = [(entry, upgraded.get(entry.id, entry)) for entry in captured]
        return [
            lived_of(entry, (by.payload or {})["event"], by.seq)
            for entry, by in brought
            if is_captured(entry) and "event" in (by.payload or {})
        ]

    def _write(
        self,
        connection: Connection,
        number: int,
        known: Knowing,
        failed: Sequence[tuple[int, str]],
    ) -> None:
        for session, state in known.registers.items():
            session_states.save_register(connection, number, session, state.as_json())
        for session in known.ended:
            session_states.end(connection, number, session)
        for seq, error in failed:
            tasks.fail(connection, number, seq, STAGE, error, self._file.clock())


def _understood(
    living: Sequence[Lived], known: Knowing
) -> tuple[list[Draft], list[tuple[int, str]]]:
    """Return what was found out, and which experiences could not be understood and why."""
    drafts, failed = _met(living, known), []
    for lived in living:
        take_back = known.kept()
        try:
            for stage in STAGES:
                stage(lived, known)
        except Unavailable:
            raise  # what is missing is missing for all of them
        except Exception as error:  # noqa: BLE001 - one experience must not stop the rest
            take_back()
            failed.append((lived.seq, f"{type(error).__name__} in {STAGE}"))
        else:
            drafts += [lived.enriched(), *lived.drafts]
    return drafts, failed


def _met(living: Sequence[Lived], known: Knowing) -> list[Draft]:
    """Meet everybody who speaks, before anybody is spoken of."""
    first = {name: lived for lived in reversed(living) if (name := lived.event.get("person"))}
    names = [name for lived in living if (name := lived.event.get("person"))]
    return [
        Draft(
            EntryKind.PERSON_MET,
            id,
            {"person": id, "name": name, "aliases": []},
            first[name].entry.at,
        )
        for id, name in known.meet(names).items()
    ]
