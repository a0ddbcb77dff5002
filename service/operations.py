"""The operations of the service: one table, from which HTTP routes and MCP tools are made.

An operation is a function from a memory of the right space and its parameters to a JSON object. Its
name, summary and parameters are those of the function. One that reads changes no ranking; one that
writes returns after the commit.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_type_hints

from ..core.codec import encode
from ..core.errors import InvalidInput, MeridiaError, NotFound, Stranger
from ..core.events import parse_event
from ..core.types import Acknowledgement
from ..core.vocabulary import Relationship
from ..graph.schema import EDGES, LABELS
from ..ingest.ideas import IdeaState
from ..memory import Memory
from ..resume.pack import Pack
from ..retrieval.explain.counterfactual import Edge
from ..retrieval.plans.plan import QueryAnalysis
from ..retrieval.recall_result import Hit, Recall, as_json, passage_json
from ..storage.api_keys import Access
from . import documents
from . import parameters as p
from .documents import Document, details_of, named
from .parameters import CaptureParameters, SpaceParameters


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
    return {"answers": [*map(_acknowledged, answers)], "cleaned": dict(given.cleaned)}


def _message(given: p.MessageFields) -> Document:
    return {name: getattr(given, name) for name in p.MessageFields.model_fields}


def upsert(memory: Memory, given: p.UpsertParameters) -> Document:
    """Set the text of the memory under the caller's own id, new or not."""
    return _acknowledged(memory.upsert(**given.model_dump(exclude={"space"})))


def update(memory: Memory, given: p.UpdateParameters) -> Document:
    """Correct a memory: from now on another text is found in its place."""
    more = given.model_dump(include={"at", "metadata"})
    answer = memory.update(given.address, given.text, version_id=given.id, **more)
    return _acknowledged(answer, given.cleaned)


def feedback(memory: Memory, given: p.FeedbackParameters) -> Document:
    """Give feedback on a memory, a recall or a pack, or undo it."""
    if given.undo:
        if given.id is not None:
            raise InvalidInput("undo takes no id: omit it; the same request can be repeated")
        return {"undone": memory.feedback.undo(given.address)}
    judged = given.model_dump(include={"verdict", "rating", "note"})
    return {"feedback": memory.feedback(given.address, **judged, id=given.id or "")}


def set_relationship(memory: Memory, given: p.RelationshipParameters) -> Document:
    """Set the relationship of a person to the agent."""
    if given.relationship not in list(Relationship):
        words = ", ".join(Relationship)
        raise InvalidInput(f"{given.relationship!r} is not a relationship: choose from {words}")
    type, threshold = Relationship(given.relationship), given.threshold
    memory.curation.set_relationship(given.person, type, threshold, id=given.id or "")
    return {"name": given.person, **given.model_dump(include={"relationship", "threshold"})}


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
    filters = given.model_dump(exclude={"space", "everything", "dry_run"})
    if not given.everything:
        return memory.forget(**filters, dry_run=given.dry_run).as_json()
    if any(value is not None for value in filters.values()):
        raise InvalidInput("`everything` forgets the whole space: give it without a selection")
    return memory.forget_space(dry_run=given.dry_run).as_json()


def recall(memory: Memory, given: p.RecallParameters) -> Document:
    """Recall the memories that answer a question, best first, each with its reason."""
    recall = memory.recall(**given.model_dump(exclude={"space", "trace"}))
    return as_json(recall) if given.trace else _without_traces(recall)


def _without_traces(recall: Recall) -> Document:
    """Return a recall with its reasons in one sentence each."""
    short = {"hits": _short(recall.hits)}
    if recall.lateral:
        short["lateral"] = _short(recall.lateral)
    return {**as_json(replace(recall, hits=[], lateral=[])), **short}


def _short(hits: Sequence[Hit]) -> list[Document]:
    return [
        documents.list_item(hit.memory)
        | {"rank": hit.rank, "score": hit.score, "uri": hit.memory.uri, "why": hit.summary.sentence}
        | {"passage": passage_json(hit)}
        for hit in hits
    ]


def explain(memory: Memory, given: p.ExplainParameters) -> Document:
    """Show an earlier recall with the trace of each score."""
    recall = memory.reasons.recall(given.recall)
    if given.address is not None:
        recall = replace(recall, hits=[documents.hit_at(memory, recall, given.address)])
    return as_json(recall)


def what_if(memory: Memory, given: p.WhatIfParameters) -> Document:
    """Show the rank of a memory without each edge of its trace, or without one edge."""
    if given.type and given.source and given.target:
        edge = Edge(given.type, given.source, given.target)
        edges = [memory.reasons.without(given.recall, given.address, edge)]
    elif given.type or given.source or given.target:
        raise InvalidInput("an edge needs all three: type, source and target")
    else:
        edges = memory.reasons.counterfactuals(given.recall, given.address)
    return {"items": [edge.as_json() for edge in edges]}


def recalls(memory: Memory, given: p.RecallsParameters) -> Document:
    """List the kept recalls, newest first."""
    newest = [
        {"recall": row.id, "at": row.at, "question": row.question, "memories": row.memories}
        for row in memory.reasons.newest(given.limit + 1, given.before)
    ]
    return _newest_page(newest, given.limit, "recall")


def activation(memory: Memory, given: p.ActivationParameters) -> Document:
    """Show the part of the graph that activation reached for an earlier recall, hop by hop."""
    return memory.reasons.activation(given.recall, given.limit).as_json()


def resume(memory: Memory, given: p.ResumeParameters) -> Document:
    """Summarise the history with a person who comes back, within a token budget."""
    return _pack(memory.resume(**given.model_dump(exclude={"space"})))


def reconstitute(memory: Memory, given: p.ReconstituteParameters) -> Document:
    """Write a pack for an agent that starts or continues work."""
    return _pack(memory.reconstitute(**given.model_dump(exclude={"space"})))


def _pack(made: Pack | Stranger | None) -> Document:
    """Return a pack; `pack` is null where there is none, and `text` is the message for an agent."""
    if isinstance(made, Pack):
        return dict(made.as_json())
    near = list(made.near) if isinstance(made, Stranger) else []
    notes = list(made.notes) if isinstance(made, Stranger) else []
    text = "" if made is None else made.text
    return {"pack": None, "text": text, "near": near, "notes": notes}


def plan(memory: Memory, given: p.PlanParameters) -> Document:
    """Select the sources that answer a question; with `load`, their text."""
    limits = given.model_dump(include={"limit", "as_of", "known_at"})
    planned = memory.planning.plan(QueryAnalysis(given.question, given.purpose), **limits)
    document = dict(planned.as_json())
    if given.load:
        document["documents"] = [d.as_json() for d in memory.planning.load(planned)]
    return document


def query(memory: Memory, given: p.QueryParameters) -> Document:
    """Query the graph of the space in Cypher, read-only."""
    table = memory.query(given.statement, given.parameters, wait_s=given.wait_s)
    return table.as_json() | {"notes": list(table.notes)}


def reflect(memory: Memory, given: p.PeriodParameters) -> Document:
    """Summarise a period: emotions, engagement, themes, what recurs."""
    return memory.reflect(**given.model_dump(exclude={"space"})).as_json()


def list_(memory: Memory, given: p.ListParameters) -> Document:
    """List memories in the order they were captured."""
    page = memory.list(**given.model_dump(exclude={"space"}))
    memories = [documents.list_item(memory) for memory in page.memories]
    return {"memories": memories, "next_after": page.next_after}


def relationship(memory: Memory, given: p.PersonParameters) -> Document:
    """Tell the story shared with a person."""
    memory.catch_up()
    story = memory.people.relationship(given.person)
    if isinstance(story, Stranger):
        return {"stranger": story.name, "near": list(story.near)}
    return story.as_json()


def transitions(memory: Memory, given: p.SessionParameters) -> Document:
    """Show the transitions of one session, or of all."""
    memory.catch_up()
    keys = [session.id for session in memory.sessions()]
    if given.session is not None:
        keys = [key for key in keys if key == given.session]
        if not keys:
            raise NotFound(f"there is no session {given.session!r}: `sessions` lists them")
    page = _page(keys, given)
    return {**page, "items": [documents.arc(memory.chronicle.arc(k)) for k in page["items"]]}


def facts(memory: Memory, given: p.FactParameters) -> Document:
    """List facts: when they are valid, and when they were recorded."""
    memory.catch_up()
    facts = memory.chronicle.facts(given.as_of, given.known_at)
    about = given.about and given.about.casefold()
    records = [f.record() for f in facts if about in (None, f.subject.casefold(), f.subject_id)]
    return _page(records, given)


def trace(memory: Memory, given: p.PageParameters) -> Document:
    """Read the log of decisions: captures, recalls, refusals."""
    lines: list[Document] = []
    for line in memory.upkeep.trace(given.after):
        if len(lines) == given.limit:
            return {"items": lines, "next_after": lines[-1]["number"]}
        lines.append(line.as_json())
    return {"items": lines, "next_after": None}


def schema(memory: Memory, given: p.SpaceParameters) -> Document:  # noqa: ARG001 - called alike
    """Show the graph's labels and edge types, and how many there are of each."""
    counts = memory.graph.counts()
    return {
        "labels": {label.name: counts.get(label.name, 0) for label in LABELS.values()},
        "edges": {name: counts.get(name, 0) for name in EDGES},
    }


def status(memory: Memory, given: p.SpaceParameters) -> Document:  # noqa: ARG001 - called alike
    """Show what the space holds and the lag of each projection."""
    return documents.status(memory.status(graph=True))


def doctor(memory: Memory, given: p.DoctorParameters) -> Document:
    """Explain what is wrong with the space, and name the command that repairs it."""
    return {"items": [finding.as_json() for finding in memory.upkeep.doctor(quick=given.quick)]}


def _page(items: Sequence[Any], given: p.PageParameters) -> Document:
    """Return a page of a list that the library gives whole; `next_after` counts items."""
    end = given.after + given.limit
    return {
        "items": list(items[given.after : end]),
        "next_after": end if end < len(items) else None,
    }


def episodes(memory: Memory, given: p.SessionParameters) -> Document:
    """List the episodes of one session, or of all."""
    memory.catch_up()
    return _page([encode(e) for e in memory.chronicle.episodes(given.session)], given)


def why_not(memory: Memory, given: p.ExplainMemoryParameters) -> Document:
    """Explain why a memory is not in an earlier recall."""
    return dict(memory.reasons.why_not(given.recall, given.address).as_json())


def replay(memory: Memory, given: p.ReplayParameters) -> Document:
    """Ask an earlier question again with the same inputs, and compare."""
    return memory.reasons.replay(given.recall).as_json()


def duplicates(memory: Memory, given: p.PageParameters) -> Document:
    """List pairs of entities that may be the same, likeliest first; nothing is merged."""
    memory.catch_up()
    return _page([pair.as_json() for pair in memory.curation.duplicates()], given)


def ideas(memory: Memory, given: p.IdeasParameters) -> Document:
    """List pairs of memories that may belong together, most insightful first."""
    state = None if given.state == "all" else IdeaState(given.state)
    return _page([idea.as_json() for idea in memory.ideas.listed(state)], given)


def failures(memory: Memory, given: p.PageParameters) -> Document:
    """List failures of enrichment, dead letters first."""
    return _page(documents.failures(memory), given)


def journal(memory: Memory, given: p.JournalParameters) -> Document:
    """List journal entries, newest first: their kinds and times, not their content."""
    newest = documents.entries(memory, given.limit + 1, given.before)
    return _newest_page(newest, given.limit, "seq")


def _newest_page(newest: Sequence[Document], limit: int, key: str) -> Document:
    """Return a page that begins with the newest; `next_before` is the key of its last."""
    before = newest[limit - 1][key] if len(newest) > limit else None
    return {"items": list(newest[:limit]), "next_before": before}


def show(memory: Memory, given: p.AddressParameters) -> Document:
    """Show one memory by its address."""
    return details_of(memory, given.address).as_json()


def history(memory: Memory, given: p.AddressParameters) -> Document:
    """Show every version of a memory, oldest first."""
    return {"items": [documents.version(version) for version in memory.history(given.address)]}


def people(memory: Memory, given: p.PageParameters) -> Document:
    """List the people of the space."""
    memory.catch_up()
    return _page(documents.people(memory), given)


def sessions(memory: Memory, given: p.PageParameters) -> Document:
    """List the sessions of the space."""
    memory.catch_up()
    return _page(documents.sessions(memory), given)


def entities(memory: Memory, given: p.PageParameters) -> Document:
    """List people, concepts and entities, most shared first."""
    memory.catch_up()
    return _page(documents.entities(memory, given.after + given.limit + 1), given)


def artifacts(memory: Memory, given: p.PageParameters) -> Document:
    """List files, links and media that memories refer to, the latest first."""
    return _page(documents.artifacts(memory, given.after + given.limit + 1), given)


Parameters = SpaceParameters | CaptureParameters


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; `takes_query` where HTTP asks with GET."""

    run: Callable[[Memory, Any], Document]
    access: Access = Access.READ
    takes_query: bool = False
    is_destructive: bool = False

    @property
    def name(self) -> str:
        """Its name in MCP and in logs."""
        return self.run.__name__.rstrip("_")

    @property
    def is_reading(self) -> bool:
        """Whether it changes nothing."""
        return self.access is Access.READ or self.takes_query

    @property
    def path(self) -> str:
        """Where HTTP has it."""
        return "/v1/" + self.name.replace("_", "-")

    @property
    def summary(self) -> str:
        """What it does, in a sentence or two."""
        return inspect.getdoc(self.run) or ""

    @property
    def parameters(self) -> type[Parameters]:
        """The model of what it takes."""
        model: type[Parameters] = get_type_hints(self.run)["given"]
        return model


OPERATIONS = (
    *(
        Operation(run, Access.WRITE)
        for run in (
            capture,
            remember,
            feedback,
            propose_ideas,
            decide_idea,
            capture_batch,
            remember_batch,
            update,
            upsert,
            set_relationship,
            merge,
            unmerge,
            name_person,
            refuse_name,
        )
    ),
    Operation(forget, Access.ADMIN, is_destructive=True),
    Operation(doctor, Access.ADMIN, takes_query=True),
    *(Operation(run) for run in (recall, resume, reconstitute, plan, query, list_)),
    *(
        Operation(run, takes_query=True)
        for run in (
            explain,
            why_not,
            reflect,
            show,
            ideas,
            what_if,
            replay,
            recalls,
            activation,
            history,
            people,
            relationship,
            sessions,
            entities,
            duplicates,
            transitions,
            facts,
            episodes,
            artifacts,
            schema,
            status,
            failures,
            journal,
            trace,
        )
    ),
)
