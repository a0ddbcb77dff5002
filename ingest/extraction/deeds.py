"""The deed of a clause in stems: its verb in one form for all tenses, and the nouns it is about.

"I'll proceed with canceling your reservation" and "Your reservation has been cancelled" are the
same deed. English only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...core.text import Analyser
from .analysis.analysis import Sentence
from .analysis.clauses import Clause
from .analysis.phrases import TIME_NOUNS
from .analysis.tagged_words import TaggedWord

#: Verbs whose past is no stem of them: "past base", in the order of the alphabet.
_IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "ate:eat began:begin begun:begin bought:buy brought:bring built:build came:come"
        " cancelled:cancel cancelling:cancel chose:choose chosen:choose did:do done:do drawn:draw"
        " drew:draw driven:drive drove:drive eaten:eat felt:feel found:find gave:give given:give"
        " gone:go got:get gotten:get had:have has:have held:hold heard:hear kept:keep knew:know"
        " left:leave lost:lose made:make meant:mean met:meet paid:pay ran:run saw:see seen:see"
        " sent:send shot:shoot sold:sell spent:spend spoke:speak spoken:speak taken:take"
        " taught:teach thought:think threw:throw told:tell took:take went:go won:win wore:wear"
        " written:write wrote:write"
    ).split()
)
#: Verbs that only lead to the deed, which is the verb behind them: "proceed with canceling".
_LEADING = frozenset(
    "proceed go start begin continue try make try plan intend promise manage planning".split()
)
#: What stands between such a verb and the deed, as tags.
_BETWEEN = frozenset({"TO", "IN", "RB", "RP", "CC", "JJ"})
#: Tags of words that open an indirect question, and where it ends.
_ASKING_TAGS = frozenset({"WRB", "WP", "WDT"})
_STOPS = frozenset(", . ! ? ; : – — ( )".split())
_EMPTY_NOUNS = TIME_NOUNS | frozenset(
    "thing things bit lot way one list something anything everything someone part kind sort case"
    " patience help assistance try shot moment thanks go sure today".split()
)


@dataclass(frozen=True, slots=True)
class Deed:
    """`written` are the words that name it, small and as written: the verb, then what follows."""

    verb: str
    objects: tuple[str, ...]
    written: Sequence[TaggedWord]


def deed_of(sentence: Sentence, clause: Clause, analyser: Analyser) -> Deed:
    """Return the deed of a clause: what is done, and the nouns that it is done to.

    Of "I'll look up how the brake is set", the brake too.
    """
    verb = clause.verbs[-1] if clause.verbs else None
    subject = clause.subject.tokens if clause.passive and clause.subject else ()
    complement = clause.complement_tokens
    behind = sentence.tokens[clause.complement_first + len(complement) :]
    if behind and (behind[0].tag in _ASKING_TAGS or behind[0].lower == "whether"):
        ends = (i for i, token in enumerate(behind) if token.text in _STOPS)
        complement = [*complement, *behind[: next(ends, len(behind))]]
    return _deed(verb, complement, subject, analyser)


def deed_after(sentence: Sentence, place: int, analyser: Analyser) -> Deed:
    """Return the deed that a sentence names from a place of the message on, up to its end."""
    tokens = [token for token in sentence.tokens if token.start >= place]
    verb = next((i for i, t in enumerate(tokens[:4]) if t.tag in {"VB", "VBP", "VBG"}), None)
    if verb is None:
        return _deed(None, tokens, (), analyser)
    return _deed(tokens[verb], tokens[verb + 1 :], (), analyser)


def _deed(
    verb: TaggedWord | None,
    rest: Sequence[TaggedWord],
    subject: Sequence[TaggedWord],
    analyser: Analyser,
) -> Deed:
    while verb is not None and (
        lemma(verb) in _LEADING or (rest and rest[0].lower in {"sure", "able"})
    ):
        place = next((i for i, t in enumerate(rest) if t.tag not in _BETWEEN), len(rest))
        if place == len(rest) or rest[place].tag not in {"VB", "VBG"}:
            break
        verb, rest = rest[place], rest[place + 1 :]
    objects = noun_stems([*subject, *rest], analyser)
    return Deed(stem_of(verb, analyser), objects, [*([verb] if verb else []), *rest])


def noun_stems(tokens: Iterable[TaggedWord], analyser: Analyser) -> tuple[str, ...]:
    """Return the stems of the nouns that say what something is about, once each, in order."""
    nouns = (t for t in tokens if t.is_noun and t.lower not in _EMPTY_NOUNS)
    stems = (stem for noun in nouns for stem in analyser.terms(noun.text))
    return tuple(dict.fromkeys(stems))


def stem_of(verb: TaggedWord | None, analyser: Analyser) -> str:
    """Return the stem of a verb in any tense; "" of none and of mere auxiliaries."""
    return next(iter(analyser.terms(lemma(verb))), "") if verb is not None else ""


def lemma(verb: TaggedWord) -> str:
    """Return a verb in small letters, an irregular past as its base."""
    return _IRREGULAR.get(verb.lower, verb.lower)
