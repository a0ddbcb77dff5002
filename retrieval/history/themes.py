"""Themes: what a stretch of life was about, as words of topics that keep coming back together.

By counting: words of the topics of several memories and not of most of them; words that mostly
share their memories are one theme. Nothing is named that was not said.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from ...core.people import FORMS_OF_ADDRESS
from ...core.types import MemoryRecord
from .experience_views import ExperienceView
from .open_threads import EMPTY_WORDS

#: Words that name no theme.
_NO_THEMES = EMPTY_WORDS | FORMS_OF_ADDRESS
#: Words looked at, and words that name one theme.
_WORDS_MAX, _NAMED_MAX = 120, 3
#: Two words are one theme by so many memories in common, and these shares of the rarer one's and
#: of the commoner one's.
_SHARED_MIN, _OF_RARER_MIN, _OF_COMMONER_MIN = 2, 0.5, 0.2


@dataclass(frozen=True, slots=True)
class Theme:
    """Words of topics that keep coming back together, and their memories, oldest first.

    `words` are as somebody wrote them, a compound such as "sail loft" as one; `keys` their stems.
    `valence` is the mean over those that were felt; None where none was. `valence_count` counts
    them.
    """

    words: tuple[str, ...]
    keys: tuple[str, ...]
    memories: Sequence[MemoryRecord]
    sessions: int
    valence: float | None
    valence_count: int

    @property
    def name(self) -> str:
        """The words, such as `loom, warp`."""
        return ", ".join(self.words)

    @property
    def last(self) -> datetime:
        """When it last came up."""
        return self.memories[-1].at


def themes_of(experiences: Sequence[ExperienceView], limit: int = 12) -> list[Theme]:
    """Return what experiences were about, the weightiest first.

    A word weighs the memories that have it, times ln(all memories / those), times
    ln((sessions + 1) / those that have it): what is said everywhere, or always, is no theme. A
    theme's words stand in two memories at least, and in the more the longer the stretch is.
    """
    having: dict[str, list[int]] = defaultdict(list)
    shown: dict[str, Counter[str]] = defaultdict(Counter)
    for place, view in enumerate(experiences):
        for stem, word in words_of_topics(view).items():
            if word.lower() in _NO_THEMES or word.isdecimal():
                continue
            having[stem].append(place)
            shown[stem][word] += 1
    often = max(_SHARED_MIN, round(math.log2(max(len(experiences), 1)) / 2))
    session = [view.memory.session for view in experiences]
    sessions = len(set(session))

    def weight_of(places: Sequence[int]) -> float:
        rare = math.log(len(experiences) / len(places))
        return len(places) * rare * math.log((sessions + 1) / len({session[p] for p in places}))

    weight = {stem: weight_of(places) for stem, places in having.items() if len(places) >= often}
    ranked = sorted(
        (stem for stem in weight if weight[stem] > 0), key=lambda stem: (-weight[stem], stem)
    )[:_WORDS_MAX]
    groups: list[list[str]] = []
    for stem in ranked:
        home = next((g for g in groups if _co_occur(having[g[0]], having[stem])), None)
        if home is None:
            groups.append([stem])
        elif len(home) < _NAMED_MAX:
            home.append(stem)
    return [_theme(group, having, shown, experiences) for group in groups[:limit]]


def words_of_topics(view: ExperienceView) -> dict[str, str]:
    """Return the words of an experience's topics by stem: a compound shares them with others."""
    pairs: dict[str, str] = {}
    for key, text in view.topics.items():
        stems, words = key.split(), text.split()
        pairs |= zip(stems, words if len(words) == len(stems) else stems, strict=True)
    return pairs


def _co_occur(first: Sequence[int], second: Sequence[int]) -> bool:
    shared = len(set(first) & set(second))
    rarer, commoner = sorted((len(first), len(second)))
    return shared >= max(_SHARED_MIN, _OF_RARER_MIN * rarer, _OF_COMMONER_MIN * commoner)


def _theme(
    stems: Sequence[str],
    having: dict[str, list[int]],
    shown: dict[str, Counter[str]],
    experiences: Sequence[ExperienceView],
) -> Theme:
    places = sorted({place for stem in stems for place in having[stem]})
    members = [experiences[place] for place in places]
    valences = [view.signature.valence or 0.0 for view in members if view.signature is not None]
    compound = sorted(stems) if len(stems) > 1 else None
    compounds = Counter(
        text
        for view in members
        for key, text in view.topics.items()
        if sorted(key.split()) == compound
    )
    words = [shown[stem].most_common(1)[0][0] for stem in stems]
    common = [row for row in compounds.most_common(1) if 2 * row[1] >= len(members)]
    return Theme(
        words=tuple([text for text, _ in common] or words),
        keys=tuple(stems),
        memories=[view.memory for view in members],
        sessions=len({view.memory.session for view in members}),
        valence=fmean(valences) if valences else None,
        valence_count=len(valences),
    )
