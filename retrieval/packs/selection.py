"""Which memories a pack tells of: the most that is worth knowing in the room there is.

Greedy: the next memory is the one whose new words are worth most for the room that it takes. A word
that was told already is worth less each time, which spreads a pack over themes and sessions.
"""

from __future__ import annotations

import heapq
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.text import is_english
from ...core.types import MemoryRecord
from ...core.vocabulary import CommitmentKind
from ..history.deed_closings import ThreadState
from ..history.experience_views import ExperienceView
from .excerpts import Excerpt, excerpt_of, rarity_of, telling_excerpt
from .modes import Ranking
from .snapshot import PackSnapshot
from .standing_alone import StandingAlone, among_speakers

#: A memory's worth is divided by its length to this power: 1 would leave short scraps alone.
_LENGTH_POWER = 0.5
#: The share of an excerpt's words that a fact has which tells it.
_STATED_MIN = 0.5
#: How much more what tells is worth than what hardly does: its weight to this power.
_SHARPNESS = 2.0
#: The worth of a message whose sentences tell nothing, beside one that tells.
_UNTELLING = 0.02
#: The worth of a tool's result, and of its failure.
_RESULT, _FAILURE = 0.1, 0.4
#: What is worth less is left out, whatever room there is.
_TELLING_MIN = 0.03
#: What is worth as much is news; that of the newest session comes first.
_NEWS_MIN = 0.1
#: Room that a citation, a new session and another speaker take, characters.
CITATION, SESSION, SPEAKER = 9, 24, 4


@dataclass(frozen=True, slots=True)
class SelectedMemory:
    """One memory and what is told of it."""

    experience: ExperienceView
    excerpt: Excerpt


class _Choice:
    """What was chosen so far, how often each term was told, and how many characters are left."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.chosen: list[SelectedMemory] = []
        self.counts: Counter[str] = Counter()
        self._opened: set[tuple[str | None, ...]] = set()

    def add(self, item: SelectedMemory) -> None:
        """Take one memory where it fits; what it opens takes room too."""
        memory = item.experience.memory
        opens: dict[tuple[str | None, ...], int] = {(memory.session,): SESSION}
        opens[memory.session, memory.person] = SPEAKER + len(memory.person or "")
        length = len(item.excerpt.text) + CITATION
        length += sum(room for place, room in opens.items() if place not in self._opened)
        if length <= self.room:
            self.room -= length
            self.chosen.append(item)
            self.counts.update(item.excerpt.terms)
            self._opened |= {*opens}


def _is_shared(item: ExperienceView, person: str) -> bool:
    """Say whether a person said it, or the agent said it to them."""
    return item.memory.person == person or (item.memory.person is None and item.tool is None)


def _can_be_read(item: SelectedMemory, alone: StandingAlone) -> bool:
    """Say whether words are told: neither sums and ids that a tool was given, nor "Yeah!"."""
    text = item.excerpt.text
    if item.experience.tool is not None:
        words = (piece.strip(string.punctuation) for piece in text.split())
        return any(len(word) > 1 and word.isalpha() for word in words)
    return not text.isascii() or bool(alone.content(text))


class MemorySelector:
    """What could be told of the memories that a pack sees."""

    def __init__(
        self,
        snapshot: PackSnapshot,
        ranking: Ranking,
        terms_of: Callable[[str], Sequence[str]],
        chars_max: int,
        person: str | None = None,
    ) -> None:
        """Take the gist of every memory that says something, in at most `chars_max` characters.

        With a `person`, what other people said of themselves and what tools returned is left out.
        What tells nothing, such as thanks, is too, unless it is all there is or it answers what was
        asked.
        """
        self._ranking = ranking
        quotable = [
            item
            for item in snapshot.experiences
            if item.quotable.strip() and (person is None or _is_shared(item, person))
        ]
        names = {w for item in quotable for w in terms_of(item.memory.person or "")}
        rarity = rarity_of([terms_of(item.memory.text) for item in quotable])
        self._terms_of = terms_of
        self._rarity = {term: worth for term, worth in rarity.items() if term not in names}
        alone = among_speakers(terms_of, (item.memory.person for item in snapshot.experiences))
        self._took_back = {
            thread.closed.seq
            for thread in snapshot.threads
            if thread.closed is not None and thread.state is ThreadState.CANCELLED
        }
        self._were_read = any(item.utterances for item in quotable)
        self._excerpts = [
            SelectedMemory(item, self._excerpt(item, alone, chars_max)) for item in quotable
        ]
        runs = {item.memory.session for item in snapshot.experiences if item.tool is not None}
        telling = [
            item
            for item in self._excerpts
            if item.excerpt.weight >= _TELLING_MIN
            or (person is None and item.experience.memory.session in runs)  # an order tells nothing
        ]
        if telling and (person is not None or not snapshot.relevance):
            self._excerpts = telling
        self._excerpts = [item for item in self._excerpts if _can_be_read(item, alone)]
        self._weights = [self._rank_weight(snapshot, item.experience) for item in self._excerpts]

    def _excerpt(self, item: ExperienceView, alone: StandingAlone, chars_max: int) -> Excerpt:
        """Return what tells most: of a message by what its sentences do, else by rarity."""
        text, whole, utterances = item.quotable, item.memory.text, item.utterances
        if text != whole:
            utterances = tuple(u for u in utterances if u.sentence_of(whole) in text)
        if item.memory.seq in self._took_back:  # without it, the plan would stand beside it as told
            off = {c.start for c in item.commitments if c.kind is CommitmentKind.CANCEL}
            utterances = tuple(
                replace(u, kinds={**u.kinds, "news": 1.0}) if u.start in off else u
                for u in utterances
            )
        telling = telling_excerpt(whole, utterances, alone, chars_max)
        if telling is not None:
            return replace(telling, weight=telling.weight**_SHARPNESS)
        rare = excerpt_of(text, alone.terms_of, self._rarity, chars_max)
        if item.tool is not None:
            return replace(rare, weight=rare.weight * (_FAILURE if item.error else _RESULT))
        is_read = bool(utterances) or (self._were_read and is_english(text))
        is_talk = is_read or not alone.content(text)
        return replace(rare, weight=rare.weight * _UNTELLING) if is_talk else rare

    def select(
        self, chars: int, excluded: set[int], stated: Mapping[int, str]
    ) -> list[SelectedMemory]:
        """Return what fits into some characters, the best first; sequences in `excluded` are out.

        So is what the fact that rests on a memory, in `stated`, tells as well as its words do.
        The news of the newest session comes before all else.
        """
        choice = _Choice(chars)
        places = [
            place
            for place, item in enumerate(self._excerpts)
            if item.experience.memory.seq not in excluded
            and not self._is_stated(item.excerpt, stated.get(item.experience.memory.seq))
        ]
        last = self._excerpts[-1].experience.memory.session if self._excerpts else None
        newest = [
            place
            for place in places
            if last is not None
            and self._excerpts[place].experience.memory.session == last
            and self._excerpts[place].excerpt.weight >= _NEWS_MIN
        ]
        self._choose(choice, newest)
        self._choose(choice, [place for place in places if place not in {*newest}])
        return choice.chosen

    def _is_stated(self, excerpt: Excerpt, fact: str | None) -> bool:
        if fact is None:
            return False
        terms = {*self._terms_of(fact)}
        return len(terms.intersection(excerpt.terms)) >= _STATED_MIN * len(excerpt.terms)

    def _choose(self, choice: _Choice, places: Sequence[int]) -> None:
        """Choose of some memories as long as there is room, the best first."""
        heap = [(-self._gain(place, choice.counts), place) for place in places]
        heapq.heapify(heap)
        while heap and choice.room > 0:
            _, place = heapq.heappop(heap)
            gain = self._gain(place, choice.counts)
            if gain <= 0:
                continue
            if heap and -gain > heap[0][0]:
                heapq.heappush(heap, (-gain, place))
                continue
            choice.add(self._excerpts[place])

    @property
    def telling(self) -> list[MemoryRecord]:
        """The memories that tell something, in order: what could be told if there were room."""
        return [
            item.experience.memory for item in self._excerpts if item.excerpt.weight > _UNTELLING
        ]

    def _gain(self, place: int, counts: Counter[str]) -> float:
        excerpt, repeat_factor = self._excerpts[place].excerpt, self._ranking.repeat_factor
        worth = sum(
            self._rarity.get(term, 0.0) * repeat_factor ** counts[term] for term in excerpt.terms
        )
        length = len(excerpt.text) + CITATION
        return worth * excerpt.weight * self._weights[place] / float(length**_LENGTH_POWER)

    def _rank_weight(self, snapshot: PackSnapshot, experience: ExperienceView) -> float:
        """Return by how much the mode's ranking lifts a memory above its information."""
        weigh = self._ranking
        return (
            1.0
            + weigh.recency * snapshot.recency(experience, weigh.half_life_h)
            + weigh.significance * experience.significance
            + weigh.feeling * experience.feeling
            + weigh.relevance * snapshot.relevance.get(experience.memory.seq, 0.0)
        )
