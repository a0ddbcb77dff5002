"""What somebody did, began to do, made or likes to do, told with the verb and its whole object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..analysis.clauses import Tense
from ..analysis.tagged_words import join
from ..entities.bearer_words import ANIMALS, KIN
from .clause_reading import ClauseReading
from .clause_rules import ClauseRule, lemma_of
from .fact_words import EVENTS, GAINS, INJURED, PASTIMES, VENTURES, WORKS
from .objects import Object, is_vague, name_at, read_object, retell, with_article
from .self_statements import Stated

_HEADS: Mapping[str, frozenset[str]] = {
    "@event": EVENTS,
    "@venture": VENTURES,
    "@gain": GAINS,
    "@work": WORKS,
    "@injured": INJURED,
    "@trip": frozenset("hike trip tour cruise vacation safari retreat roadtrip date".split()),
    "@feast": frozenset({"birthday", "anniversary"}),
    "@exam": frozenset("exam exams test interview interviews course".split()),
    "@class": frozenset("class classes course courses trip vacation lessons".split()),
    "@had": frozenset(
        "audition interview surgery operation recital exhibition baby wedding".split()
    ),
    "@home": frozenset("apartment house home flat condo studio".split()),
    "@lost": frozenset(KIN) | ANIMALS | {"job"},
    "@race": frozenset("marathon half-marathon race 5k 10k".split()),
}
_SIMPLE_PAST = {
    "gone": "went",
    "been": "went",
    "taken": "took",
    "begun": "began",
    "flown": "flew",
    "seen": "saw",
    "run": "ran",
    "broken": "broke",
    "torn": "tore",
    "gotten": "got",
    "spoken": "spoke",
}
_DONE = frozenset({Tense.PAST, Tense.PERFECT})
_SHOWING = frozenset("this that these those my our".split())
_MAKING = frozenset(
    """
    make build design create sew knit bake carve craft sculpt write compose record paint draw
    sketch cook produce publish work
    """.split()
)
_ACTIVITY_ENDS = frozenset(". , ! ; ) - – : and because when too together with so but".split())
_SINCE = frozenset("last this in about recently two three".split())
_HELPING = frozenset({"helping people", "helping others", "helping kids", "helping animals"})
#: What is liked in these words says nothing of who likes it.
_EMPTY = frozenset(
    """
    helping giving sharing taking going trying finding keeping letting help give share
    take go try find keep let add adding use using look looking call be being have having see
    seeing think say hear hearing know knowing get getting do doing thank point show showing
    """.split()
)


def begun_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield what somebody has begun to make or to learn: "started writing a novel"."""
    activity, first = reading.activity, reading.clause.verbs[0].lower
    begun = lemma_of(first) in {"start", "begin"} and reading.tense in _DONE
    if activity is None or activity.tag != "VBG" or not begun or reading.negated:
        return
    tokens = reading.sentence.tokens
    place = tokens.index(activity) + 1
    follows = tokens[place].lower if place < len(tokens) else "."
    if activity.lower in PASTIMES and (follows in _ACTIVITY_ENDS or follows in _SINCE):
        yield "hobby", activity.lower, False
        return
    link = place < len(tokens) and tokens[place].tag == "IN"
    item = read_object(reading.sentence, place + link)
    if item is None or not item.is_complete or is_vague(item):
        return
    verb = lemma_of(activity.lower)
    if (verb in _MAKING and item.head in WORKS) or verb in {"learn", "study", "teach"}:
        doing = join(tokens[place - 1 : item.first])
        yield "did", f"{_SIMPLE_PAST.get(first, first)} {doing} {item.text}", False


def went_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield where somebody went to do what they go in for: "went camping in the forest"."""
    activity, tokens = reading.activity, reading.sentence.tokens
    if reading.verb != "go" or reading.tense not in _DONE or reading.negated or activity is None:
        return
    place = tokens.index(activity) + 1
    linked = place < len(tokens) and tokens[place].lower in {"in", "at", "with", "near", "to", "on"}
    item = read_object(reading.sentence, place + 1) if linked else None
    if item is not None and item.is_complete and not is_vague(item) and activity.tag == "VBG":
        yield "did", f"went {retell(tokens[place - 1 : item.first])} {item.text}", False


def shown_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield the work that is shown and was made: "here's a drawing I did last week"."""
    clause, subject = reading.clause, reading.clause.subject
    made = lemma_of(clause.verb) in _MAKING | {"do"} and reading.tense in _DONE
    if not made or subject is None or clause.object or reading.negated or clause.verbs[1:]:
        return
    phrases = reading.sentence.phrases
    shown = next((phrase for phrase in phrases if phrase.last == subject.first), None)
    if shown is None or shown.first == 0 or shown.head_token.lower not in WORKS:
        return
    first, text = shown.tokens[0].lower, join(shown.tokens[1:])
    if shown.head_token.tag == "NNS" and first in _SHOWING | {"some"}:
        yield "made", text, False
    elif shown.head_token.tag == "NN" and first in _SHOWING | {"a", "an", "another"}:
        yield "made", f"{first} {text}" if first not in _SHOWING else with_article(text), False


def activities(reading: ClauseReading) -> Iterator[str]:
    """Yield what somebody likes to do: "hiking in the mountains", "exploring forests"."""
    tokens, activity = reading.sentence.tokens, reading.activity
    if activity is None or activity.tag == "VBN":  # "I love being surrounded by trees"
        return
    place: int | None = tokens.index(activity)
    while place is not None and place < len(tokens) and tokens[place].is_verb:
        last = place + 1
        helps = join(tokens[place : place + 2]).lower()
        if helps in _HELPING:
            yield helps
            return
        if tokens[place].lower in _EMPTY:
            return
        link = last < len(tokens) and tokens[last].tag == "IN"
        item = read_object(reading.sentence, last + link)
        if item is not None and item.first == last + link:
            if (
                not item.is_complete
                or is_vague(item)
                or (not link and item.text.startswith("the "))
            ):
                return
            last = item.last
        elif link or (last < len(tokens) and tokens[last].lower not in _ACTIVITY_ENDS):
            return
        yield retell(tokens[place - (tokens[place - 1].tag == "TO") : last])
        while last < len(tokens) and tokens[last].lower in {",", "and"}:
            last += 1
        more = last > place + 1 and tokens[last - 1].lower in {",", "and"}
        place = last if more and last < len(tokens) and tokens[last].tag == "VBG" else None


def deeds(rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    """Yield the verb in the past with its whole object: "won the Oslo marathon"."""
    tokens, verb = reading.sentence.tokens, reading.clause.verbs[-1]
    item = read_object(reading.sentence, start)
    if item is None or not item.is_complete or not _has_head(rule, reading, item):
        return
    if verb.tag == "VB" and reading.tense is Tense.PAST and "did" not in reading.clause.text:
        return  # "had to go": whether it was done is not said
    between = tokens[tokens.index(verb) + 1 : item.first]
    between = [word for word in between if word.tag != "RB" or word.lower in {"up", "back"}]
    wording = _SIMPLE_PAST.get(verb.lower, verb.lower)
    wording = f"was {wording}" if reading.clause.passive else wording
    words = [wording, retell(between), item.text]
    yield " ".join(filter(None, words))


def _has_head(rule: ClauseRule, reading: ClauseReading, item: Object) -> bool:
    """Say whether an object is of the kind that makes a deed worth telling."""
    tokens = reading.sentence.tokens
    if not rule.heads:
        return not is_vague(item) and tokens[item.first].lower not in {"no", "any", "some"}
    named = name_at(tokens, item.first)[1] >= item.last
    titled = tokens[item.first].text in '"“'
    if (named and not rule.heads.isdisjoint({"@event", "@name"})) or (
        titled and "@title" in rule.heads
    ):
        return True
    heads = frozenset[str]().union(*(_HEADS.get(head, {head}) for head in rule.heads))
    return item.head in heads and item.last - item.first > 1
