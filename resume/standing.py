"""What a person asked for permanently, and what is open since the last meeting.

Each is a quote that very likely is what its section says. Less likely ones are among the other
quotes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from ..core.events import EventKind
from ..core.vocabulary import TransitionField
from ..language.closings import (
    ClosingWord,
    closing_of,
    is_formula,
    moves_on,
    open_days,
    subjects_of,
)
from ..language.fact_ends import Ending, ending_of, may_end
from ..language.facts import Stated, is_over, stated_in
from ..language.marks import names_a_day
from ..language.reading import UNTRUE
from .experience_views import AGENT, ExperienceView
from .quotes import Quotable, Quote, merged

#: How likely what stands is asked for good, less for a few words. Of sentences held out, 90 of 100
#: that are told as such were asked for good, 97 of 100 short ones, and 91 of 100 beside wishes and
#: plans in the same words.
_ASKED_MIN, _SHORT_MIN, _FEW_WORDS = 0.8, 0.59, 14
_POLITELY_LESS = 0.05
_ORDERS = frozenset({"asked", "instruction", "withdrawal"})
_FOR_GOOD = frozenset({"always", "not"})
#: What one wishes or plans to do oneself, or decided, asks for something with one of these only.
_ORDERING = frozenset({"order", "so order", "says you"})
#: "I don't have it with me": with these alone it is no order.
_LACKS = frozenset({"opens with I", "not"})
#: Beside these a question may ask for good.
_REPEATED = frozenset({"always", "recurs"})
#: "Send the report every Monday at 8", "Please never say that": an order, whatever the head says,
#: but for these.
_RECURRING, _NEVER = frozenset({"order", "recurs"}), frozenset({"order", "please", "always", "not"})
_NO_ORDER = frozenset({"question", "own act", "reports", "for now", "to others", UNTRUE})
#: An answer to an agent, such as "Yes, and always the unscented one", is an order too; and what
#: was wrong "last time", with a request.
_ANSWERS, _CORRECTS = frozenset({"order", "always"}), frozenset({"please", "last time"})
#: "You can rename things now": what was forbidden no longer is.
_PERMITS = frozenset({"may", "once", "says you"})
#: Set phrases and reactions say nothing against it.
_IGNORED = _ORDERS | {"reaction", "thanks", "greeting", "formula"}
#: A sentence that is more likely one of these takes nothing back.
_NOT_TAKEN = ("opinion", "reaction")
#: How likely a sentence takes something back, or changes it.
_TAKES_BACK_MIN = 0.3
#: What is likely on the same is so only if nothing else is much more alike.
_NEAREST_SHARE = 0.75
#: How much of the words of one comes up in the other where they are on the same, or likely so.
_SAME_MIN, _ALIKE_MIN, _LIKELY_SAME_MIN, _LIKELY_SAME_WORDS = 0.4, 0.25, 0.15, 2
#: Least likelihoods of an undertaking, a promise and a question; by how much news is less likely.
_UNDERTAKEN_MIN, _NEWS_LESS, _PROMISED_MIN, _QUESTION_MIN = 0.8, 0.15, 0.5, 0.35
#: Marks of a sentence that is no single task: a habit, a deed, a wish, talk about talking.
_NO_TASK = frozenset({"always", "perfect", "meta", "question", "unreal"})
_TIMES = frozenset({"date", "digit"})
#: A message that says a promise is done has at least so many of its words, and a question as many.
_DONE_WORDS_MIN, _ASKED_WORDS_MIN = 2, 2
#: A word such as "never mind" closes what was said at most so many sentences before.
_NEAR = 8
_REPEATED_MIN = 0.75
#: Sessions looked back at for what was undertaken, and how much of it a later word has.
_SESSIONS, _LATER_MIN = 5, 0.5
#: How likely bad news must be: of held-out sentences, all 40 that passed were bad news.
_SETBACK_MIN = 0.95
#: A deed, question or wish never ends. An end names at least so much of the statement it ends.
_HAPPENED = frozenset({"past verb", "past time", "question", "unreal", "you"})
_GIVEN_UP_MIN = 0.5
#: The rest of a message often limits a sentence and is quoted with it, up to so many characters.
_WHOLE_CHARS_MAX = 220


@dataclass(frozen=True, slots=True)
class StandingQuote:
    """A quote with others on the same subject: those it replaces, or a later one.

    `was_due` says that its date was past at the last meeting, `lets_off` that it only excepts
    something from the others.
    """

    quote: Quote
    others: tuple[Quote, ...] = ()
    was_due: bool = False
    lets_off: bool = False


def asked_for(talk: Quotable, person: str | None, most: int) -> list[StandingQuote]:
    """Return the standing requests, newest first: instructions, needs, corrections.

    The newest request on a subject is returned with those of the same person before it, which it
    replaces, or may replace. One that a later statement may have ended is left out.
    """
    standing: list[StandingQuote] = []
    for quote in (each for each in talk.quotes if each.view.by_somebody):
        takes_back = _takes_back(quote)
        permits = _PERMITS.issubset(quote.sentence.marks)
        if not (takes_back or permits) and (
            _asked(quote) < _TAKES_BACK_MIN or _is_own_affair(quote)
        ):
            continue
        is_asked = _is_asked(talk, quote)
        whose = quote.memory.person
        own = is_asked and person in (None, whose)
        kept: list[StandingQuote] = []
        replaced: list[StandingQuote] = []
        alikes = [_alike(talk, quote, each.quote) for each in standing]
        for each, alike in zip(standing, alikes, strict=True):
            lifts = permits and "not" in each.quote.sentence.marks
            likely = (takes_back or lifts) and _likely_same(talk, quote, each.quote, alike)
            likely = likely or (alike >= _ALIKE_MIN and is_asked)
            likely = likely and alike >= _NEAREST_SHARE * max(alikes)
            if each.quote.memory.seq == quote.memory.seq or not (likely or alike >= _SAME_MIN):
                kept.append(each)
            elif own and each.quote.memory.person == whose:
                replaced.append(each)
        ends_some, standing = len(kept) < len(standing), kept
        if own and (ends_some or not _only_takes_back(quote)):
            older = tuple(_whole(q) for each in replaced for q in (each.quote, *each.others))
            lets_off = takes_back and "lets off" in quote.sentence.marks
            standing.append(StandingQuote(quote, older[:2], lets_off=lets_off))
    whole: list[StandingQuote] = []
    for each in standing[::-1]:
        quote = _whole(each.quote)
        last = whole[-1].quote if whole else None
        if last is not None and last.memory.seq == quote.memory.seq and last.end <= quote.end:
            whole.pop()  # is part of it
        whole.append(replace(each, quote=quote))
    return whole[:most]


def without_ended(talk: Quotable, quotes: Sequence[Quote]) -> list[Quote]:
    """Return quotes without those that a later one of the same person says are over.

    That one has them as `ends` and is worth as much.
    """
    kept: list[tuple[Quote, Sequence[Stated]]] = []
    for quote in quotes:
        text = _text(quote)
        states = [] if "question" in quote.sentence.marks else stated_in(text)
        ended = [
            each
            for each, stated in (kept if states or may_end(text) else ())
            if each.memory.person == quote.memory.person
            and each.memory.seq != quote.memory.seq
            and (is_over(_text(each), stated, text, states) or _is_given_up(talk, each, quote))
        ]
        if ended:
            kept = [(each, stated) for each, stated in kept if each not in ended]
            ends = merged([q for each in ended[::-1] for q in (each, *each.ends)])
            worth = max(each.worth for each in (quote, *ended))
            kept.append((replace(quote, ends=tuple(ends[:2]), worth=worth), states))
        else:
            kept.append((quote, states))
    return [quote for quote, _ in kept]


def _text(quote: Quote) -> str:
    """Return the sentence that a quote is of."""
    return quote.sentence.sentence_of(quote.memory.text)


def _is_given_up(talk: Quotable, older: Quote, later: Quote) -> bool:
    """Return whether a quote ends by name what an older one is mostly about: "I play the cello"."""
    shared = older.words.keys() & later.words.keys()
    if not shared or not older.sentence.marks or not _HAPPENED.isdisjoint(older.sentence.marks):
        return False
    mass = sum(older.words[word] for word in shared)
    if "own" not in older.sentence.marks or mass < _GIVEN_UP_MIN * sum(older.words.values()):
        return False
    written = talk.spellings(older.text)
    text = _text(later)
    named = (written[word] for word in shared if word in written)
    return any(ending_of(text, "", word, by_name=True) is Ending.OVER for word in named)


def _asked(quote: Quote) -> float:
    """Return how likely a sentence asks for something for good: an order that recurs does."""
    marks = {*quote.sentence.marks}
    lasts = marks >= _RECURRING or marks >= _NEVER or marks >= _CORRECTS
    lasts = lasts or (marks >= _ANSWERS and quote.asked.startswith(f"{AGENT}:"))
    return 1.0 if lasts and marks.isdisjoint(_NO_ORDER) else max(map(quote.kind, _ORDERS))


def _is_asked(talk: Quotable, quote: Quote) -> bool:
    """Return whether a sentence most likely is a standing request."""
    likely, marks, kinds = _asked(quote), quote.sentence.marks, quote.sentence.kinds
    served = quote.memory.session in talk.served
    ignored = _IGNORED | ({"advice"} if served else frozenset())  # nobody advises an agent
    others = [by for kind, by in kinds.items() if kind not in ignored]
    if ("question" in marks and _REPEATED.isdisjoint(marks)) or "others' habit" in marks:
        return False
    if _is_own_affair(quote):
        return False
    politely = "please" in marks and not _FOR_GOOD.isdisjoint(marks)
    tells = _LACKS.issubset(marks) and _ORDERING.isdisjoint(marks)
    needed = _ASKED_MIN if tells or not _is_short(quote) else _SHORT_MIN - politely * _POLITELY_LESS
    if likely < max([needed, *others]):
        return False
    dated = names_a_day(_text(quote))
    if "for now" in marks or (dated and quote.memory.session != talk.last):
        return False  # was for then, or may be otherwise by now
    return served or politely


def _is_short(quote: Quote) -> bool:
    return 1 < len(_text(quote).split()) <= _FEW_WORDS


def _is_own_affair(quote: Quote) -> bool:
    """Return whether a sentence tells what its speaker wishes or does; a long one orders, too."""
    marks = quote.sentence.marks
    return "own act" in marks and (_ORDERING.isdisjoint(marks) or not _is_short(quote))


def _takes_back(quote: Quote) -> bool:
    if _is_own_affair(quote) and not _is_short(quote):
        return False
    likely = quote.kind("withdrawal")
    taken = likely >= _TAKES_BACK_MIN and likely > max(map(quote.kind, _NOT_TAKEN))
    return taken or ("no more" in quote.sentence.marks and _asked(quote) >= _TAKES_BACK_MIN)


def _only_takes_back(quote: Quote) -> bool:
    """Return whether a sentence withdraws a request without making one."""
    return quote.kind("withdrawal") > max(quote.kind("asked"), quote.kind("instruction"))


def _whole(quote: Quote) -> Quote:
    """Return the quote of a sentence and what follows it in its message, as far as it has room."""
    text, sentence = quote.memory.text, quote.sentence
    ends = (
        [len(text), sentence.end] if quote.memory.kind == EventKind.USER_MESSAGE else [sentence.end]
    )
    start = min(sentence.start, quote.start)
    end = next((end for end in ends if end - start <= _WHOLE_CHARS_MAX), None)
    return quote if quote.is_cut or end is None else replace(quote, start=start, end=end)


def _subject(talk: Quotable, quote: Quote) -> str:
    """Return the words that say what a sentence is about: its message where it names nothing."""
    text = _text(quote)
    names = len(talk.weights(text)) > 1 or quote.view.speaker == AGENT
    return text if names else quote.memory.text


def _alike(talk: Quotable, first: Quote, second: Quote) -> float:
    """Return how much of what the words of the lighter one weigh is in the other, 0 to 1."""
    weights = [talk.weights(_subject(talk, each)) for each in (first, second)]
    shared = sum(mass for word, mass in weights[0].items() if word in weights[1])
    return shared / max(min(sum(each.values()) for each in weights), 1e-9)


def _likely_same(talk: Quotable, first: Quote, second: Quote, alike: float) -> bool:
    """Return whether two sentences are likely on the same; common words and synonyms count too."""
    texts = [_subject(talk, each) for each in (first, second)]
    words = [{*talk.all_weights(text)} for text in texts]
    shared = len(words[0] & words[1]) >= _LIKELY_SAME_WORDS
    return (
        shared or alike >= _LIKELY_SAME_MIN or bool(subjects_of(texts[0]) & subjects_of(texts[1]))
    )


def open_items(
    talk: Quotable, person: str | None, partly: Collection[str | None], most: int
) -> list[Quote]:
    """Return promises and unanswered questions of the last meeting, newest first.

    One that a later message closes is left out. A session that is `partly` known has no questions.
    """
    items: list[Quote] = []
    last = talk.quotes[-1].memory.session if talk.quotes else None
    for place, quote in reversed(list(enumerate(talk.quotes))):
        if quote.memory.session != last:
            break
        if not _concerns(quote, person) or _is_formula(quote):
            continue
        undertaken = _is_undertaken(quote) and not _is_closed(talk, place)
        asked = quote.memory.session not in partly and _is_unanswered(talk, place)
        told = (_alike(talk, quote, each) >= _REPEATED_MIN for each in items)
        if (undertaken or asked) and not any(told):
            whole = _whole(quote)
            apart = [e for e in items if e.memory.seq != quote.memory.seq or whole.end <= e.start]
            items = [*apart, replace(whole, about=quote.asked or quote.about)]
    return items[:most]


def undertaken(talk: Quotable, person: str | None, most: int) -> list[StandingQuote]:
    """Return promises of the sessions before the last one, newest first.

    Whether they were kept is not known: each has the later sentence with most of its rare words.
    One that a later message closes is left out.
    """
    sessions = list(dict.fromkeys(quote.memory.session for quote in reversed(talk.quotes)))
    items: list[StandingQuote] = []
    for place, quote in reversed(list(enumerate(talk.quotes))):
        if quote.memory.session not in sessions[1:_SESSIONS] or not _concerns(quote, person):
            continue
        text = _text(quote)
        if _is_formula(quote) or not _is_undertaken(quote) or _is_closed(talk, place):
            continue
        days, is_dated = open_days(text)
        over = talk.quotes[-1].memory.at - quote.memory.at > timedelta(days=days)
        later = _later_word(talk, place)
        if later is not None or (over and is_dated):
            others = () if later is None else (later,)
            items.append(StandingQuote(_whole(quote), others, over and is_dated))
    return items[:most]


def _is_formula(quote: Quote) -> bool:
    """Return whether a sentence is a set phrase; an agent's is one with such a clause."""
    text = _text(quote)
    return is_formula(text, anywhere=quote.view.speaker == AGENT)


def _later_word(talk: Quotable, place: int) -> Quote | None:
    """Return the later sentence that shares most with one, the newest of several; None for none."""
    quote = talk.quotes[place]
    best, most = None, _LATER_MIN * sum(quote.words.values())
    for later in talk.quotes[place + 1 :]:
        if later.memory.seq == quote.memory.seq or "question" in later.sentence.marks:
            continue
        shared = sum(mass for word, mass in quote.words.items() if word in later.words)
        if shared >= most > 0:
            best, most = later, shared
    return best


def hard_things(talk: Quotable, person: str | None, most: int) -> list[Quote]:
    """Return what very likely was bad news of a person's own, newest first; of a good tone none."""
    hard = [
        quote
        for quote in talk.quotes
        if quote.view.by_somebody
        and person in (None, quote.memory.person)
        and quote.kind("setback") >= _SETBACK_MIN
        and quote.view.valence <= 0
    ]
    return hard[::-1][:most]


def _concerns(quote: Quote, person: str | None) -> bool:
    return (
        person is None
        or person in (quote.memory.person, quote.view.addressee)
        or (quote.view.addressee is None and quote.view.speaker is not None)
    )


def _is_undertaken(quote: Quote) -> bool:
    """Return whether a sentence promises one thing, other than to follow a standing request."""
    likely = quote.kind("commitment")
    promised, marks = quote.kind("promise") >= _PROMISED_MIN, quote.sentence.marks
    is_past = "past verb" in marks and "future" not in marks
    return bool(
        likely >= _UNDERTAKEN_MIN
        and not is_past
        and (promised or not _TIMES.isdisjoint(marks))
        and quote.kind("news") < likely - _NEWS_LESS
        and max(_asked(quote), quote.kind("withdrawal")) < likely - _NEWS_LESS
        and quote.words
        and _NO_TASK.isdisjoint(marks)
    )


def _is_closed(talk: Quotable, place: int) -> bool:
    """Return whether a later message on the subject says that it is done or off."""
    quote = talk.quotes[place]
    for distance, later in enumerate(talk.quotes[place + 1 :], 1):
        text = _text(later)
        together = later.memory.session == quote.memory.session
        if together and later.view.speaker == quote.view.speaker and moves_on(text):
            return True
        if later.memory.seq == quote.memory.seq:
            continue
        closing = closing_of(text)
        shared = quote.words.keys() & _words_of(talk, place + distance)
        here = together and distance <= _NEAR
        if closing and (shared or (closing is ClosingWord.OFF and here and _is_about_it(later))):
            return True
        off = "not" in later.sentence.marks and later.view.speaker == quote.view.speaker
        if len(shared) >= _DONE_WORDS_MIN and (off or _is_done(later)):
            return True
    return False


def _words_of(talk: Quotable, place: int) -> set[str]:
    """Return the words of a sentence, with those of the one that it leans on in its message."""
    quote = talk.quotes[place]
    words = {*talk.weights(_text(quote))}
    before = talk.quotes[place - 1] if place else quote
    if _is_about_it(quote) and before.memory.seq == quote.memory.seq:
        words |= {*talk.weights(_text(before))}
    return words


def _is_about_it(quote: Quote) -> bool:
    """Return whether a sentence names nothing of its own: "Never mind, I bought it myself"."""
    return "leans" in quote.sentence.marks or not quote.words


def _is_done(quote: Quote) -> bool:
    """Return whether a sentence reports something promised as done, in the same words."""
    marks = quote.sentence.marks
    open_marks = {"not", "future", "unreal", "question", "must"}
    return open_marks.isdisjoint(marks) and not {"past verb", "perfect"}.isdisjoint(marks)


def _is_unanswered(talk: Quotable, place: int) -> bool:
    """Return whether a question names something, and nobody else said anything after it.

    Or whether it asks an agent for something, and nothing at all happened after it.
    """
    quote = talk.quotes[place]
    is_last = quote.memory.seq == talk.end and quote.memory.session in talk.served
    if is_last and quote.view.by_somebody and "please" in quote.sentence.marks and quote.words:
        return _REPEATED.isdisjoint(quote.sentence.marks)
    return bool(
        quote.kind("question") >= _QUESTION_MIN
        and "question" in quote.sentence.marks
        and "meta" not in quote.sentence.marks
        and quote.words
        and len(talk.all_weights(quote.text)) >= _ASKED_WORDS_MIN
        and all(later.view.speaker == quote.view.speaker for later in talk.quotes[place + 1 :])
    )


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
