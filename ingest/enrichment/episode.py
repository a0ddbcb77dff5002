"""Stage episode: the summary of a session at its end, by rule, from quotations.

Topic and summary are quotations with the names of their speakers; nothing is paraphrased, and only
speakers and the outcomes of calls are added. A model's prose can replace both. No storage, no
clock, no model (feature 32).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from math import fsum, sqrt

from ...core.entries import EpisodeSynthesised
from ...core.events import EventKind
from ...core.experience import EmotionalSignature, Phenomenology, Utterance
from ...core.ids import fold
from ...core.runs.failure_signs import is_error
from ...core.runs.tool_calls import Event, is_result, tool_of
from ...core.runs.tool_result import read_result
from ...core.sentences import is_list, without_opening
from ...core.text import Analyser, shorten
from ...core.time import to_text
from ...core.types import Json
from ...core.vocabulary import Trigger
from ..capture.event_view import is_by_hand, is_message, metadata_of, read_event
from ..extraction.entities.topics import leading_topics
from ..extraction.headlines import title_of
from ..extraction.quotations import (
    QUOTE_CHARS_MAX,
    describe_call,
    describe_failure,
    quotable_sentences,
    quote,
    speaker_label,
    spoken_text,
)
from ..extraction.salience import TermSalience
from ..extraction.session_requests import (
    TITLE_CHARS_MAX,
    Request,
    first_request,
    request_title,
)
from .consequences import consequences_of, is_change

#: Fewer experiences make no episode.
EXPERIENCES_MIN = 3
TOPIC_CHARS_MAX, SUMMARY_CHARS_MAX = TITLE_CHARS_MAX, 1_200
ANCHORS_MAX, EMOTIONS_MAX, TAGS_MAX = 10, 5, 12
#: Moments that a summary is made of at most, and of one experience at most.
_LINES_MAX, _LINES_PER_EXPERIENCE_MAX = 10, 2
_PHRASES_MAX, _TOPICS_MAX = 4, 2
#: What tells less of its speaker is neither quoted nor a title.
_TELLS_MIN = 0.4

_TRIGGER_WORTH = {
    Trigger.PROBLEM_SOLUTION: 0.5,
    Trigger.LEARNING_FAILURE: 0.5,
    Trigger.LEARNING_SUCCESS: 0.4,
    Trigger.CORRECTIVE_FEEDBACK: 0.4,
    Trigger.POSITIVE_FEEDBACK: 0.1,
}
_SPEAKS_TO_YOU = re.compile(r"\b(?:you|your|yours|ya|u|we|us|our)\b", re.IGNORECASE)
_SPEAKS_OF_SELF = re.compile(r"\b(?:i|we|my|our|me|us)\b", re.IGNORECASE)
_POLITE = re.compile(
    r"\b(?:thank(?:s| you)|you['’]re welcome|feel free|have a (?:great|nice|good)"
    r"|happy to (?:help|assist)|anything else|take care|talk (?:to you )?(?:soon|later)|bye"
    r"|good luck|safe travels|please (?:confirm|provide)|could you please|would you like"
    r"|glad (?:i|to|you)|no problem|my pleasure|sorry|apologi[sz]e|let me)\b",
    re.IGNORECASE,
)


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
    """One line that a summary may have: who, their words, and what it is worth."""

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
        consequences=tuple(consequences_of(builder.events, builder.salience.stems)),
        significance=round(total / len(experiences), 6),
        by="rule",
    )


def _asks_of_others(text: str) -> bool:
    """Say whether a message ends with a question about others: "What did the kid do?"."""
    last = text.rstrip().rpartition("\n")[2]
    question = re.split(r"[.!?]\s+", last)[-1]
    return question.endswith("?") and not _SPEAKS_TO_YOU.search(question)


class _EpisodeBuilder:
    """A session while its episode is made."""

    def __init__(self, experiences: Sequence[EpisodeExperience], analyser: Analyser) -> None:
        self.experiences = [item for item in experiences if item.event.get("payload")]
        self.events = [item.event for item in self.experiences]
        self.names = _names(self.events)
        message_texts = [words for event in self.events if (words := spoken_text(event))]
        texts = message_texts or [read_event(event).gist for event in self.events]
        self.salience = TermSalience(texts, analyser, self.names)
        kinds = {event["kind"] for event in self.events}
        self.served = bool(kinds & {EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT})
        self._speakers = _distinct(speaker_label(e) for e in self.events if is_message(e))
        #: People who talk, and no agent that works.
        self.is_chat = EventKind.TOOL_RESULT not in kinds

    def topic(self) -> str:
        """Return a heading: the caller's own, else what was asked for, else what recurs."""
        own = Counter(t for event in self.events if (t := _own_topic(event)))
        if own:
            return shorten(own.most_common(1)[0][0], TOPIC_CHARS_MAX)
        headline = self._headline()
        request = self._request() if self.served else None
        if request is not None and not (headline and not request.is_wish):
            title = request_title(self.events, request, self.salience.stems)
            return shorten(title, TOPIC_CHARS_MAX)
        if headline:
            return shorten(headline, TOPIC_CHARS_MAX)
        people = _listed(_distinct(speaker_label(e) for e in self.events if is_message(e)))
        topics = leading_topics([item.topics for item in self.experiences], _TOPICS_MAX)
        phrases = ", ".join(topics or self.salience.phrases(_PHRASES_MAX))
        if not phrases:
            first = next((s for e in self.events for s in quotable_sentences(spoken_text(e))), "")
            phrases = first or _listed(_distinct(tool_of(event) for event in self.events))
        return shorten(f"{people}: {phrases}" if people else phrases, TOPIC_CHARS_MAX)

    def _headline(self) -> str:
        """Return what happened in the words of the speakers; nothing for the work of an agent."""
        telling = [
            replace(utterance, headline=self._headline_of(place, utterance))
            for place, item in enumerate(self.experiences)
            for utterance in item.utterances
            if utterance.tells >= _TELLS_MIN
        ]
        return title_of(telling) if self.is_chat else ""

    def _headline_of(self, place: int, utterance: Utterance) -> str | None:
        """Return the headline of a sentence; None of what answers a question about others.

        Of two people of one first name it has the whole name.
        """
        if not utterance.headline:
            return None
        event = self.events[place]
        sentence = utterance.sentence_of(spoken_text(event))
        opens = utterance.start == 0 and place > 0 and not _SPEAKS_OF_SELF.search(sentence)
        if opens and _asks_of_others(spoken_text(self.events[place - 1])):
            return None
        speaker = speaker_label(event)
        if utterance.headline.startswith(speaker):
            return utterance.headline
        called = utterance.headline.split(maxsplit=1)[0].removesuffix("'s")
        shared = sum(other.split(maxsplit=1)[0] == called for other in self._speakers)
        return utterance.headline.replace(called, speaker, 1) if shared > 1 else utterance.headline

    def summary(self) -> str:
        """Return the moments most worth telling, in order, each with who said it."""
        waiting = [
            moment
            for place in range(len(self.experiences))
            for moment in self._summary_lines(place)
        ]
        if not waiting:  # no news: what says most of the rest is still what it was about
            waiting = [
                m for p in range(len(self.experiences)) for m in self._quotable_lines(p, 0.0)
            ]
        chosen: list[_SummaryLine] = [m for m in (self._first(waiting), self._last(waiting)) if m]
        chosen = list(dict.fromkeys(chosen))
        covered_stems: set[str] = {stem for moment in chosen for stem in moment.stems}
        while waiting and len(chosen) < _LINES_MAX:
            room = SUMMARY_CHARS_MAX - sum(len(moment.text) + 1 for moment in chosen)
            waiting = [
                moment
                for moment in waiting
                if moment not in chosen
                and len(moment.text) < room
                and sum(other.place == moment.place for other in chosen) < _LINES_PER_EXPERIENCE_MAX
            ]
            best = max(waiting, key=lambda moment: self._worth(moment, covered_stems), default=None)
            if best is None or (chosen and self._worth(best, covered_stems) <= 0):
                break
            chosen.append(best)
            covered_stems |= best.stems
        ordered = sorted(chosen, key=lambda moment: (moment.place, moment.line))
        return " ".join(moment.text for moment in ordered)[:SUMMARY_CHARS_MAX]

    def tags(self) -> list[str]:
        """Return the callers' own tags, then the words that recur."""
        given = [metadata_of(event).get("tags") for event in self.events]
        own = [tag for tags in given if isinstance(tags, list) for tag in tags]
        recurring = [phrase.lower() for phrase in self.salience.phrases(TAGS_MAX // 2)]
        return _distinct([*own, *recurring])[:TAGS_MAX]

    def _summary_lines(self, place: int) -> list[_SummaryLine]:
        """Return what an episode can quote of one experience."""
        experience, event = self.experiences[place], self.events[place]
        worth = (
            0.6 * experience.significance
            + _TRIGGER_WORTH.get(experience.trigger, 0.0)
            + 0.2 * experience.captured
        )
        signature = _signature(experience)
        worth += 0.2 * (signature.intensity if signature and not is_result(event) else 0.0)
        if is_result(event):
            ended = " succeeded" if read_result(event).ok else ""
            done = f"{describe_call(event)}{ended}."
            success = done if is_change(event) else ""
            text = f"{describe_failure(event)}." if is_error(event) else success
            by_tool = frozenset({f"tool:{tool_of(event)}:{is_error(event)}"})
            return [_SummaryLine(place, 0, text, worth + 0.3, by_tool)] if text else []
        message = spoken_text(event)
        if self.is_chat and experience.utterances:
            return [
                _SummaryLine(place, line, quote(event, words), 0.5 + utterance.tells, stems)
                for line, utterance in enumerate(experience.utterances)
                if utterance.tells >= _TELLS_MIN
                and (words := without_opening(utterance.sentence_of(message)))
                and len(stems := self.salience.stems(words)) > 1
            ]
        return self._quotable_lines(place, worth)

    def _quotable_lines(self, place: int, worth: float) -> list[_SummaryLine]:
        """Return the sentences of a message as lines."""
        message = spoken_text(self.events[place])
        worth -= 0.4 * is_list(message)
        return [
            self._summary_line(place, line, sentence, worth)
            for line, sentence in enumerate(quotable_sentences(message))
        ]

    def _summary_line(self, place: int, line: int, sentence: str, worth: float) -> _SummaryLine:
        stems = self.salience.stems(sentence)
        worth += 0.15 * any(c.isdigit() for c in sentence) + 0.1 * ("I" in sentence.split())
        worth -= 0.6 * sentence.endswith(("?", ":")) + 0.8 * bool(_POLITE.search(sentence))
        worth -= 0.6 * (len(stems) < 2) + 0.3 * (len(sentence) > QUOTE_CHARS_MAX)
        return _SummaryLine(place, line, quote(self.events[place], sentence), worth, stems)

    def _worth(self, moment: _SummaryLine, covered_stems: set[str]) -> float:
        weights = self.salience.weights
        new = fsum(weights.get(stem, 0.0) for stem in moment.stems - covered_stems)
        new /= self.salience.weight_max
        again = 0.5 if moment.stems <= covered_stems else 0.0
        return moment.worth - 0.5 - again + new / sqrt(1 + len(moment.stems))

    def _request(self) -> Request | None:
        return first_request(self.events, self.salience.stems)

    def _first(self, moments: Sequence[_SummaryLine]) -> _SummaryLine | None:
        request = self._request() if self.served else None
        if request is None:
            return None
        of_it = [moment for moment in moments if moment.place == request.place]
        return next((moment for moment in of_it if request.text[:80] in moment.text), None)

    def _last(self, moments: Sequence[_SummaryLine]) -> _SummaryLine | None:
        """Return how the agent says that it ended."""
        by_agent = [
            moment
            for moment in moments
            if self.events[moment.place]["kind"] == EventKind.ASSISTANT_MESSAGE
            and len(moment.stems) > 1
            and not _POLITE.search(moment.text)
            and not moment.text.endswith(("?”", ":”"))
        ]
        place = max((moment.place for moment in by_agent), default=0)
        return next((moment for moment in by_agent if moment.place == place), None)


def _names(events: Iterable[Event]) -> frozenset[str]:
    """Return the words by which the speakers are called, short forms included."""
    people = [event.get("person") for event in events]
    name_words = {
        name_word for name in people if isinstance(name, str) for name_word in fold(name).split()
    }
    return frozenset(
        name_word[:end] for name_word in name_words for end in range(3, len(name_word) + 1)
    )


def _own_topic(event: Event) -> str | None:
    topic = metadata_of(event).get("topic")
    return " ".join(topic.split()) or None if isinstance(topic, str) else None


def _anchors(experiences: Iterable[EpisodeExperience]) -> list[str]:
    """Return the phrases that bring the most significant experiences back."""
    ranked = sorted(experiences, key=lambda experience: -experience.significance)
    felt = [experience.phenomenology for experience in ranked if experience.phenomenology]
    return _distinct(anchor.phrase for how in felt for anchor in how.anchors)[:ANCHORS_MAX]


def _emotions(experiences: Iterable[EpisodeExperience]) -> list[str]:
    """Return the feelings that somebody told, the strongest over the session first."""
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
