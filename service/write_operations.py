"""The operations that write: each returns after the commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace

from ..core.errors import InvalidInput, MeridiaError
from ..core.events import parse_event
from ..core.types import Acknowledgement
from ..core.vocabulary import Relationship
from ..memory import Memory
from . import write_parameters as p
from .documents import Document, named
from .parameters import SpaceParameters


def capture(memory: Memory, given: p.CaptureParameters) -> Document:
    """Capture one event. It is in the journal when the answer comes."""
    fields = given.as_json()
    fields.pop("space", None)
    return _acknowledged(memory.capture(parse_event(fields, given.cleaned)))


def capture_batch(memory: Memory, given: p.CaptureBatchParameters) -> Document:
    """Capture several events in one transaction; each has its own answer."""
    answers = [_answer(answer) for answer in memory.capture_many(given.events)]
    return {"answers": answers, "cleaned": dict(given.cleaned)}


def _answer(answer: Acknowledgement | MeridiaError) -> Document:
    if isinstance(answer, MeridiaError):
        return {"outcome": "refused", "code": answer.code, "detail": str(answer)}
    return _acknowledged(answer)


def _acknowledged(answer: Acknowledgement, cleaned: Mapping[str, int] | None = None) -> Document:
    """Return an answer with what was replaced before the event was made of what was given."""
    answer = replace(answer, cleaned=dict(Counter(answer.cleaned) + Counter(cleaned)))
    return {**asdict(answer), "outcome": answer.outcome.value}


def remember(memory: Memory, given: p.RememberParameters) -> Document:
    """Remember one message, tool result or note."""
    return _acknowledged(memory.remember(**_message(given)), given.cleaned)


def remember_batch(memory: Memory, given: p.RememberBatchParameters) -> Document:
    """Remember several messages, all or none."""
    answers = memory.remember_many(given.messages, person=given.person, session=given.session)
    return {
        "answers": [_acknowledged(answer) for answer in answers],
        "cleaned": dict(given.cleaned),
    }


def _message(given: p.MessageFields) -> Document:
    return {name: getattr(given, name) for name in p.MessageFields.model_fields}


def upsert(memory: Memory, given: p.UpsertParameters) -> Document:
    """Set the text of the memory under the caller's own id, new or not."""
    return _acknowledged(memory.upsert(**given.model_dump(exclude={"space"})))


def update(memory: Memory, given: p.UpdateParameters) -> Document:
    """Correct a memory: from now on another text is found in its place."""
    answer = memory.update(
        given.address,
        given.text,
        at=given.at,
        metadata=given.metadata,
        version_id=given.id,
    )
    return _acknowledged(answer, given.cleaned)


def feedback(memory: Memory, given: p.FeedbackParameters) -> Document:
    """Give feedback on a memory, a recall or a pack, or undo it."""
    if given.undo:
        if given.id is not None:
            raise InvalidInput("undo takes no id: omit it; the same request can be repeated")
        return {"undone": memory.feedback.undo(given.address)}
    return {
        "feedback": memory.feedback(
            given.address, given.verdict, given.rating, given.note, id=given.id or ""
        )
    }


def set_relationship(memory: Memory, given: p.RelationshipParameters) -> Document:
    """Set the relationship of a person to the agent."""
    if given.relationship not in list(Relationship):
        words = ", ".join(Relationship)
        raise InvalidInput(f"{given.relationship!r} is not a relationship: choose from {words}")
    type, threshold = Relationship(given.relationship), given.threshold
    memory.curation.set_relationship(given.person, type, threshold, id=given.id or "")
    return {
        "name": given.person,
        "relationship": given.relationship,
        "threshold": given.threshold,
    }


def merge(memory: Memory, given: p.MergeParameters) -> Document:
    """Merge an entity into another, or a person into another."""
    memory.catch_up()
    entity, into = memory.curation.merge(given.entity, given.into, id=given.id or "")
    return {"entity": named(entity), "into": named(into)}


def unmerge(memory: Memory, given: p.EntityParameters) -> Document:
    """Undo the merge of an entity or a person."""
    memory.catch_up()
    entity = memory.curation.unmerge(given.entity, id=given.id or "")
    return {"entity": named(entity)}


def name_person(memory: Memory, given: p.PersonNameParameters) -> Document:
    """Set the name of a person; default: the owner of the space."""
    person = memory.people.name(given.name, given.person, id=given.id or "")
    return {"person": named(person)}


def refuse_name(memory: Memory, given: p.PersonNameParameters) -> Document:
    """Refuse a name of a person, even if it was learned."""
    person = memory.people.refuse(given.name, given.person, id=given.id or "")
    return {"person": named(person), "refused": given.name}


def propose_ideas(memory: Memory, given: SpaceParameters) -> Document:  # noqa: ARG001
    """Look for pairs of memories that may belong together. Nothing is stored in the graph."""
    memory.catch_up()
    return {"items": [idea.as_json() for idea in memory.ideas.propose()]}


def decide_idea(memory: Memory, given: p.DecisionParameters) -> Document:
    """Store a proposed pair as an association, or reject it. A person decides, not an agent."""
    decide = memory.ideas.approve if given.decision == "approve" else memory.ideas.reject
    return decide(given.idea).as_json()


def forget(memory: Memory, given: p.ForgetParameters) -> Document:
    """Forget for good what matches the filters; only say what would go unless dry_run is false."""
    filters = {
        "person": given.person,
        "session": given.session,
        "ids": given.ids,
        "where": given.where,
        "kind": given.kind,
        "before": given.before,
    }
    if not given.everything:
        return memory.forget(**filters, dry_run=given.dry_run).as_json()  # type: ignore[arg-type]
    if any(value is not None for value in filters.values()):
        raise InvalidInput("`everything` forgets the whole space: give it without a selection")
    return memory.forget_space(dry_run=given.dry_run).as_json()
