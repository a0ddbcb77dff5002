"""A session as a model is shown it: its transcript, what is asked of it, and a second look at it.

The lines have numbers, which an answer cites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from ...core.entries import (
    EpisodeSynthesised,
    ExperienceCaptured,
    ExperienceEnriched,
    ExperienceReevaluated,
    FactAsserted,
    FactSuperseded,
    QuestionsAnticipated,
    StateTransitioned,
)
from ...core.errors import NotFound
from ...core.events import captions_of, event_of, is_restricted, text_of
from ...core.settings import ModelSettings, TransitionsSettings
from ...core.text import shorten
from ...core.types import Entry, EntryKind, MemoryRecord, Space
from ...core.vocabulary import RecordStatus
from ...language.quotations import speaker_label, spoken_text
from ...language.runs.failure_signs import is_error
from ...language.runs.tool_calls import Event
from ...models.answer_types import HindsightAnswer, VerdictAnswer
from ...models.model_types import T, clip
from ...storage.store import Store
from ..capture.scoring import Scoring
from .register import STANDARD

#: Characters of a window (about 6,000 tokens), of one message, and of what a tool returned.
WINDOW_CHARS, MESSAGE_CHARS_MAX, RESULT_CHARS_MAX = 24_000, 4_000, 300


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One experience of a session; `place` is None for what nobody said. `text` is all it says."""

    place: int | None
    entry: Entry
    speaker: str
    text: str
    shown: str

    @property
    def event(self) -> Event:
        """The event, whole as far as it is held."""
        return event_of(self.entry)


def windows_of(entries: Iterable[Entry]) -> Sequence[Sequence[TranscriptLine]]:
    """Return the captured experiences of a session in windows; none where nobody said anything."""
    windows: list[list[TranscriptLine]] = []
    room = 0
    for number, entry in enumerate(filter(_is_shown, entries), 1):
        line = _line(number, entry)
        if line.shown:
            if not windows or len(line.shown) >= room:
                windows.append([])
                room = WINDOW_CHARS
            windows[-1].append(line)
            room -= len(line.shown) + 1
    return windows


def render(window: Sequence[TranscriptLine]) -> str:
    """Return a window as a model is shown it."""
    return "\n".join(line.shown for line in window)


def _is_shown(entry: Entry) -> bool:
    payload = entry.payload
    if not isinstance(payload, ExperienceCaptured) or "echo" in payload.marks:
        return False
    return not is_restricted(event_of(entry).get("metadata"))


def _line(number: int, entry: Entry) -> TranscriptLine:
    event = event_of(entry)
    speaker, text = speaker_label(event), spoken_text(event)
    at = f"{entry.at:%Y-%m-%d %H:%M}"
    captions = "".join(f" ({caption})" for caption in captions_of(event))
    if speaker and (text.strip() or captions):
        words = clip(" ".join(text.split()) + captions, MESSAGE_CHARS_MAX)
        return TranscriptLine(number, entry, speaker, text, f"[{number}] {at} {speaker}: {words}")
    words = shorten(text_of(event) + captions, RESULT_CHARS_MAX)
    failed = "failed: " if is_error(event) else ""
    return TranscriptLine(None, entry, "", "", f"({at} {failed}{words})" if words else "")


@dataclass(frozen=True, slots=True)
class StageSources:
    """Where stages look up what an entry only names, and the rules that they go by."""

    file: Store
    limits: ModelSettings
    scoring: Scoring
    thresholds: TransitionsSettings = STANDARD

    def memory(self, space: Space, id: str) -> MemoryRecord | None:
        """Return an experience as it is listed now; None for one that was erased or is restricted.

        No model sees a restricted experience.
        """
        try:
            memory = self.file.catalog.find(space, id)
        except NotFound:
            return None
        return None if is_restricted(dict(memory.metadata)) else memory

    def has_entry(self, space: Space, kind: EntryKind, key: str) -> bool:
        """Return whether the journal has an entry of this kind and key."""
        return bool(self.file.journal.by_keys(space, kind, [key]))


@dataclass(frozen=True, slots=True)
class ModelQuestion(Generic[T]):
    """One question, and the entry that its answer becomes.

    `about` is the id of what is asked about, for the trace; `to_payload` makes the entry's payload,
    or None where the answer changes nothing. `check` takes out of an answer what nothing shows, and
    counts it; `findings` are further entries with their keys. Not `is_last`: the stage asks on.
    """

    about: str
    prompt: str
    variables: Mapping[str, str]
    answer_type: type[T]
    time_limit_s: float
    kind: EntryKind
    key: str
    to_payload: Callable[[T], ModelPayload | None]
    check: Callable[[T], tuple[T, int]] = lambda answer: (answer, 0)
    findings: Callable[[T], Sequence[tuple[str, ModelPayload]]] = lambda _answer: ()
    is_last: bool = True


#: What a model's answer may become.
ModelPayload = (
    ExperienceReevaluated
    | ExperienceEnriched
    | QuestionsAnticipated
    | EpisodeSynthesised
    | FactAsserted
    | FactSuperseded
    | StateTransitioned
)


def is_echo(payload: ExperienceCaptured) -> bool:
    """Return whether it came out of a recall: it is nothing new."""
    return "echo" in payload.marks


def is_repetition(payload: ExperienceCaptured) -> bool:
    """Return whether it is a copy: what it is one of was judged already."""
    return bool(payload.duplicate_of) or is_echo(payload)


def status_of(score: float, threshold: float, scoring: Scoring) -> RecordStatus:
    """Return what becomes of a skeleton with this score."""
    if score >= threshold:
        return RecordStatus.UPGRADED
    return RecordStatus.NOISE if score <= scoring.settings.skeleton_floor else RecordStatus.SKELETON


def prompt_text(event: Event) -> str:
    """Return an event as a model reads it: who or what, whether it failed, and all it says."""
    who = [f"From {event['person']}:"] if event.get("person") else []
    failed = ["It failed:"] if is_error(event) else []
    texts: Sequence[str] = [text_of(event), *captions_of(event)]
    return "\n".join([*who, *failed, *(text for text in texts if text)])


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
