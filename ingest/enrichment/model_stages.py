"""The questions to a model about a journal entry, and the entries made of its answers.

A stage is one function: from an entry to a question, or to None where a rule is enough, where the
answer exists already, or where the event was erased. No model is called here and nothing is
written; the result of a rule stays beside the model's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...core.entries import (
    EpisodeSynthesised,
    ExperienceCaptured,
    ExperienceEnriched,
    ExperienceReevaluated,
    FactAsserted,
    FactSuperseded,
    QuestionsAnticipated,
)
from ...core.events import EventKind, captured_of
from ...core.experience import Phenomenology
from ...core.facts import Fact, fold_facts
from ...core.time import to_text
from ...core.types import Entry, EntryKind, Space
from ...core.vocabulary import CaptureMode, FactRelation, RecordStatus
from ...language.runs.failure_signs import is_error
from ...language.runs.tool_calls import Event
from ...models.answer_types import (
    DecisionAnswer,
    PhenomenologyAnswer,
    QuestionsAnswer,
    SessionAnswer,
    SupersessionAnswer,
)
from ...storage.projections.entry_indexes import subject_key
from ...storage.projections.experience_list import mode_of
from ..extraction.phenomenology import heuristic, merge
from ..extraction.statements import apply_model_opinion
from .session_answers import findings_of, shown_by, with_prose
from .session_question import (
    ModelQuestion,
    StageSources,
    TranscriptLine,
    ask_hindsight,
    is_echo,
    is_repetition,
    prompt_text,
    render,
    status_of,
    windows_of,
)

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
    payload = captured_of(entry)
    decision, event = payload.decision, payload.event or entry.provisional
    if decision is None or not decision.near or is_repetition(payload) or event is None:
        return None
    memory = sources.memory(entry.space, entry.id)
    if memory is None or memory.status == RecordStatus.UPGRADED:
        return None  # what its neighbourhood has raised since stays raised
    own = decision.threshold
    threshold = sources.scoring.profile.capture if own is None else own
    skeleton = mode_of(payload) is CaptureMode.TRACE_ONLY
    whole_event: Event = event

    def to_payload(answer: DecisionAnswer) -> ExperienceReevaluated:
        status = RecordStatus.EVALUATED
        if skeleton:
            status = status_of(answer.score, threshold, sources.scoring)
        upgraded = status is RecordStatus.UPGRADED
        suffix = f"; {answer.reason}" if answer.reason else ""
        return ExperienceReevaluated(
            experience=entry.id,
            status=status,
            significance=answer.score,
            reason=f"a model gives it {answer.score:.3g} of the {threshold:.3g} needed{suffix}",
            event=whole_event if upgraded and payload.event is None else None,
        )

    return ModelQuestion(
        about=entry.id,
        prompt="decision",
        variables={
            "score": f"{decision.significance:.3g}",
            "reasons": f"it is close to the {threshold:.3g} from which an event is kept whole",
            "context": prompt_text(whole_event),
        },
        answer_type=DecisionAnswer,
        time_limit_s=sources.limits.decision_s,
        kind=EntryKind.EXPERIENCE_REEVALUATED,
        key=f"{entry.id}#decision",
        to_payload=to_payload,
    )


def ask_phenomenology(
    sources: StageSources, entry: Entry
) -> ModelQuestion[PhenomenologyAnswer] | None:
    """Ask what an experience captured in full was like; never a light one (feature 10)."""
    payload = entry.payload
    if isinstance(payload, ExperienceCaptured):
        decision, id, echo = payload.decision, entry.id, is_echo(payload)
        wanted = decision is not None and decision.mode is CaptureMode.FULL
        significance = decision.significance if decision else 0.0
    elif isinstance(payload, ExperienceReevaluated):
        id, echo, wanted = payload.experience, False, payload.status is RecordStatus.UPGRADED
        significance = payload.significance or 0.0
    else:
        return None
    event = payload.event or _captured_event(sources, entry.space, id)
    is_experience = event is not None and event["kind"] != EventKind.SESSION_BOUNDARY
    if event is None or not (wanted and is_experience) or echo:
        return None
    rule = _by_rule(sources, entry.space, id, event, significance)
    if rule is None or sources.memory(entry.space, id) is None:
        return None

    def to_payload(answer: PhenomenologyAnswer) -> ExperienceEnriched:
        phenomenology, _ = merge(answer.model_dump(mode="json", by_alias=True), rule)
        return ExperienceEnriched(id, phenomenology)

    return ModelQuestion(
        about=id,
        prompt="phenomenology",
        variables={
            "happened": str(event["kind"]).replace("_", " "),
            "failed": "yes" if is_error(event) else "no",
            "significance": f"{significance:.3g}",
            "context": prompt_text(event),
        },
        answer_type=PhenomenologyAnswer,
        time_limit_s=sources.limits.extraction_s,
        kind=EntryKind.EXPERIENCE_ENRICHED,
        key=f"{id}#model",
        to_payload=to_payload,
    )


def _captured_event(sources: StageSources, space: Space, id: str) -> Event | None:
    """Return the whole event of an experience, where the journal has it."""
    payloads = [entry.payload for entry in sources.file.journal.by_ids(space, [id])]
    return next((p.event for p in payloads if isinstance(p, ExperienceCaptured)), None)


def _by_rule(
    sources: StageSources, space: Space, id: str, event: Event, significance: float
) -> Phenomenology | None:
    """Return the phenomenology by rule; None where the caller stated it: that one stands."""
    for enriched in sources.file.journal.by_keys(space, EntryKind.EXPERIENCE_ENRICHED, [id]):
        enrichment = enriched.payload
        if isinstance(enrichment, ExperienceEnriched) and enrichment.by == "caller":
            return None
        if isinstance(enrichment, ExperienceEnriched) and enrichment.phenomenology is not None:
            return enrichment.phenomenology
    return heuristic(event, significance)


def ask_questions(sources: StageSources, entry: Entry) -> ModelQuestion[QuestionsAnswer] | None:
    """Ask for better questions than the templates have (feature 82)."""
    payload = entry.payload
    if not isinstance(payload, QuestionsAnticipated) or payload.by != "rule":
        return None
    memory = sources.memory(entry.space, payload.experience)
    if memory is None or not memory.text.strip():
        return None
    rule = payload

    def to_payload(answer: QuestionsAnswer) -> QuestionsAnticipated:
        return replace(rule, questions=tuple(answer.questions))

    return ModelQuestion(
        about=memory.id,
        prompt="questions",
        variables={
            "trigger": rule.trigger or "it is worth learning from",
            "memory": memory.text,
        },
        answer_type=QuestionsAnswer,
        time_limit_s=sources.limits.extraction_s,
        kind=EntryKind.QUESTIONS_ANTICIPATED,
        key=f"{memory.id}#model",
        to_payload=to_payload,
    )


def ask_session(sources: StageSources, entry: Entry) -> ModelQuestion[SessionAnswer] | None:
    """Ask what a session tells that has ended: its episode in prose, and what is worth keeping.

    A session longer than a window is asked about window by window (feature 32).
    """
    episode = entry.payload
    if not isinstance(episode, EpisodeSynthesised) or episode.by != "rule":
        return None
    space, wanted, journal = entry.space, set(episode.sources), sources.file.journal
    experiences = [e for e in journal.stream(space, episode.session) if e.id in wanted]
    windows = windows_of(experiences)
    keys = [f"{entry.key}#model", *(f"{entry.key}#model/{n + 1}" for n in range(1, len(windows)))]
    answers = {e.key: e.payload for e in journal.by_keys(space, entry.kind, keys)}
    place = next((n for n, key in enumerate(keys) if key not in answers), len(windows))
    if place >= len(windows):
        return None
    window, earlier = windows[place], answers.get(keys[place - 1]) if place else None
    before = earlier if isinstance(earlier, EpisodeSynthesised) else None

    def check(answer: SessionAnswer) -> tuple[SessionAnswer, int]:
        return shown_by(answer, window, sources.file.analyser)

    def feeling_before(line: TranscriptLine) -> Phenomenology | None:
        space, id, kind = line.entry.space, line.entry.id, EntryKind.EXPERIENCE_ENRICHED
        decision = captured_of(line.entry).decision
        rule = _by_rule(sources, space, id, line.event, decision.significance if decision else 0.0)
        read = [e.payload for e in sources.file.journal.by_keys(space, kind, [f"{id}#model"])]
        felt = [p.phenomenology for p in read if isinstance(p, ExperienceEnriched)]
        return rule and next((f for f in reversed(felt) if f is not None), rule)

    return ModelQuestion(
        about=episode.episode,
        prompt="session",
        variables={"outline": f"{episode.topic}\n{episode.summary}", "messages": render(window)},
        answer_type=SessionAnswer,
        time_limit_s=sources.limits.session_s,
        kind=EntryKind.EPISODE_SYNTHESISED,
        key=keys[place],
        to_payload=lambda answer: with_prose(episode, answer, before),
        check=check,
        findings=lambda answer: findings_of(
            check(answer)[0], window, sources.file, feeling_before, sources.thresholds
        ),
        is_last=place + 1 == len(windows),
    )


def ask_supersession(
    sources: StageSources, entry: Entry
) -> ModelQuestion[SupersessionAnswer] | None:
    """Ask which of two facts holds that contradict each other, so that no rule can tell."""
    payload = entry.payload
    if not isinstance(payload, FactSuperseded) or payload.by_fact is None:
        return None
    if payload.relation is not FactRelation.CONTRADICTS or payload.by != "rule":
        return None
    facts = _facts(sources, entry.space, [payload.fact, payload.by_fact])
    old, new = facts.get(payload.fact), facts.get(payload.by_fact)
    if old is None or new is None or new.id not in old.contradicts or not old.overlaps(new):
        return None
    old_fact, new_fact = old, new

    def to_payload(answer: SupersessionAnswer) -> FactSuperseded | None:
        finding = apply_model_opinion(answer, new_fact, old_fact)
        return finding if isinstance(finding, FactSuperseded) else None

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
    subjects = {
        subject_key(payload.subject_id, payload.subject)
        for entry in asserted
        if isinstance(payload := entry.payload, FactAsserted)
    }
    return fold_facts(sources.file.space(space).facts.about(sorted(subjects)))


#: What a model is asked, in this order, of each entry.
STAGES: tuple[ModelStage, ...] = (
    ModelStage("model:decision", (EntryKind.EXPERIENCE_CAPTURED,), ask_decision),
    ModelStage(
        "model:phenomenology",
        (EntryKind.EXPERIENCE_CAPTURED, EntryKind.EXPERIENCE_REEVALUATED),
        ask_phenomenology,
    ),
    ModelStage("model:questions", (EntryKind.QUESTIONS_ANTICIPATED,), ask_questions),
    ModelStage("model:episode", (EntryKind.EPISODE_SYNTHESISED,), ask_session),
    ModelStage("model:hindsight", (EntryKind.EPISODE_SYNTHESISED,), ask_hindsight),
    ModelStage("model:facts", (EntryKind.FACT_SUPERSEDED,), ask_supersession),
)
