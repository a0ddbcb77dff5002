"""The quotes that a pack may contain, and the choice among them.

Every sentence of the given memories is a quote with a worth, as enrichment recorded it
(`language.reading`). A message that was not enriched, or was by an older release, is read here by
the same function. The choice is greedy, by worth per length: a quote is worth less if its words
were told already or if its session has many quotes.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from ..core.experience import Utterance
from ..core.people import YOU
from ..core.text import QUOTES, shorten
from ..core.types import MemoryRecord
from ..language.analyser import Analyser
from ..language.closings import is_formula
from ..language.heads import mention_likelihoods
from ..language.marks import shortened_end, telling_piece, turns_it
from ..language.reading import UNTRUE, recorded_or_read
from ..language.sentences import Span, is_item
from ..language.talk import Rarity, Turn, TurnSentence, common_stems
from .experience_views import AGENT, ExperienceView

#: Longest quotation, characters; and two sentences of which the second leans on the first.
CHARS_MAX, TOGETHER_MAX = 220, 220
#: How many sentences before it what a quote leans on stands.
_NAMED_BEFORE = 2
#: What a quote is worth that leans on what is not there, and on what is quoted with it.
_LEANING, _SUPPORTED = 0.5, 0.9
#: What a sentence is worth that only talks about talking, or tells nothing of its speaker.
_IDLE = 0.35
#: What a word of a talk weighs that everybody uses in it.
_WEIGHT_MIN = 0.03
#: What a word that talk is made of weighs beside others, where it weighs at all.
_TALK = 0.4
#: Of so few words a sentence is shown with what was said before it, of so many characters.
_SHORT_WORDS, _ASKED_CHARS = 4, 80
_IDLE_MIN = 0.4
#: A set phrase is one of these, and has so few words of content.
_PHRASES, _PHRASE_WORDS = ("thanks", "greeting", "formula"), 2
#: What is one of these tells something of its speaker; the first, whoever is spoken of.
_TELLING = ("news", "plan", "commitment", "state")
_IDLE_KINDS = ("advice", "thanks", "greeting", "formula", "othernews")


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a message in its own words; `start` and `end` are its place there, characters.

    `worth` is how likely a summary would mention it, 0 to 1; `words` are what its content words
    weigh, by stem. `sentence` is the reading of the whole sentence, `place` its place among those
    of its message. `about` are the words right before its message on which it leans, and `asked` a
    question there, each behind who said it. `named` is the earlier quote of its message with
    which it begins, as that names what it depends on.
    """

    view: ExperienceView
    start: int
    end: int
    worth: float
    words: Mapping[str, float]
    sentence: Utterance
    place: int
    is_cut: bool = False
    about: str = ""
    asked: str = ""
    named: Quote | None = None
    ends: tuple[Quote, ...] = ()
    gaps: tuple[Span, ...] = ()

    @property
    def memory(self) -> MemoryRecord:
        """The message."""
        return self.view.memory

    @property
    def text(self) -> str:
        """The words, on one line, with a mark where they were too long."""
        text = self.memory.text
        words = " … ".join(" ".join(text[start:end].split()) for start, end in self.pieces)
        return f"{words}…" if self.is_cut else words

    @property
    def pieces(self) -> list[Span]:
        """Where the words stand, without the gaps."""
        places = [self.start, *chain(*self.gaps), self.end]
        return [*zip(places[::2], places[1::2], strict=True)]

    @property
    def places(self) -> int:
        """A bit for each of its characters, at the character's place in the message."""
        return sum((1 << end) - (1 << start) for start, end in self.pieces)

    @property
    def quoted(self) -> str:
        """The words in quotation marks; marks within them become single ones."""
        about = f" ({self.about.translate(QUOTES)})" if self.about else ""
        return f"“{self.text.translate(QUOTES)}”{about}"

    @property
    def needs_more(self) -> bool:
        """Whether its sentence says little without the words before it."""
        text, marks = self.sentence.sentence_of(self.memory.text), self.sentence.marks
        few = len(text.split()) <= _SHORT_WORDS and "own" not in marks
        is_part = few or is_item(self.memory.text, self.sentence.start)
        return is_part or "leans" in marks or not self.words

    @property
    def leans(self) -> bool:
        """Whether it says little and lacks the words that it depends on."""
        return self.needs_more and not (self.about or self.named)

    @property
    def is_idle(self) -> bool:
        """Whether it only talks about talking, or tells nothing of its speaker."""
        return _is_idle(self.sentence)

    @property
    def is_phrase(self) -> bool:
        """Whether it is a set phrase (a greeting, an agent's), or has no word of its own."""
        text = self.sentence.sentence_of(self.memory.text)
        if self.view.speaker == AGENT and is_formula(text, anywhere=True):
            return True
        polite = max(map(self.kind, _PHRASES)) >= _IDLE_MIN > self.kind("news")
        return not self.words or (polite and len(self.words) <= _PHRASE_WORDS)

    def kind(self, name: str) -> float:
        """Return how likely its sentence is of a kind."""
        return self.sentence.kinds.get(name, 0.0)


class Quotable:
    """The quotes of some experiences, in order, and how rare words are among them."""

    def __init__(
        self,
        views: Sequence[ExperienceView],
        analyser: Analyser,
        everybody: Sequence[ExperienceView] = (),
    ) -> None:
        """Read the quotes of `views`; `everybody` is all of their sessions, of others too."""
        self._analyser = analyser
        #: Each sentence is compared with many others.
        self.weights = cache(self._weights)
        self._names = {
            stem
            for view in views
            for name in (view.memory.person, view.addressee)
            for stem in analyser.terms(name or "")
        }
        self.last = views[-1].memory.session if views else None
        #: The very last thing that happened.
        self.end = (everybody or views)[-1].memory.seq if views else None
        #: The sessions in which an agent serves.
        self.served = {
            view.memory.session for view in views if view.speaker == AGENT or view.tool is not None
        }
        messages = [view for view in views if view.is_message and view.quotable.strip()]
        read = [sentences_of(view) for view in messages]
        turns = [self._turn(view, each) for view, each in zip(messages, read, strict=True)]
        self._rarity = Rarity(turns)
        likely = mention_likelihoods(turns)
        self.quotes: list[Quote] = []
        last: dict[str | None, LastWords] = {}
        seqs = [view.memory.seq for view in messages]
        found = dict(zip(seqs, zip(read, likely, strict=True), strict=True))
        for view in everybody or views:
            before = last.pop(view.memory.session, None)
            if view.memory.seq not in found:
                continue  # what comes next does not lean on what was before it
            theirs = before if before and before.speaker != view.speaker else None
            sentences, by = found[view.memory.seq]
            self.quotes += self._quotes(view, sentences, by, theirs)
            if sentences and self._says_something(view, sentences[-1]):
                last[view.memory.session] = LastWords.of(view, sentences)

    def _says_something(self, view: ExperienceView, sentence: Utterance) -> bool:
        """Return whether a sentence asks, or has words of its own and is no set phrase."""
        words = self.weights(sentence.sentence_of(view.memory.text))
        says = bool(words) and not _is_idle(sentence) and "congratulates" not in sentence.marks
        return says or "question" in sentence.marks

    def _weights(self, text: str) -> Mapping[str, float]:
        """Return what the content words of a text weigh, by stem.

        Names of speakers weigh nothing beside others: a text may be about nothing else.
        """
        terms = dict.fromkeys(self._analyser.terms(text))
        stems = [stem for stem in terms if stem not in common_stems()]
        own = [stem for stem in stems if stem not in self._names] or stems
        return {stem: max(self._rarity.mass(stem), _WEIGHT_MIN) for stem in own}

    def all_weights(self, text: str) -> dict[str, float]:
        """Return how rare each word of a text is, by stem, those that talk is made of included."""
        return {
            stem: max(self._rarity(stem), _WEIGHT_MIN) * (_TALK if stem in common_stems() else 1.0)
            for stem in dict.fromkeys(self._analyser.terms(text))
            if stem not in self._names
        }

    def spellings(self, text: str) -> dict[str, str]:
        """Return how a text writes its content words, by stem."""
        return self._analyser.spellings(text)

    def _turn(self, view: ExperienceView, sentences: Sequence[Utterance]) -> Turn:
        text = view.memory.text
        terms = self._analyser.of(text).terms
        turn = [
            TurnSentence(each.marks, each.kinds, tuple(terms(text[each.start : each.end])))
            for each in sentences
        ]
        return Turn(str(view.speaker), view.memory.session, turn)

    def _quotes(
        self,
        view: ExperienceView,
        sentences: Sequence[Utterance],
        likely: Sequence[float],
        theirs: LastWords | None,
    ) -> list[Quote]:
        quotes: list[Quote] = []
        text = view.memory.text
        for place, (sentence, by) in enumerate(zip(sentences, likely, strict=True)):
            quote = self._quote(view, sentence, place, by, quotes)
            if place + 1 < len(sentences) and turns_it(sentences[place + 1].sentence_of(text)):
                end = sentences[place + 1].end
                if end - quote.start <= CHARS_MAX and not quote.is_cut:
                    quote = replace(quote, end=end)
            before = sentences[place - 1] if place else None
            if before and turns_it(before.sentence_of(text)) and not quote.gaps:
                first = min(before.start, quote.start)
                quote = replace(quote, start=first) if quote.end - first <= CHARS_MAX else quote
            if theirs and place <= 1 and theirs.is_question:
                quote = replace(quote, asked=theirs.text)
            if theirs and place == 0 and quote.needs_more:
                quote = replace(quote, about=theirs.text, worth=quote.worth * _SUPPORTED / _LEANING)
            if quote.text:
                quotes.append(quote)
        return quotes

    def _quote(
        self,
        view: ExperienceView,
        sentence: Utterance,
        place: int,
        by: float,
        earlier: Sequence[Quote],
    ) -> Quote:
        text = view.memory.text[sentence.start : sentence.end]
        cuts = [cut - sentence.start for cut in sentence.cuts]
        start, end = telling_piece(text, cuts, lambda piece: sum(self.weights(piece).values()))
        short = start + shortened_end(text[start:end], [cut - start for cut in cuts], CHARS_MAX)
        start, end, is_cut = sentence.start + start, sentence.start + short, short < end
        if _is_idle(sentence):
            by *= _IDLE
        elif view.memory.session not in self.served:
            by *= _share_of_speaker(sentence)
        words = self.weights(view.memory.text[start:end])
        quote = Quote(view, start, end, by, words, sentence, place, is_cut)
        if not quote.needs_more:
            return quote
        near = (each for each in reversed(earlier) if place - each.place <= _NAMED_BEFORE)
        named = next((each for each in near if not (each.leans or each.is_phrase)), None)
        both = None if named is None else _joined(named, quote)
        if both is None or len(both.text) > TOGETHER_MAX:
            return replace(quote, worth=by * _LEANING)
        worth, words = by * _SUPPORTED, self.weights(both.text)
        both = replace(both, sentence=sentence, place=place, is_cut=is_cut)
        return replace(both, worth=worth, words=words, named=named)


@dataclass(frozen=True, slots=True)
class LastWords:
    """The last sentence of a message, behind who said it, on which a reply to it may lean."""

    speaker: str | None
    text: str
    is_question: bool

    @classmethod
    def of(cls, view: ExperienceView, sentences: Sequence[Utterance]) -> LastWords:
        """Return those of a message."""
        last = sentences[-1].sentence_of(view.memory.text) if sentences else ""
        is_question = bool(sentences) and "question" in sentences[-1].marks
        after = "" if is_question else "after "
        name = "the user" if view.memory.person == YOU else view.label
        return cls(view.speaker, f"{after}{name}: {shorten(last, _ASKED_CHARS)}", is_question)


def sentences_of(view: ExperienceView) -> Sequence[Utterance]:
    """Return the sentences of a message as they were read; of an agent's message no lists."""
    text, recorded = view.memory.text, recorded_or_read(view.memory.text, view.utterances)
    quotable = view.quotable
    if quotable == text:
        return recorded
    return [each for each in recorded if text[each.start : each.end] in quotable]


def _share_of_speaker(sentence: Utterance) -> float:
    """Return how much a sentence counts by whether it tells of its speaker, or news.

    "A trip can be magical" does not, and "I imagine your trip was magical" leans on the listener's.
    """
    own = "own" in sentence.marks
    telling = max(sentence.kinds.get(kind, 0.0) for kind in (_TELLING if own else _TELLING[:1]))
    if telling >= _IDLE_MIN:
        return 1.0
    return _IDLE if not own else _LEANING if "you" in sentence.marks else 1.0


def _is_idle(sentence: Utterance) -> bool:
    idle = max((sentence.kinds.get(kind, 0.0) for kind in _IDLE_KINDS), default=0.0)
    news = sentence.kinds.get("news", 0.0)
    says_nothing = "meta" in sentence.marks or UNTRUE in sentence.marks
    return says_nothing or (idle >= _IDLE_MIN and news < _IDLE_MIN)


def merged(quotes: Sequence[Quote]) -> list[Quote]:
    """Return quotes with those of one message as one, in the place of the first."""
    by_message: dict[int, Quote] = {}
    for quote in quotes:
        known = by_message.get(quote.memory.seq)
        by_message[quote.memory.seq] = quote if known is None else _joined(known, quote)
    return list(by_message.values())


def _joined(first: Quote, second: Quote) -> Quote:
    """Return two quotes of one message as one; what is left out between them is a gap."""
    before, after = sorted((first, second), key=lambda each: (each.start, each.end))
    text = before.memory.text
    (_, end), *later = sorted([*first.pieces, *second.pieces])
    gaps: list[Span] = []
    for piece_start, piece_end in later:
        if any(map(str.isalnum, text[end:piece_start])):
            gaps.append((end, piece_start))
        end = max(end, piece_end)
    return replace(
        before,
        end=end,
        words={**before.words, **after.words},
        is_cut=after.is_cut if after.end >= before.end else before.is_cut,
        ends=(*first.ends, *second.ends),
        gaps=tuple(gaps),
    )


#: How much the share of new words counts, and what each quote of its session takes.
_NOVELTY, _SESSION = 0.15, 0.5
#: The share of new words of a quote that has none.
_NOTHING_NEW = 0.01
#: Room that a citation takes, and a line of its own with a date, characters.
CITATION, LINE = 7, 12
_BEFORE = len(" (before: )") + CITATION
#: What is worth less is left out, whatever room there is.
WORTH_MIN = 0.03


class QuoteChoice:
    """The choice of quotes so far, and the worth of the next ones.

    `length_power` is how much length counts, `session` what each quote takes from others of its
    session.
    """

    def __init__(self, length_power: float = 1.0, session: float = _SESSION) -> None:
        self._length_power, self._session = length_power, session
        self.chosen: list[Quote] = []
        self._covered: set[str] = set()
        self._sessions: Counter[str | None] = Counter()
        #: Of each message, a bit for every character that is told.
        self._told: dict[int, int] = defaultdict(int)
        self._texts: set[str] = set()

    def take(self, quotes: Iterable[Quote]) -> None:
        """Choose quotes regardless of their worth."""
        for quote in quotes:
            self.chosen.append(quote)
            self._covered |= quote.words.keys()
            self._sessions[quote.memory.session] += 1
            self._told[quote.memory.seq] |= quote.places
            self._texts.add(quote.text.casefold())

    def fill(self, quotes: Sequence[Quote], room: int, at_least: float = WORTH_MIN) -> list[Quote]:
        """Choose of quotes as long as there is room, characters, the best first; return those.

        What is worth less than `at_least` is left out.
        """
        left = [q for q in quotes if q.worth >= at_least and (q.words or not at_least)]
        left = [quote for quote in left if self._new_chars(quote)]
        heap = [(-self._gain(quote), place) for place, quote in enumerate(left)]
        heapq.heapify(heap)
        taken: list[Quote] = []
        while heap and room > 0:
            _, place = heapq.heappop(heap)
            if not self._new_chars(left[place]) or left[place].text.casefold() in self._texts:
                continue
            gain = self._gain(left[place])
            if heap and -gain > heap[0][0]:
                heapq.heappush(heap, (-gain, place))
                continue
            length = self._length(left[place])
            if length <= room:
                room -= length
                taken.append(left[place])
                self.take([left[place]])
        return taken

    def _gain(self, quote: Quote) -> float:
        whole = sum(quote.words.values()) or 1.0
        untold = sum(mass for word, mass in quote.words.items() if word not in self._covered)
        new = max(untold / whole, _NOTHING_NEW)
        worth, named = quote.worth, quote.named
        if named and self._length_power == 1 and self._new_chars(named):
            worth += named.worth  # comes with it
        many = 1 + self._session * self._sessions[quote.memory.session]
        length = self._length(quote) ** self._length_power
        return float(worth * new**_NOVELTY / many / length)

    def _length(self, quote: Quote) -> int:
        """Return how many characters a quote adds, with those that it ends."""
        length = self._new_chars(quote) + len(quote.quoted) - len(quote.text)
        length += sum(len(each.quoted) + _BEFORE for each in quote.ends)
        if quote.memory.seq not in self._told:
            length += CITATION
        return length if self._sessions[quote.memory.session] else length + LINE

    def _new_chars(self, quote: Quote) -> int:
        """Return how many characters of a quote are not told yet."""
        return (quote.places & ~self._told.get(quote.memory.seq, 0)).bit_count()
