"""What stands: what a person asked for, what is open, what was hard; each in their own words.

Nothing is asserted: a later word on the same is shown beside what it may replace or close.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from ..core.vocabulary import TransitionField
from ..language.closings import ClosingWord, closing_of, is_formula, open_days, replies_to
from .experience_views import AGENT, ExperienceView
from .quotes import Quotable, Quote

#: How likely a sentence is an instruction that counts: to an agent, and among people,
#: where only needs of the body are, and what is asked for politely and for ever.
ASKED_MIN, _AMONG_PEOPLE_MIN, _SURELY_ASKED_MIN = 0.35, 0.1, 0.8
#: What is less likely asked for is marked.
_SURE_MIN = 0.6
#: What addresses somebody; what does not is as likely an instruction.
_ADDRESSED, _UNADDRESSED_MIN = frozenset({"order", "please", "says you", "wants you"}), 0.3
#: What is more likely one of these is no instruction that counts.
_NOT_ASKED = ("question", "commitment", "news", "reminder", "reaction")
#: What takes back, and how much of the words of one must come up in the other.
_TAKES_BACK_MIN, _SAME_MIN, _SURELY_SAME_MIN, _EACH_WORD = 0.3, 0.18, 0.6, 0.06
#: A commitment is as likely, and is news by this much less.
_COMMITTED_MIN, _NEWS_LESS, _PROMISED_MIN, _SURELY_MIN = 0.55, 0.15, 0.5, 0.75
#: What has no question mark is a question if it is as likely one.
_ASKS_MIN = 0.6
#: What tells of something else than one thing to do: habits, deeds, talk about talking.
_NO_TASK = frozenset({"always", "perfect", "meta", "question"})
#: Sessions whose commitments are still open.
_SESSIONS = 4
#: Sessions whose commitments are told as due that have lapsed since.
_DUE_SESSIONS = 2
#: How much of the words of a commitment a later word on it has.
_LATER_MIN, _LATER_WORDS_MIN = 0.5, 2
#: A word without an object closes what was said so many sentences before it.
_NEAR = 8
_REPEATED_MIN = 0.75
#: So long a question is quoted whole.
_QUESTION_CHARS_MAX = 160
_SETBACK_MIN, _HARD_MIN, _HARD_SAME = 0.65, 0.17, 0.6


@dataclass(frozen=True, slots=True)
class StandingQuote:
    """A quote, and others on the same: what it replaces, or the later word on it.

    `was_due` says that the time it named is over by the last meeting, `is_sure` that it likely is
    what its section says.
    """

    quote: Quote
    others: tuple[Quote, ...] = ()
    was_due: bool = False
    is_sure: bool = True


def asked_for(talk: Quotable, person: str | None, most: int) -> list[StandingQuote]:
    """Return what was asked for good, newest first: standing instructions, needs, corrections.

    The newest word on a thing stands, with those that it replaces.
    """
    asked = [
        quote
        for quote in talk.quotes
        if quote.view.by_somebody
        and person in (None, quote.memory.person)
        and (_is_asked(talk, quote) or _takes_back(quote))
    ]
    standing: list[StandingQuote] = []
    for quote in map(_whole, asked):
        replaced = _replaced(talk, quote, standing)
        older = tuple(q for each in replaced for q in (each.quote, *each.others))
        standing = [each for each in standing if each not in replaced]
        if replaced or (_is_asked(talk, quote) and not _only_takes_back(quote)):
            is_sure = _asked(quote) >= _SURE_MIN
            standing.append(StandingQuote(quote, older[:2], is_sure=is_sure))
    return standing[::-1][:most]


def _is_asked(talk: Quotable, quote: Quote) -> bool:
    if quote.memory.session in talk.served and _is_rather_asked(quote):
        return True
    likely, marks = _asked(quote), {*quote.sentence.marks}
    if marks >= {"body", "own"}:
        return likely >= _AMONG_PEOPLE_MIN
    politely = "please" in marks and not marks.isdisjoint({"always", "not"})
    return politely and likely >= _SURELY_ASKED_MIN


def _asked(quote: Quote) -> float:
    return max(quote.kind("asked"), quote.kind("instruction"), quote.kind("withdrawal"))


def _is_rather_asked(quote: Quote) -> bool:
    """Return whether a sentence is rather an instruction than a question, a plan or news."""
    if _asked(quote) < max(ASKED_MIN, *(quote.kind(other) for other in _NOT_ASKED)):
        return False
    addressed = not _ADDRESSED.isdisjoint(quote.sentence.marks)
    return addressed or quote.kind("instruction") >= _UNADDRESSED_MIN


def _takes_back(quote: Quote) -> bool:
    likely = quote.kind("withdrawal")
    return likely >= _TAKES_BACK_MIN and likely > max(quote.kind("opinion"), quote.kind("reaction"))


def _only_takes_back(quote: Quote) -> bool:
    """Return whether a sentence takes back what was asked for, and asks for nothing itself."""
    asks = max(quote.kind("asked"), quote.kind("instruction"))
    return _takes_back(quote) and quote.kind("withdrawal") > asks


def _whole(quote: Quote) -> Quote:
    """Return the quote of a whole sentence, where that is short enough."""
    sentence = quote.sentence
    size = sentence.end - sentence.start
    asks = "question" in sentence.marks and size <= _QUESTION_CHARS_MAX
    if (size > len(quote.text) * 3 and not asks) or quote.is_cut:
        return quote
    return replace(quote, start=sentence.start, end=sentence.end)


def _replaced(
    talk: Quotable, later: Quote, standing: Sequence[StandingQuote]
) -> list[StandingQuote]:
    """Return what a later word takes back, the likeliest, or says otherwise."""
    takes_back = _takes_back(later) or "no more" in later.sentence.marks
    earlier = [
        each
        for each in standing
        if each.quote.memory.seq != later.memory.seq
        and each.quote.memory.person == later.memory.person
    ]
    common = [_common(talk.all_weights, later, each.quote) for each in earlier]
    shared = [alike + _EACH_WORD * min(2, words) for alike, words in common]
    best = max(range(len(shared)), key=shared.__getitem__, default=-1)
    return [
        each
        for place, each in enumerate(earlier)
        if common[place][0] >= _SURELY_SAME_MIN
        or (takes_back and place == best and shared[place] >= _SAME_MIN)
    ]


def _alike(weigh: Callable[[str], Mapping[str, float]], first: Quote, second: Quote) -> float:
    """Return how much of what the words of the lighter one weigh is in the other, 0 to 1."""
    return _common(weigh, first, second)[0]


def _common(
    weigh: Callable[[str], Mapping[str, float]], first: Quote, second: Quote
) -> tuple[float, int]:
    """Return the same, and how many words they share."""
    first_weights, second_weights = (
        weigh(quote.sentence.sentence_of(quote.memory.text)) for quote in (first, second)
    )
    shared = [mass for word, mass in first_weights.items() if word in second_weights]
    lighter = min(sum(first_weights.values()), sum(second_weights.values()))
    return sum(shared) / max(lighter, 1e-9), len(shared)


def open_items(
    talk: Quotable, views: Sequence[ExperienceView], person: str | None, most: int
) -> list[StandingQuote]:
    """Return what somebody undertook or asked and what is open, newest first.

    Of the last sessions, each with the later word on it. What has lapsed by the last meeting was
    due, where it named a time; else it is left out, as is what a later word closes.
    """
    sessions = list(dict.fromkeys(view.memory.session for view in reversed(views)))[:_SESSIONS]
    last = views[-1].memory.at
    items: list[StandingQuote] = []
    for place, quote in reversed(list(enumerate(talk.quotes))):
        text = quote.sentence.sentence_of(quote.memory.text)
        if quote.memory.session not in sessions or not _concerns(quote, person) or is_formula(text):
            continue
        days, is_dated = open_days(text)
        is_due = quote.memory.at + timedelta(days=days) < last
        own = person is None or quote.memory.person == person
        undertaken = _is_commitment(quote) if own else _is_promise(quote)
        in_time = own or (
            quote.memory.session == sessions[0] and not _asks_back(talk.quotes[:place], quote)
        )
        asked = in_time and not is_due and _is_unanswered(talk, place)
        reply = _reply(talk, place) if asked else None
        asked = asked and (reply is None or quote.memory.session == sessions[0])
        lately = is_dated and quote.memory.session in sessions[:_DUE_SESSIONS]
        promised = undertaken and (lately or not is_due) and not _is_closed(talk, place)
        if asked or promised:
            later = reply or _later_word(talk, place)
            if not any(_alike(talk.weights, quote, each.quote) >= _REPEATED_MIN for each in items):
                shown = _whole(quote) if _asks(quote) else quote
                items.append(StandingQuote(shown, (later,) if later else (), is_due))
    return items[:most]


def _is_closed(talk: Quotable, place: int) -> bool:
    """Return whether a later message on the subject says that it is done or off."""
    quote = talk.quotes[place]
    for distance, later in enumerate(talk.quotes[place + 1 :], 1):
        if later.memory.seq == quote.memory.seq:
            continue
        text = later.sentence.sentence_of(later.memory.text)
        closing = closing_of(text)
        shared = quote.words.keys() & _words_of(talk, place + distance)
        here = later.memory.session == quote.memory.session and distance <= _NEAR
        if closing and (shared or (closing is ClosingWord.OFF and here and _is_about_it(later))):
            return True
        if len(shared) >= _LATER_WORDS_MIN and _is_done(later):
            return True
    return False


def _words_of(talk: Quotable, place: int) -> set[str]:
    """Return the words of a sentence, with those of the one that it leans on in its message."""
    quote = talk.quotes[place]
    words = {*talk.weights(quote.sentence.sentence_of(quote.memory.text))}
    before = talk.quotes[place - 1] if place else quote
    if _is_about_it(quote) and before.memory.seq == quote.memory.seq:
        words |= {*talk.weights(before.sentence.sentence_of(before.memory.text))}
    return words


def _is_about_it(quote: Quote) -> bool:
    """Return whether a sentence names nothing of its own: "Never mind, I bought it myself"."""
    return "leans" in quote.sentence.marks or not quote.words


def _is_done(quote: Quote) -> bool:
    """Return whether a sentence reports something promised as done, in the same words."""
    marks = quote.sentence.marks
    open_marks = {"not", "future", "unreal", "question", "must"}
    return open_marks.isdisjoint(marks) and not {"past verb", "perfect"}.isdisjoint(marks)


def _concerns(quote: Quote, person: str | None) -> bool:
    return (
        person is None
        or person in (quote.memory.person, quote.view.addressee)
        or (quote.view.addressee is None and quote.view.speaker is not None)
    )


def _asks(quote: Quote) -> bool:
    """Return whether a sentence asks, with a mark of it or by its words."""
    return "question" in quote.sentence.marks or quote.kind("question") >= _ASKS_MIN


def _asks_back(before: Sequence[Quote], quote: Quote) -> bool:
    """Return whether a question answers one: the message before it, somebody else's, asks."""
    earlier = [each for each in before if each.memory.seq != quote.memory.seq]
    last = [each for each in earlier if each.memory.seq == earlier[-1].memory.seq]
    return any(_asks(each) and each.view.speaker != quote.view.speaker for each in last)


def _is_commitment(quote: Quote) -> bool:
    likely = max(quote.kind("commitment"), quote.kind("promise"), quote.kind("plan"))
    others = max(quote.kind("description"), _asked(quote) - _NEWS_LESS)
    return bool(
        likely >= max(_COMMITTED_MIN, others)
        and quote.kind("news") < likely - _NEWS_LESS
        and quote.kind("withdrawal") < _COMMITTED_MIN
        and quote.words
        and _NO_TASK.isdisjoint(quote.sentence.marks)
    )


def _is_promise(quote: Quote) -> bool:
    """Return whether the other side promises something: plans of people are their own affair."""
    surely = quote.kind("commitment") >= _SURELY_MIN > quote.kind("plan")
    promised = quote.view.speaker == AGENT or surely or quote.kind("promise") >= _PROMISED_MIN
    return promised and _is_commitment(quote)


def _is_unanswered(talk: Quotable, place: int) -> bool:
    """Return whether a question names something and no reply says anything of it.

    A reply shares a word with the question, or stands right behind it in the form of an answer. To
    ask back, to say that one does not know, and another subject answer nothing.
    """
    quote = talk.quotes[place]
    marks = quote.sentence.marks
    if not _asks(quote) or "meta" in marks or not quote.words or not quote.view.by_somebody:
        return False
    others = [
        later for later in talk.quotes[place + 1 :] if later.view.speaker != quote.view.speaker
    ]
    asked = quote.sentence.sentence_of(quote.memory.text)
    for later in others:
        if not {"defers", "question"}.isdisjoint(later.sentence.marks):
            continue
        text = later.sentence.sentence_of(later.memory.text)
        near = later.memory.seq == others[0].memory.seq
        near = near and later.memory.session == quote.memory.session
        if quote.words.keys() & talk.weights(text).keys():
            return False
        if near and replies_to(asked, text, later.sentence.marks):
            return False
    return True


def _reply(talk: Quotable, place: int) -> Quote | None:
    """Return what the next message of somebody else in the session tells; None for nothing."""
    quote = talk.quotes[place]
    later = [
        each
        for each in talk.quotes[place + 1 :]
        if each.memory.session == quote.memory.session and each.view.speaker != quote.view.speaker
    ]
    telling = (each for each in later if each.memory.seq == later[0].memory.seq)
    return next((q for q in telling if {"defers", "question"}.isdisjoint(q.sentence.marks)), None)


def _later_word(talk: Quotable, place: int) -> Quote | None:
    """Return the sentence of anybody that is most like one said before it; None for none."""
    quote = talk.quotes[place]
    whole = sum(quote.words.values())
    best, most = None, _LATER_MIN
    for later in talk.quotes[place + 1 :]:
        shared = [mass for word, mass in quote.words.items() if word in later.words]
        if len(shared) < min(_LATER_WORDS_MIN, len(quote.words)):
            continue
        alike = sum(shared) / min(whole, sum(later.words.values()))
        tells = later.memory.seq != quote.memory.seq and "question" not in later.sentence.marks
        if tells and alike >= most:
            best, most = later, alike
    return best


def hard_things(talk: Quotable, person: str | None, most: int) -> list[Quote]:
    """Return what was bad news of a person's own, the likeliest first; of a good tone is none."""
    hard = sorted(
        (
            quote
            for quote in talk.quotes
            if quote.view.by_somebody
            and person in (None, quote.memory.person)
            and quote.kind("setback") >= _SETBACK_MIN
            and quote.view.valence <= 0
            and quote.kind("setback") * quote.worth**0.5 > _HARD_MIN
        ),
        key=lambda quote: -quote.kind("setback") * quote.worth**0.5,
    )
    chosen: list[Quote] = []
    for quote in hard:
        if len(chosen) < most and not any(
            _alike(talk.weights, quote, q) > _HARD_SAME for q in chosen
        ):
            chosen.append(quote)
    return chosen


def unresolved(views: Sequence[ExperienceView]) -> list[tuple[ExperienceView, str]]:
    """Return the uncertainties that a model heard and that nothing resolved, newest first."""
    settled = {
        str(change.before)
        for view in views
        for change in view.changes
        if change.field is TransitionField.UNCERTAINTY and change.before is not None
    }
    heard = {
        text: view
        for view in views
        for text in view.phenomenology.uncertainties
        if text not in settled
    }
    return [(view, text) for text, view in reversed(heard.items())]
