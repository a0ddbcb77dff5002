"""Stage episode: the summary of a session at its end, by rule, from quotations.

Topic and summary are quotations with the names of their speakers; nothing is paraphrased, and only
speakers and the outcomes of calls are added. A model's prose can replace both. No storage, no
clock, no model (feature 32).

Consequences: the results of a session by rule, in lines that quote it.

Failures left and solved, changes made by tools, decisions, and commitments. Words of decision and
commitment are recognised in English. Nothing is inferred beyond them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from math import fsum

from ...core.entries import EpisodeSynthesised
from ...core.events import EventKind
from ...core.experience import EmotionalSignature, Phenomenology, Utterance
from ...core.text import shorten
from ...core.time import to_text
from ...core.types import Json
from ...core.vocabulary import Trigger
from ...language.analyser import Analyser
from ...language.closings import commits, decides
from ...language.heads import mention_likelihoods
from ...language.quotations import (
    LINE_CHARS_MAX,
    describe_call,
    quotable_sentences,
    quote,
    speaker_label,
    spoken_text,
)
from ...language.reading import UNTRUE, recorded_or_read
from ...language.runs.failure_signs import is_error
from ...language.runs.fixes import (
    Attempt,
    Failure,
    attempt_of,
    attempts_of,
    describe_attempts,
    find_failures,
    solution,
)
from ...language.runs.run_ends import completes_run
from ...language.runs.tool_calls import Event, is_result, tool_of
from ...language.runs.tool_result import read_result
from ...language.sentences import is_list, without_opening
from ...language.talk import Turn, TurnSentence, common_stems
from ...language.topics import leading_topics
from ..capture.event_view import is_by_hand, is_message, metadata_of
from ..capture.scoring import CHANGING_TOOLS, tool_matches

CONSEQUENCES_MAX = 5
#: Longest line that tells a failure and what solved it, characters.
LESSON_CHARS_MAX = 400
#: Tools whose success changed something.


def consequences_of(
    events: Sequence[Event], stems_of: Callable[[str], Collection[str]]
) -> list[str]:
    """Return at most five lines: failures left, failures solved, changes, decisions, commitments.

    `events` are those of one session in their order, none of them erased; `stems_of` returns the
    content words of a text, as a sentence with less than two commits to nothing in particular.
    """
    attempts = attempts_of(events)
    failures = find_failures(attempts)
    left = [_left(attempts, failure) for failure in failures if failure.fix is None]
    solved = [_solved(attempts, failure) for failure in failures if failure.fix is not None]
    statements = [
        (event, sentence) for event, sentence in _statements(events) if stems_of(sentence)
    ]
    decided = [
        quote(*statement, LINE_CHARS_MAX) for statement in statements if decides(statement[1])
    ]
    committed = [
        quote(event, sentence, LINE_CHARS_MAX)
        for event, sentence in _open_commitments(events, statements)
        if len(stems_of(sentence)) > 1
    ]
    ended = [f"Ended with: {tool_of(event)}" for event in events if completes_run(event)]
    lines = [
        *ended[-1:],
        *left[-2:],
        *solved[-2:],
        *_changed(events, attempts),
        *decided[-2:],
        *committed[-3:],
    ]
    return list(dict.fromkeys(lines))[:CONSEQUENCES_MAX]


def is_change(event: Event) -> bool:
    """Return whether an event is the success of a tool that changes things."""
    return is_result(event) and not is_error(event) and tool_matches(tool_of(event), CHANGING_TOOLS)


def _left(attempts: Sequence[Attempt | None], failure: Failure) -> str:
    return shorten(f"Left: {describe_attempts(attempts, failure)}", LESSON_CHARS_MAX)


def _solved(attempts: Sequence[Attempt | None], failure: Failure) -> str:
    fix = f"; {solution(attempts, failure)}"
    failed = f"Solved: {describe_attempts(attempts, failure)}"
    return shorten(failed, LESSON_CHARS_MAX - len(fix)) + fix


def _changed(events: Sequence[Event], attempts: Sequence[Attempt | None]) -> list[str]:
    """Return what tools changed, in one line; a shell may as well only have looked."""
    changed = [
        event
        for event, attempt in zip(events, attempts, strict=True)
        if is_change(event)
        and not completes_run(event)
        and not (attempt and attempt.intent.programs)
    ]
    done = Counter(map(tool_of, changed))
    tool_counts = [tool if count == 1 else f"{tool} ×{count}" for tool, count in done.items()]
    return [shorten(f"Done: {', '.join(tool_counts)}", LINE_CHARS_MAX)] if tool_counts else []


def _statements(events: Sequence[Event]) -> Iterator[tuple[Event, str]]:
    """Yield what was said and asks nothing, sentence by sentence."""
    for event in events:
        for sentence in quotable_sentences(spoken_text(event)):
            if not sentence.endswith("?"):
                yield event, sentence


def _open_commitments(
    events: Sequence[Event], statements: Sequence[tuple[Event, str]]
) -> Iterator[tuple[Event, str]]:
    """Yield the commitments that nobody acted on: those after the last thing a tool did."""
    acted = max((place for place, event in enumerate(events) if is_result(event)), default=-1)
    late = {id(event) for event in events[acted + 1 :]}
    for event, sentence in statements:
        if id(event) in late and commits(sentence):
            yield event, sentence


#: Fewer experiences make no episode.
EXPERIENCES_MIN = 3
TOPIC_CHARS_MAX, SUMMARY_CHARS_MAX = 120, 1_200
ANCHORS_MAX, EMOTIONS_MAX, TAGS_MAX = 10, 5, 12
#: Lines that a summary is made of at most.
_LINES_MAX = 10
_TOPICS_MAX = 2
#: What a session is asked for tells what it is about, the more the earlier it is said.
_WANTED, _ASKS = ("request", "instruction"), frozenset({"please", "order", "wants you"})
_WANTED_WORTH, _DONE_WORTH = 0.4, 0.5


@dataclass(frozen=True, slots=True)
class EpisodeExperience:
    """One experience of a session, as an episode needs it; an erased event has no payload."""

    id: str
    event: Event
    at: datetime | None
    significance: float
    phenomenology: Phenomenology | None = None
    trigger: Trigger = Trigger.NONE
    captured: bool = False
    utterances: Sequence[Utterance] = ()
    topics: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _SummaryLine:
    """One line that a summary may have: its experience and place there, and what it is worth."""

    place: int
    line: int
    text: str
    worth: float
    stems: frozenset[str]


def synthesise(
    id: str,
    session: str,
    experiences: Sequence[EpisodeExperience],
    analyser: Analyser | None = None,
) -> EpisodeSynthesised | None:
    """Return the episode of a session, or None for less than three experiences.

    `experiences` are those of one session in their order, `session` is its id. The topic has at
    most 120 characters, the summary at most 1,200; `since` and `until` are None where no experience
    has a time.
    """
    if len(experiences) < EXPERIENCES_MIN:
        return None
    builder = _EpisodeBuilder(experiences, analyser or _english())
    times = sorted(experience.at for experience in experiences if experience.at is not None)
    tools = _distinct((item.event.get("tool") or {}).get("name") for item in experiences)
    total = fsum(experience.significance for experience in experiences)
    return EpisodeSynthesised(
        episode=id,
        session=session,
        topic=builder.topic(),
        summary=builder.summary(),
        sources=tuple(experience.id for experience in experiences),
        tools=tuple(tools),
        since=to_text(times[0]) if times else None,
        until=to_text(times[-1]) if times else None,
        tags=tuple(builder.tags()),
        anchors=tuple(_anchors(experiences)),
        emotions=tuple(_emotions(experiences)),
        consequences=tuple(consequences_of(builder.events, builder.stems)),
        significance=round(total / len(experiences), 6),
        by="rule",
    )


class _EpisodeBuilder:
    """A session while its episode is made: its lines, each with what it is worth."""

    def __init__(self, experiences: Sequence[EpisodeExperience], analyser: Analyser) -> None:
        self.experiences = [item for item in experiences if item.event.get("payload")]
        self.events = [item.event for item in self.experiences]
        self._analyser = analyser
        texts = [spoken_text(event) for event in self.events]
        read = [
            recorded_or_read(text, item.utterances) if is_message(item.event) else ()
            for item, text in zip(self.experiences, texts, strict=True)
        ]
        turns = [
            Turn(
                speaker_label(event),
                "",
                [TurnSentence(u.marks, u.kinds, tuple(terms(u.sentence_of(text)))) for u in lines],
            )
            for event, text, lines in zip(self.events, texts, read, strict=True)
            for terms in [analyser.of(text).terms]
        ]
        likely = mention_likelihoods(turns)
        self.quotes = [
            self._quote(place, line, utterance, by[line])
            for place, (sentences, by) in enumerate(zip(read, likely, strict=True))
            for line, utterance in enumerate(sentences)
        ]

    def stems(self, text: str) -> frozenset[str]:
        """Return the stems of the content words of a text."""
        return frozenset(self._analyser.terms(text)) - common_stems()

    def topic(self) -> str:
        """Return a heading: the caller's own, else the quote that tells most, else the tools."""
        own = Counter(t for event in self.events if (t := _own_topic(event)))
        if own:
            return shorten(own.most_common(1)[0][0], TOPIC_CHARS_MAX)
        best = max(self.quotes, key=lambda line: line.worth, default=None)
        if best is not None and best.stems:
            return shorten(best.text, TOPIC_CHARS_MAX)
        people = _listed(_distinct(speaker_label(e) for e in self.events if is_message(e)))
        topics = ", ".join(leading_topics([i.topics for i in self.experiences], _TOPICS_MAX))
        tools = _listed(_distinct(tool_of(event) for event in self.events))
        what = topics or (best.text if best else "") or tools
        return shorten(f"{people}: {what}" if people and not best else what, TOPIC_CHARS_MAX)

    def summary(self) -> str:
        """Return the lines most worth telling, in order, each with who said it."""
        lines = [*self.quotes, *(line for p in range(len(self.events)) for line in self._done(p))]
        covered: set[str] = set()
        chosen: list[_SummaryLine] = []
        room = SUMMARY_CHARS_MAX
        while lines and len(chosen) < _LINES_MAX:
            best = max(lines, key=lambda line: line.worth * _share_of_new(line.stems, covered))
            lines.remove(best)
            if len(best.text) < room and best.stems:
                chosen.append(best)
                covered |= best.stems
                room -= len(best.text) + 1
        ordered = sorted(chosen, key=lambda line: (line.place, line.line))
        return " ".join(line.text for line in ordered)

    def tags(self) -> list[str]:
        """Return the callers' own tags, then what messages are about."""
        given = [metadata_of(event).get("tags") for event in self.events]
        own = [tag for tags in given if isinstance(tags, list) for tag in tags]
        topics = leading_topics([item.topics for item in self.experiences], TAGS_MAX // 2)
        return _distinct([*own, *(topic.lower() for topic in topics)])[:TAGS_MAX]

    def _quote(self, place: int, line: int, read: Utterance, by: float) -> _SummaryLine:
        event = self.events[place]
        sentence = without_opening(read.sentence_of(spoken_text(event)))
        wanted = max((read.kinds.get(kind, 0.0) for kind in _WANTED), default=0.0)
        asks = event["kind"] == EventKind.USER_MESSAGE and not _ASKS.isdisjoint(read.marks)
        worth = by + _WANTED_WORTH * max(wanted, float(asks)) / (1 + place)
        if is_list(sentence) or not {"meta", UNTRUE}.isdisjoint(read.marks):
            worth = 0.0
        return _SummaryLine(place, line, quote(event, sentence), worth, self.stems(sentence))

    def _done(self, place: int) -> list[_SummaryLine]:
        """Return what a tool failed at or changed."""
        event = self.events[place]
        if not is_result(event):
            return []
        ended = " succeeded" if read_result(event).ok else ""
        done = f"{describe_call(event)}{ended}." if is_change(event) else ""
        failed = f"{describe_attempts([attempt_of(event)], Failure((0,)))}."
        text = failed if is_error(event) else done
        by_tool = frozenset({f"tool:{tool_of(event)}:{is_error(event)}"})
        return [_SummaryLine(place, 0, text, _DONE_WORTH, by_tool)] if text else []


def _share_of_new(stems: frozenset[str], covered: set[str]) -> float:
    return (0.1 + len(stems - covered)) / (1 + len(stems))


def _own_topic(event: Event) -> str | None:
    topic = metadata_of(event).get("topic")
    return " ".join(topic.split()) or None if isinstance(topic, str) else None


def _anchors(experiences: Iterable[EpisodeExperience]) -> list[str]:
    """Return the phrases that bring the most significant experiences back."""
    ranked = sorted(experiences, key=lambda experience: -experience.significance)
    felt = [experience.phenomenology for experience in ranked if experience.phenomenology]
    return _distinct(anchor.phrase for how in felt for anchor in how.anchors)[:ANCHORS_MAX]


def _emotions(experiences: Iterable[EpisodeExperience]) -> list[str]:
    """Return the feelings that somebody covered, the strongest over the session first."""
    felt: Counter[str] = Counter()
    for experience in experiences:
        signature, event = _signature(experience), experience.event
        somebodys = event["kind"] == EventKind.USER_MESSAGE or is_by_hand(event)
        if signature is not None and somebodys:
            weight = round(1_000 * signature.intensity * (0.2 + experience.significance))
            felt.update({word.value: weight for word in signature.primary})
    return sorted(felt, key=lambda word: (-felt[word], word))[:EMOTIONS_MAX]


def _signature(experience: EpisodeExperience) -> EmotionalSignature | None:
    return experience.phenomenology.signature if experience.phenomenology else None


def _distinct(values: Iterable[Json]) -> list[str]:
    texts = (value for value in values if isinstance(value, str))
    return list(dict.fromkeys(text for text in texts if text.strip()))


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@lru_cache(maxsize=1)
def _english() -> Analyser:
    return Analyser()
