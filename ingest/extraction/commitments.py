"""What the sentences of a message commit to: promises, plans, reminders, deadlines, proposals.

A promise needs a deed with an object. What hangs on an "if", what is hoped, wished or only a manner
of speaking commits to nothing; a learned head over the sentence says how likely it commits at all
(`utterances`). English only. What says that something was done or given up stands
in `completions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from ...core.experience import TELL, Commitment, Utterance
from ...core.text import Analyser
from ...core.vocabulary import CommitmentKind
from .analysis.analysis import Analysis, Sentence
from .analysis.clauses import Clause, Tense
from .analysis.tagged_words import TaggedWord
from .commitment_doubts import (
    AWAITS,
    HOPES,
    IF_YOU_LIKE,
    JOKES,
    ONLY_DUTY,
    POLITE,
    SUITS,
    UNSURE,
    VAGUE_TIME,
    WANTS,
)
from .commitment_forms import AS_SOON, REMEMBER, REMINDS, SURE_FORMS, UPDATES
from .completions import completions_of, is_handed_over
from .dated_things import DATES, is_to_come, kind_of_date, moved_dates
from .deeds import Deed, deed_after, deed_of, lemma, noun_stems
from .definite_deeds import is_definite, names_deed
from .due_times import due_time
from .subjectless import TALKS, YOU, commitments_without_subject

#: A time that says by when, and is no property of a thing ("the flight on May 27").
_BY_WHEN = re.compile(
    r"\b(?:by|before|until|no later than|due"
    r"|(?<!\bto )(?<!\bthe )(?:today|tonight|tomorrow|this|next))\b",
    re.IGNORECASE,
)
_NOT_SUBORDINATE = frozenset({"", "that", "so", "as", "where", "which"})
#: Verbs whose "if" is no condition.
_ASKING = frozenset("check see calculate verify determine ask know tell".split())
_PLANS = frozenset({"plan", "planning", "intend"})
#: Verbs that tell of a plan in the present, with a time; and those that do so without one.
_SET = frozenset("have get fly leave start begin move travel drive sign meet see perform".split())
_PREPARES = frozenset(
    "organizing organising arranging launching hosting throwing opening starting".split()
)
#: Times that have begun; and what is done in them, and is still to come.
_NOW = re.compile(
    r"\b(?:this (?:week|month|year|season|semester)|today|tonight|now)\b", re.IGNORECASE
)
_SETS_OUT = frozenset("going flying leaving starting moving driving meeting seeing".split())
#: Verbs in the past that set something for a time ahead: "we've booked a cabin for June".
_ARRANGED = frozenset(
    "booked sign signed registered scheduled planned arranged decided agreed committed set enrolled"
    " reserved".split()
)
#: What is made for a time ahead.
_MADE = frozenset("appointment appointments reservation reservations booking date".split())
#: Verbs of what is often done, and of what is planned only with such a time.
_SEES, _ONCE = frozenset({"see", "go"}), re.compile(r"\b(?:tomorrow|tonight|next)\b", re.IGNORECASE)
#: Who can help offers it, and promises nothing.
_HELPS = frozenset({"help", "assist"})
#: The same, of what is to be done at some time: "we decided to split the cost".
_SETTLED = frozenset("decided planned agreed arranged settled".split())
#: What is taken among what is offered, and goes nowhere.
_ELSEWHERE = frozenset("to out home you back over along with for off".split())
_SURE = re.compile(r"(?:['’]ll|\bwill) (?:\w+ )?(?:make|be) sure (?:that )?\Z", re.IGNORECASE)
_DUTY = frozenset("need have must got".split())
#: Kinds of sentences that commit to nothing, where they are likelier than that it commits.
_OTHER_KINDS = ("opinion", "wish", "advice", "joke", "general", "othernews")
#: How likely a person's sentence must commit, from where on any deed counts, and how much likelier
#: another kind must be.
_LIKELY_MIN, _LIKELY_ANY_DEED, _MARGIN = 0.25, 0.35, 0.1
#: How likely it must commit, and to what, where a time is set and no form tells.
_SURE_MIN = 0.6
_SURE_KINDS = (CommitmentKind.PLAN, CommitmentKind.PROMISE, CommitmentKind.DEADLINE)


def commitments_of(
    analysis: Analysis,
    analyser: Analyser,
    at: datetime,
    utterances: Sequence[Utterance] | None = None,
    *,
    by_agent: bool = False,
) -> tuple[Commitment, ...]:
    """Return what a message commits to, and what it says was done or given up, in its order.

    `at` is when it was said; `utterances` are those of the message, None where rules are to decide
    alone; `by_agent` also takes "Let me check the order" for a promise.
    """
    by_start = {utterance.start: utterance for utterance in utterances or ()}
    by_rule = utterances is None or by_agent
    commitments = []
    for sentence in analysis.factual:
        utterance = by_start.get(sentence.start)
        likely = 0.0 if utterance is None else _likelihood(utterance)
        learned = None if sentence.vector is None or by_rule else likely
        due = due_time(sentence.text, at)
        has_due = due is not None
        undertakings = [*_undertakings(sentence, analyser, has_due, learned, by_agent=by_agent)]
        if utterance and has_due and (learned or 0) >= _SURE_MIN and not undertakings:
            undertakings += _surely_undertaken(sentence, analyser, utterance)
        for kind, deed in undertakings:
            awaits = bool(AWAITS.search(sentence.text))
            commitments.append(
                Commitment(kind, sentence.start, sentence.end, deed.verb, deed.objects, due, awaits)
            )
        for kind, deed in completions_of(sentence, analyser):
            commitments.append(
                Commitment(kind, sentence.start, sentence.end, deed.verb, deed.objects)
            )
    commitments += moved_dates(analysis.factual, analyser, at)
    return tuple(dict.fromkeys(commitments))


def _likelihood(utterance: Utterance) -> float:
    """Return how likely a sentence commits; 0 where it much likelier does something else."""
    likely = utterance.kinds.get("commitment", 0.0)
    other = max(utterance.kinds.get(kind, 0.0) for kind in _OTHER_KINDS)
    return likely if likely >= other - _MARGIN else 0.0


def _surely_undertaken(
    sentence: Sentence, analyser: Analyser, utterance: Utterance
) -> Iterator[tuple[CommitmentKind, Deed]]:
    """Yield what a sentence with a time commits to in no known form: "I'm set to move in May".

    What is wanted, hoped or asked for is a request, or not yet sure.
    """
    words = {token.lower for token in sentence.tokens}
    unsure = UNSURE.search(sentence.text) or VAGUE_TIME.search(sentence.text)
    if sentence.is_question or unsure or WANTS.search(sentence.text) or words & HOPES:
        return
    clause = next(iter(sentence.clauses), None)
    if clause is None or clause.negated or _is_conditional(sentence, clause):
        return
    if clause.tense not in {Tense.PRESENT, Tense.FUTURE} or _goes_on(sentence, clause):
        return
    own = clause.is_own or clause.subject is None
    if not own and not is_to_come(clause):
        return
    deed = deed_of(sentence, clause, analyser)
    named = deed.written if own else clause.tokens
    objects = noun_stems(named, analyser)
    if objects and is_definite(deed, any_deed=True):
        kind = max(_SURE_KINDS, key=lambda kind: utterance.kinds.get(kind.value, 0.0))
        yield kind, Deed(deed.verb, objects, deed.written)


def _undertakings(
    sentence: Sentence, analyser: Analyser, has_due: bool, likely: float | None, *, by_agent: bool
) -> Iterator[tuple[CommitmentKind, Deed]]:
    """Yield what a sentence commits to; a question commits to nothing but a note.

    `likely` is how likely it commits at all, where that is known.
    """
    if match := REMINDS.search(sentence.text) or (has_due and REMEMBER.search(sentence.text)):
        deed = deed_after(sentence, sentence.start + match.end(), analyser)
        if deed.objects:
            yield CommitmentKind.REMINDER, deed
        return
    sure = any(form.search(sentence.text) for form in SURE_FORMS)
    asks = sentence.is_question and not SUITS.search(sentence.text)
    unlikely = likely is not None and likely < _LIKELY_MIN and not sure
    if asks or unlikely or JOKES.search(sentence.text) or is_handed_over(sentence):
        return
    any_deed = likely is not None and likely >= _LIKELY_ANY_DEED
    for clause in sentence.clauses:
        kind = _kind_of(sentence, clause, has_due=has_due)
        offers = not by_agent and IF_YOU_LIKE.match(sentence.text)
        conditional = not offers and _is_conditional(sentence, clause)
        if kind is None or conditional or (not offers and _only_chooses(sentence, clause)):
            continue
        if by_agent and _is_no_deed_of_agent(clause):
            continue
        deed = deed_of(sentence, clause, analyser)
        if not clause.is_own:  # "My exam is on Monday"
            subject = clause.subject.tokens if clause.subject else ()
            yield kind, Deed(deed.verb, noun_stems([*subject, *deed.written], analyser), ())
            return
        planned = not _PLANS.isdisjoint(lemma(verb) for verb in clause.verbs[:-1] or clause.verbs)
        definite = any_deed or by_agent or planned
        if names_deed(clause, deed, has_due=has_due, any_deed=definite):
            yield kind, deed
            return
        behind = sentence.text[clause.tokens[0].start - sentence.start :]
        if UPDATES.search(behind) or AS_SOON.search(sentence.text):
            yield CommitmentKind.PROMISE, Deed(TELL, deed.objects, deed.written)
            return
    yield from commitments_without_subject(sentence, analyser, has_due=has_due, by_agent=by_agent)


def _is_no_deed_of_agent(clause: Clause) -> bool:
    """Say whether an agent announces what it says next, offers, asks, or tells the user's dates."""
    asks = "need to" in clause.text.lower()
    return asks or clause.verb in TALKS or not clause.is_own or clause.tense is Tense.MODAL


def _kind_of(sentence: Sentence, clause: Clause, *, has_due: bool) -> CommitmentKind | None:
    """Return what kind of commitment a clause is by its form; None of none."""
    suffers = clause.passive and clause.verbs[-1].lower != "married"
    if clause.negated or suffers or clause.depends_on not in _NOT_SUBORDINATE:
        return None
    if not clause.is_own:
        return kind_of_date(sentence, clause) if has_due else None
    return _kind_of_own(sentence, clause, has_due=has_due)


def _kind_of_own(sentence: Sentence, clause: Clause, *, has_due: bool) -> CommitmentKind | None:
    if _SURE.search(sentence.text[: clause.tokens[0].start - sentence.start]):
        return CommitmentKind.PROMISE
    words = [token.lower for token in clause.tokens]
    if clause.tense is Tense.FUTURE:
        return _kind_to_come(clause, words, has_due=has_due)
    has_got = "got" in words and not {"'ve", "have", "to"}.isdisjoint(words)
    if clause.tense is Tense.PRESENT or has_got:
        return _kind_of_now(sentence, clause, words, has_due=has_due)
    if clause.tense is Tense.MODAL:  # "I can give it to you tomorrow"
        able = has_due and "can" in words and clause.verb not in _HELPS
        return CommitmentKind.PROMISE if able and not YOU.isdisjoint(words) else None
    verbs = [lemma(verb) for verb in clause.verbs]
    arranged = has_due and not _ARRANGED.isdisjoint(verbs)
    arranged |= has_due and verbs[-1:] == ["make"] and not _MADE.isdisjoint(words)
    settled = _is_we(clause) and not _SETTLED.isdisjoint(verbs[:-1])
    return CommitmentKind.PLAN if arranged or settled else None


def _is_we(clause: Clause) -> bool:
    return clause.subject is not None and clause.subject.head_token.lower == "we"


def _kind_to_come(clause: Clause, words: Sequence[str], *, has_due: bool) -> CommitmentKind | None:
    """Return the kind of "I'll", "I'm going to"; "we'll" proposes, where it sets a time."""
    if "going" in words or "gon" in words:
        return CommitmentKind.PLAN
    if _is_we(clause):
        return CommitmentKind.PROPOSAL if has_due else None
    return CommitmentKind.PROMISE


def _kind_of_now(
    sentence: Sentence, clause: Clause, words: Sequence[str], *, has_due: bool
) -> CommitmentKind | None:
    """Return the kind of "I promise to", "I plan to", "I need to … by", "I'm having … on"."""
    verbs = [lemma(verb) for verb in clause.verbs]
    if "promise" in verbs[:-1]:
        return CommitmentKind.PROMISE
    if not _PLANS.isdisjoint(verbs):
        return CommitmentKind.PLAN
    if clause.progressive and verbs and clause.verbs[-1].lower in _PREPARES:
        return CommitmentKind.PLAN
    if not has_due or not HOPES.isdisjoint(words):
        return None
    if "to" in words and not _DUTY.isdisjoint(words):
        return CommitmentKind.DEADLINE if _BY_WHEN.search(clause.text) else None
    planned = clause.progressive and not _goes_on(sentence, clause)
    planned |= verbs[-1:] == ["got"] or not _SET.isdisjoint(verbs[-1:])
    planned |= "got" in words or words[1:2] == ["'ve"]  # "I've an appointment"
    planned |= not _SEES.isdisjoint(verbs[-1:]) and bool(_ONCE.search(sentence.text))
    return CommitmentKind.PLAN if planned else None


def _goes_on(sentence: Sentence, clause: Clause) -> bool:
    """Say whether "I'm taking care of the plants this week" tells what is being done now."""
    if not clause.progressive or not _NOW.search(sentence.text):
        return False
    dated = clause.object is not None and clause.object.head_token.lower in DATES
    return not dated and clause.verbs[-1].lower not in _SETS_OUT


def _is_conditional(sentence: Sentence, clause: Clause) -> bool:
    """Say whether a clause hangs on an "if", or is not sure.

    In "confirm if you agree, and I'll book it" the condition is not of what is promised.
    """
    start = clause.tokens[0].start - sentence.start
    verb = clause.verbs[-1].end - sentence.start if clause.verbs else start
    behind = sentence.text[start:]
    if UNSURE.search(sentence.text[:verb]) or VAGUE_TIME.search(behind):
        return True
    if ONLY_DUTY.search(behind):
        return True
    ifs = [
        c
        for c in sentence.clauses
        if c.depends_on in {"if", "unless"} and not _asks(sentence.tokens[: c.first])
    ]
    if any(c.first >= clause.first for c in ifs):
        return not POLITE.search(behind)
    return bool(ifs) and not re.search(r"\b(?:and|then)\s*$", sentence.text[:start].rstrip(" ,"))


def _only_chooses(sentence: Sentence, clause: Clause) -> bool:
    """Say whether it takes one of what is offered, or tells what is booked and is to be changed."""
    if clause.tense is Tense.FUTURE:
        behind = {token.lower for token in clause.complement_tokens}
        return clause.verb == "take" and behind.isdisjoint(_ELSEWHERE | {"care"})
    return bool(WANTS.search(sentence.text.replace(clause.text, "")))


def _asks(before: Sequence[TaggedWord]) -> bool:
    """Say whether an "if" means "whether": "see if it works"."""
    verb = next((lemma(t) for t in reversed(before) if t.is_verb), "")
    follows = len(before) > 1 and before[-2].lower.startswith(verb[:3])
    return verb == "ask" or (verb in _ASKING and follows)
