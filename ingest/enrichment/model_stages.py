"""What a model is asked about an entry of the journal, and what its answer is written down as.

A stage is one function: from an entry to a question, or to None where a rule is enough, where the
answer is there already, or where what happened was erased. No model is called here and nothing is
written; what a rule found stands beside the opinion, and nothing is ever thrown away for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from ...core.errors import NotFound
from ...core.events import EventKind, captions_of, event_of, text_of
from ...core.experience import Phenomenology
from ...core.facts import Fact, fold_facts
from ...core.json_validation import without_none
from ...core.settings import ModelSettings
from ...core.text import shorten
from ...core.time import to_text
from ...core.types import Entry, EntryKind, MemoryRecord, Payload, Space
from ...core.vocabulary import CaptureMode, FactRelation, RecordStatus, Trigger
from ...models.answer_types import (
    DecisionAnswer,
    EpisodeAnswer,
    PhenomenologyAnswer,
    QuestionsAnswer,
    SupersessionAnswer,
)
from ...models.model_types import T
from ...storage.projections.fact_index import subject_key
from ...storage.store import Store
from ..capture.commit import decision_of
from ..capture.event_view import Event, is_error
from ..capture.scoring import Scoring
from ..extraction.facts.supersession import apply_model_opinion
from ..extraction.phenomenology import heuristic, merge
from .episode import with_prose

#: What all experiences of a session share, and the least that each has, characters.
_SESSION_CHARS, _EXPERIENCE_CHARS_MIN = 6_000, 80


@dataclass(frozen=True, slots=True)
class StageSources:
    """Where stages look up what an entry only names, and the rules that they go by."""

    file: Store
    limits: ModelSettings
    scoring: Scoring

    def memory(self, space: Space, id: str) -> MemoryRecord | None:
        """Return an experience as it is listed now; None for one that was erased."""
        try:
            return self.file.catalog.find(space, id)
        except NotFound:
            return None

    def has_entry(self, space: Space, kind: EntryKind, key: str) -> bool:
        """Say whether the journal has an entry of this kind and key."""
        return bool(self.file.journal.by_keys(space, kind, [key]))


@dataclass(frozen=True, slots=True)
class ModelQuestion(Generic[T]):
    """One question, and the entry that its answer becomes.

    `about` is the id of what is asked about, for the trace; `told` makes the entry's payload, or
    None where the answer changes nothing.
    """

    about: str
    prompt: str
    variables: Mapping[str, str]
    answer_type: type[T]
    time_limit_s: float
    kind: EntryKind
    key: str
    to_payload: Callable[[T], Payload | None]


Ask = Callable[[StageSources, Entry], ModelQuestion[Any] | None]


@dataclass(frozen=True, slots=True)
class ModelStage:
    """A thing that models do better than rules; `name` is what its failed tasks go by."""

    name: str
    kinds: tuple[EntryKind, ...]
    ask: Ask

    def question(self, sources: StageSources, entry: Entry) -> ModelQuestion[Any] | None:
        """Return what is to be asked about an entry, or None where nothing is."""
        if entry.kind not in self.kinds or entry.payload is None:
            return None
        question = self.ask(sources, entry)
        if question is None or sources.has_entry(entry.space, question.kind, question.key):
            return None
        return question


def ask_decision(sources: StageSources, entry: Entry) -> ModelQuestion[DecisionAnswer] | None:
    """Ask how significant an event is whose score lies near the threshold."""
    payload = entry.payload or {}
    decision = payload.get("decision") or {}
    event: Event | None = payload.get("event") or entry.provisional
    if not decision.get("near") or _is_repetition(payload) or event is None:
        return None
    memory = sources.memory(entry.space, entry.id)
    if memory is None or memory.status == RecordStatus.UPGRADED:
        return None  # what its neighbourhood has raised since stays raised
    threshold = decision.get("threshold", sources.scoring.profile.capture)
    skeleton = "event" not in payload
    whole_event: Event = event

    def to_payload(answer: DecisionAnswer) -> Payload:
        status = RecordStatus.EVALUATED
        if skeleton:
            status = _status(answer.score, threshold, sources.scoring)
        upgraded = status is RecordStatus.UPGRADED
        suffix = f"; {answer.reason}" if answer.reason else ""
        return without_none(
            experience=entry.id,
            status=status.value,
            significance=answer.score,
            reason=f"a model gives it {answer.score:.3g} of the {threshold:.3g} needed{suffix}",
            event=whole_event if upgraded else None,
        )

    return ModelQuestion(
        about=entry.id,
        prompt="decision",
        variables={
            "score": f"{decision['significance']:.3g}",
            "reasons": f"it is close to the {threshold:.3g} from which an event is kept whole",
            "context": _prompt_text(whole_event),
        },
        answer_type=DecisionAnswer,
        time_limit_s=sources.limits.decision_s,
        kind=EntryKind.EXPERIENCE_REEVALUATED,
        key=f"{entry.id}#decision",
        to_payload=to_payload,
    )


def _is_echo(payload: Payload) -> bool:
    """Say whether it came out of a recall: it is nothing new."""
    return "echo" in payload.get("marks", ())


def _is_repetition(payload: Payload) -> bool:
    """Say whether it is a copy: what it is one of was judged already."""
    return bool(payload.get("duplicate_of")) or _is_echo(payload)


def _status(score: float, threshold: float, scoring: Scoring) -> RecordStatus:
    """Return what becomes of a skeleton with this score."""
    if score >= threshold:
        return RecordStatus.UPGRADED
    return RecordStatus.NOISE if score <= scoring.skeleton_floor else RecordStatus.SKELETON


def ask_phenomenology(
    sources: StageSources, entry: Entry
) -> ModelQuestion[PhenomenologyAnswer] | None:
    """Ask what an experience captured in full was like; never a light one (feature 10)."""
    payload = entry.payload or {}
    decision = payload.get("decision") or {}
    if entry.kind is EntryKind.EXPERIENCE_CAPTURED:
        id, wanted = entry.id, decision.get("mode") == CaptureMode.FULL
        significance = decision.get("significance", 0.0)
    else:
        id, wanted = payload["experience"], payload["status"] == RecordStatus.UPGRADED
        significance = payload.get("significance") or 0.0
    event: Event | None = payload.get("event")
    is_experience = event is not None and event["kind"] != EventKind.SESSION_BOUNDARY
    if event is None or not (wanted and is_experience) or _is_echo(payload):
        return None
    rule = _by_rule(sources, entry.space, id, event, significance)
    if rule is None or sources.memory(entry.space, id) is None:
        return None

    def to_payload(answer: PhenomenologyAnswer) -> Payload:
        phenomenology, _ = merge(answer.model_dump(mode="json", by_alias=True), rule)
        return {"experience": id, "phenomenology": phenomenology.as_json()}

    return ModelQuestion(
        about=id,
        prompt="phenomenology",
        variables={
            "happened": str(event["kind"]).replace("_", " "),
            "failed": "yes" if is_error(event) else "no",
            "significance": f"{significance:.3g}",
            "context": _prompt_text(event),
        },
        answer_type=PhenomenologyAnswer,
        time_limit_s=sources.limits.extraction_s,
        kind=EntryKind.EXPERIENCE_ENRICHED,
        key=f"{id}#model",
        to_payload=to_payload,
    )


def _by_rule(
    sources: StageSources, space: Space, id: str, event: Event, significance: float
) -> Phenomenology | None:
    """Return how it was by rule; None where the caller said how, which no model knows better."""
    for enriched in sources.file.journal.by_keys(space, EntryKind.EXPERIENCE_ENRICHED, [id]):
        if enriched.payload and enriched.payload.get("by") == "caller":
            return None
        if enriched.payload and "phenomenology" in enriched.payload:
            return Phenomenology.from_json(enriched.payload["phenomenology"])
    decision = decision_of({"event": event, "decision": {"significance": significance}})
    return heuristic(event, decision)


def ask_questions(sources: StageSources, entry: Entry) -> ModelQuestion[QuestionsAnswer] | None:
    """Ask for better questions than the templates have (feature 82)."""
    payload = entry.payload or {}
    memory = sources.memory(entry.space, payload["experience"])
    if payload.get("by") != "rule" or memory is None or not memory.text.strip():
        return None
    trigger = payload.get("trigger")

    def to_payload(answer: QuestionsAnswer) -> Payload:
        return {**payload, "questions": list(answer.questions)}

    return ModelQuestion(
        about=memory.id,
        prompt="questions",
        variables={
            "trigger": trigger if trigger in set(Trigger) else "it is worth learning from",
            "memory": memory.text,
        },
        answer_type=QuestionsAnswer,
        time_limit_s=sources.limits.extraction_s,
        kind=EntryKind.QUESTIONS_ANTICIPATED,
        key=f"{memory.id}#model",
        to_payload=to_payload,
    )


def ask_episode(sources: StageSources, entry: Entry) -> ModelQuestion[EpisodeAnswer] | None:
    """Ask for a session in prose, in place of the rule's quotations (feature 32)."""
    payload = entry.payload or {}
    if payload.get("by") != "rule":
        return None
    session_text = _session_text(sources, entry.space, payload)
    if not session_text:
        return None
    return ModelQuestion(
        about=payload["episode"],
        prompt="episode",
        variables={
            "outline": f"{payload['topic']}\n{payload['summary']}",
            "experiences": session_text,
        },
        answer_type=EpisodeAnswer,
        time_limit_s=sources.limits.prose_s,
        kind=EntryKind.EPISODE_SYNTHESISED,
        key=f"{entry.key}#model",
        to_payload=lambda answer: with_prose(payload, answer),
    )


def ask_supersession(
    sources: StageSources, entry: Entry
) -> ModelQuestion[SupersessionAnswer] | None:
    """Ask which of two facts holds that contradict each other, so that no rule can tell."""
    payload = entry.payload or {}
    unresolved = FactRelation.CONTRADICTS.value, "rule"
    if (payload.get("relation"), payload.get("by")) != unresolved or not payload.get("by_fact"):
        return None
    facts = _facts(sources, entry.space, [payload["fact"], payload["by_fact"]])
    old, new = facts.get(payload["fact"]), facts.get(payload["by_fact"])
    if old is None or new is None or new.id not in old.contradicts or not old.overlaps(new):
        return None
    old_fact, new_fact = old, new

    def to_payload(answer: SupersessionAnswer) -> Payload | None:
        finding = apply_model_opinion(answer, new_fact, old_fact)
        return finding[2] if finding is not None and finding[0] == entry.kind else None

    return ModelQuestion(
        about=new.experience,
        prompt="supersession",
        variables={
            "since": to_text(old.t_valid),
            "stability": old.stability.value,
            "known": old.text,
            "at": to_text(new.t_valid),
            "new": new.text,
        },
        answer_type=SupersessionAnswer,
        time_limit_s=sources.limits.extraction_s,
        kind=EntryKind.FACT_SUPERSEDED,
        key=f"{entry.key}#model",
        to_payload=to_payload,
    )


def _facts(sources: StageSources, space: Space, ids: Sequence[str]) -> dict[str, Fact]:
    """Return all facts about the subjects of some facts, as they stand now, by id."""
    asserted = sources.file.journal.by_keys(space, EntryKind.FACT_ASSERTED, ids)
    payloads = [entry.payload for entry in asserted if entry.payload]
    subjects = {subject_key(payload.get("subject_id"), payload["subject"]) for payload in payloads}
    return fold_facts(sources.file.space(space).facts.about(sorted(subjects)))


def _session_text(sources: StageSources, space: Space, payload: Payload) -> str:
    """Return what is left of an episode's experiences, oldest first, each with its share."""
    wanted = set(payload["sources"])
    entries = sources.file.journal.stream(space, payload["session"])
    events = [event_of(entry) for entry in entries if entry.id in wanted and entry.payload]
    share = max(_SESSION_CHARS // max(len(events), 1), _EXPERIENCE_CHARS_MIN)
    return "\n".join(line for event in events if (line := shorten(_prompt_text(event), share)))


def _prompt_text(event: Event) -> str:
    """Return an event as a model reads it: who or what, whether it failed, and all it says."""
    who = [f"From {event['person']}:"] if event.get("person") else []
    failed = ["It failed:"] if is_error(event) else []
    texts: Sequence[str] = [text_of(event), *captions_of(event)]
    return "\n".join([*who, *failed, *(text for text in texts if text)])


#: What a model is asked, in this order, of each entry.
STAGES: tuple[ModelStage, ...] = (
    ModelStage("model:decision", (EntryKind.EXPERIENCE_CAPTURED,), ask_decision),
    ModelStage(
        "model:phenomenology",
        (EntryKind.EXPERIENCE_CAPTURED, EntryKind.EXPERIENCE_REEVALUATED),
        ask_phenomenology,
    ),
    ModelStage("model:questions", (EntryKind.QUESTIONS_ANTICIPATED,), ask_questions),
    ModelStage("model:episode", (EntryKind.EPISODE_SYNTHESISED,), ask_episode),
    ModelStage("model:facts", (EntryKind.FACT_SUPERSEDED,), ask_supersession),
)
