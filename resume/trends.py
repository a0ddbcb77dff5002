"""Trends: differences in emotions, actions and topics between the halves of a period.

Each trend is a number over memories, with the quotes that show it; nothing else is concluded. A
period is halved by its sessions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ..core.text import quote
from ..core.types import MemoryRecord
from .experience_views import ExperienceView

#: A trend rests on so many memories, and on so large a change: of a share, of mean valence.
_MEMORIES_MIN, _SHARE_MIN, _VALENCE_MIN = 3, 0.15, 0.2
#: How much more often a share has to be there on one side.
_TIMES_MIN = 2.0
#: Topics told at most, and the sessions that one has to come up in.
_TOPICS_MAX, _TOPIC_SESSIONS_MIN = 4, 2
_QUOTE_CHARS = 120


@dataclass(frozen=True, slots=True)
class Trend:
    """One change: its name, how much it was in the earlier and the later half, and what shows it.

    `kind` is `valence`, `feeling`, `engagement` or `topic`; `quotes` are words of the first and the
    last memory that show it, in quotation marks.
    """

    kind: str
    name: str
    before: float
    after: float
    text: str
    quotes: Sequence[tuple[str, MemoryRecord]]

    @property
    def shown(self) -> list[MemoryRecord]:
        """The memories that it rests on."""
        return [memory for _, memory in self.quotes]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        quotes = [{"text": text, "uri": memory.uri} for text, memory in self.quotes]
        numbers = {"before": round(self.before, 3), "after": round(self.after, 3)}
        return {"kind": self.kind, "name": self.name, **numbers, "text": self.text} | {
            "quotes": quotes
        }


def trends_of(views: Sequence[ExperienceView]) -> list[Trend]:
    """Return the trends of experiences in order of time; none of a single session."""
    sessions = list(dict.fromkeys(view.memory.session for view in views))
    if len(sessions) < 2:
        return []
    early = set(sessions[: len(sessions) // 2])
    halves = (
        [view for view in views if view.memory.session in early],
        [view for view in views if view.memory.session not in early],
    )
    trends: list[Trend] = []
    for who in dict.fromkeys(view.speaker for view in views if view.own_feeling):
        own = [[view for view in half if view.speaker == who] for half in halves]
        trends += _valence(who, own)
        trends += _shares("feeling", f"{who} " if who else "", own, _feelings)
    return [*trends, *_shares("engagement", "", halves, _engagement), *_topics(*halves)]


def _valence(who: str | None, halves: Sequence[Sequence[ExperienceView]]) -> Iterator[Trend]:
    felt = [[view for view in half if view.own_feeling] for half in halves]
    if min(map(len, felt)) < _MEMORIES_MIN:
        return
    before, after = (fmean(view.valence for view in half) for half in felt)
    if abs(after - before) >= _VALENCE_MIN:
        sign, way = (1, "better") if after > before else (-1, "worse")
        ends = (
            min(felt[0], key=lambda view: sign * view.valence),
            max(felt[1], key=lambda view: sign * view.valence),
        )
        text = f"{who or 'somebody'} felt {way}: mean valence {before:+.2f}, then {after:+.2f}"
        yield Trend("valence", way, before, after, text, _quoted(ends))


def _shares(
    kind: str,
    who: str,
    sides: Sequence[Sequence[ExperienceView]],
    words_of: Callable[[ExperienceView], Iterable[str]],
) -> Iterator[Trend]:
    """Yield the words whose share of the memories that have any doubled, or halved."""
    halves = [[(view, words) for view in half if (words := [*words_of(view)])] for half in sides]
    if not all(halves):
        return
    for word in dict.fromkeys(word for half in halves for _, words in half for word in words):
        having = [[view for view, words in half if word in words] for half in halves]
        before, after = (len(own) / len(half) for own, half in zip(having, halves, strict=True))
        more, less = max(before, after), min(before, after)
        most = having[0] if before > after else having[1]
        if len(most) >= _MEMORIES_MIN and more - less >= _SHARE_MIN and more >= _TIMES_MIN * less:
            way = "more" if after > before else "less"
            counts = [f"{len(a)} of {len(b)}" for a, b in zip(having, halves, strict=True)]
            text = f"{who}{word} {way} often: {counts[0]}, then {counts[1]}"
            yield Trend(
                kind, word, before, after, text, _quoted([view for half in having for view in half])
            )


def _topics(earlier: Sequence[ExperienceView], later: Sequence[ExperienceView]) -> list[Trend]:
    """Return the topics that came up in one half alone, those of most memories first."""
    found = []
    for half, other, way in ((later, earlier, "new"), (earlier, later, "no longer")):
        known = {key for view in other for key in view.topics}
        having: dict[str, list[ExperienceView]] = defaultdict(list)
        for view in half:
            for key in view.topics.keys() - known:
                having[key].append(view)
        for key, views in having.items():
            many = len({view.memory.session for view in views}) >= _TOPIC_SESSIONS_MIN
            if many and len(views) >= _MEMORIES_MIN:
                name = views[0].topics[key]
                share = len(views) / len(half)
                numbers = (0.0, share) if way == "new" else (share, 0.0)
                text = f"{way}: {name}, in {len(views)} messages"
                found.append(
                    (len(views), Trend("topic", name, *numbers, text, _quoted(views, name)))
                )
    found.sort(key=lambda each: (-each[0], each[1].name))
    return [trend for _, trend in found[:_TOPICS_MAX]]


def _quoted(views: Sequence[ExperienceView], about: str = "") -> list[tuple[str, MemoryRecord]]:
    """Return the first and the last of some experiences, by the sentence that names a topic."""
    ends = {view.memory.seq: view for view in (views[0], views[-1])}
    quotes = []
    for view in ends.values():
        sentences = (each.sentence_of(view.memory.text) for each in view.utterances)
        naming = next((each for each in sentences if about and about in each), view.memory.text)
        quotes.append((quote(naming, _QUOTE_CHARS), view.memory))
    return quotes


def _feelings(view: ExperienceView) -> list[str]:
    return [word.value for word in view.own_feeling.primary] if view.own_feeling else []


def _engagement(view: ExperienceView) -> list[str]:
    level = view.phenomenology.engagement
    return [level.value] if level is not None and view.is_message else []
