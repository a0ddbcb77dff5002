"""Skeletons in hindsight: a model judges those of an ended session in one request.

Skeletons near the threshold were asked about one by one before. These were not near it: later
events may show that one mattered. Re-evaluation by rule comes first; what it upgraded is not asked
about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....core.entries import EpisodeSynthesised, ExperienceCaptured, ExperienceReevaluated
from ....core.text import shorten
from ....core.types import Entry, EntryKind
from ....core.vocabulary import RecordStatus
from ....language.runs.tool_calls import Event
from ....models.answer_types import HindsightAnswer, VerdictAnswer
from .model_question import ModelQuestion, StageSources, is_repetition, prompt_text, status_of

#: Skeletons of one request: the most significant, in the order of the session.
_SKELETONS_MAX = 10
_CHARS_MAX = 400


@dataclass(frozen=True, slots=True)
class _Skeleton:
    id: str
    event: Event
    significance: float
    threshold: float
    #: Whether the journal has the whole event.
    is_whole: bool

    @property
    def key(self) -> str:
        return f"{self.id}#hindsight"


def ask_hindsight(sources: StageSources, entry: Entry) -> ModelQuestion[HindsightAnswer] | None:
    """Ask which skeletons of a session that has ended matter after all (feature 43)."""
    episode = entry.payload
    if not isinstance(episode, EpisodeSynthesised) or episode.by != "rule":
        return None
    skeletons = _skeletons(sources, entry, episode)
    if not skeletons:
        return None

    def check(answer: HindsightAnswer) -> tuple[HindsightAnswer, int]:
        first = {v.event: v for v in reversed(answer.verdicts) if v.event <= len(skeletons)}
        verdicts = tuple(first[number] for number in sorted(first))
        return HindsightAnswer(verdicts=verdicts), len(answer.verdicts) - len(verdicts)

    def payloads(answer: HindsightAnswer) -> list[tuple[str, ExperienceReevaluated]]:
        verdicts = {verdict.event: verdict for verdict in answer.verdicts}
        return [
            (skeleton.key, _judged(sources, skeleton, verdicts.get(number)))
            for number, skeleton in enumerate(skeletons, start=1)
            # The first tells that the question was asked, whatever the answer says of it.
            if number == 1 or number in verdicts
        ]

    return ModelQuestion(
        about=episode.episode,
        prompt="hindsight",
        variables={"outline": f"{episode.topic}\n{episode.summary}", "events": _listed(skeletons)},
        answer_type=HindsightAnswer,
        time_limit_s=sources.limits.extraction_s,
        kind=EntryKind.EXPERIENCE_REEVALUATED,
        key=skeletons[0].key,
        to_payload=lambda answer: payloads(answer)[0][1],
        check=check,
        findings=lambda answer: payloads(answer)[1:],
    )


def _skeletons(
    sources: StageSources, entry: Entry, episode: EpisodeSynthesised
) -> Sequence[_Skeleton]:
    """Return the skeletons of a session that no model has judged yet."""
    skeletons = []
    for captured in sources.file.journal.stream(entry.space, episode.session):
        payload = captured.payload
        if not isinstance(payload, ExperienceCaptured) or payload.decision is None:
            continue
        decision, event = payload.decision, payload.event or captured.provisional
        if decision.near or is_repetition(payload) or event is None:
            continue
        memory = sources.memory(entry.space, captured.id)
        if memory is None or memory.status != RecordStatus.SKELETON:
            continue
        own = decision.threshold
        threshold = sources.scoring.profile.capture if own is None else own
        is_whole = payload.event is not None
        score = decision.significance
        skeletons.append(_Skeleton(captured.id, event, score, threshold, is_whole))
    keys = [skeleton.key for skeleton in skeletons]
    kind = EntryKind.EXPERIENCE_REEVALUATED
    judged = {e.key for e in sources.file.journal.by_keys(entry.space, kind, keys)}
    skeletons = [skeleton for skeleton in skeletons if skeleton.key not in judged]
    best = sorted(skeletons, key=lambda s: -s.significance)[:_SKELETONS_MAX]
    return [skeleton for skeleton in skeletons if skeleton in best]


def _judged(
    sources: StageSources, skeleton: _Skeleton, verdict: VerdictAnswer | None
) -> ExperienceReevaluated:
    """Return what becomes of a skeleton; without a verdict, it stays as it is."""
    if verdict is None:
        stays = RecordStatus.SKELETON
        return ExperienceReevaluated(skeleton.id, stays, None, "a model said nothing of it")
    status = status_of(verdict.score, skeleton.threshold, sources.scoring)
    suffix = f"; {verdict.reason}" if verdict.reason else ""
    needed = f"a model gives it {verdict.score:.3g} of the {skeleton.threshold:.3g} needed"
    missing = status is RecordStatus.UPGRADED and not skeleton.is_whole
    return ExperienceReevaluated(
        experience=skeleton.id,
        status=status,
        significance=verdict.score,
        reason=f"in hindsight {needed}{suffix}",
        event=skeleton.event if missing else None,
    )


def _listed(skeletons: Sequence[_Skeleton]) -> str:
    lines = []
    for number, skeleton in enumerate(skeletons, start=1):
        happened = str(skeleton.event["kind"]).replace("_", " ")
        lines.append(f"{number}. ({happened}) {shorten(prompt_text(skeleton.event), _CHARS_MAX)}")
    return "\n".join(lines)
