"""Who states what in a clause: its subject, its verb, and whether it is stated at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....core.entities.entity_gazetteer import is_common_word
from ..analysis.analysis import Sentence
from ..analysis.clauses import NEARLY, Clause, Tense
from ..analysis.phrases import NounPhrase
from ..analysis.tagged_words import TaggedWord, join
from ..entities.bearer_words import KIN
from ..entities.name_patterns import is_opener
from .clause_rules import RULES_BY_VERB, lemma_of
from .fact_words import KIN_PLURAL

#: What before a clause makes it no statement: a condition, a thing imagined, another's words.
_UNSTATED = frozenset(
    """
    if unless whether wish wishes wished imagine suppose supposing pretend joke joking kidding doubt
    example wonder
    hope hopes hoping dreamed dreamt like as how why not advice
    """.split()
)
#: A subordinate clause of these tells no fact; of the second, none in the present.
_SAYINGS = frozenset(
    "say says said saying tell tells told claim claims claimed ask asks asked think thinks thought"
    " believe believes believed assume assumes assumed".split()
)
_NEVER = frozenset("if unless whether until where how before".split())
_NOT_NOW = frozenset("when whenever once as after while".split())
_HEDGES = frozenset("think guess believe assume maybe perhaps probably possibly apparently".split())
_ATTITUDES = frozenset("love like enjoy adore hate dislike prefer".split())
_BEGINNINGS = frozenset("start begin keep manage".split())
ENDINGS = frozenset({"stop", "quit"})
_WISHES = frozenset(
    "want wanted wan need needed hope hoping plan planning dream dreaming aim".split()
)
#: What is the speaker's own, though the clause is not about "I".
_MATTERS = frozenset(
    """
    name favourite favorite fav fave goal dream ambition aspiration hobby hobbies birthday passion
    favorites favourites faves
    """.split()
)
#: What one cannot, or does not, eat or drink is avoided.
_CANNOT, _CONSUMED = frozenset({"cannot", "ca"}), frozenset("eat drink".split())
_WOULD = frozenset({"'d", "would"})
_LOOK_AHEAD = 5


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """A clause that states something.

    `verb` is its verb as the rules know it, "be-married" of "am married"; `first` is where what
    it says of its subject begins in the sentence. `subject` None is the speaker. `ended` says that
    it used to be so; `activity` is the verb that is liked, started or stopped, if any.
    """

    sentence: Sentence
    clause: Clause
    subject: str | None
    verb: str
    first: int
    tense: Tense
    activity: TaggedWord | None
    is_wish: bool
    negated: bool
    ended: bool
    hedged: bool


def read_clause(sentence: Sentence, clause: Clause, speaker: str | None) -> ClauseReading | None:
    """Return what a clause states; None where it states nothing, or nobody knows of whom."""
    words = [token.lower for token in _group(sentence, clause)]
    tense, modal_verb = clause.tense, _modal_verb(words)
    if tense in {Tense.FUTURE, Tense.IMPERATIVE} or (tense is Tense.MODAL and not modal_verb):
        return None
    complement = sentence.tokens[clause.complement_first : clause.complement_first + 1]
    is_almost = words[-1:] in (["am"], ["'m"], ["is"], ["'s"]) and complement
    if not NEARLY.isdisjoint([*words, complement[0].lower] if is_almost else words):
        return None
    is_now = tense is Tense.PRESENT
    causal = clause.depends_on == "as" and words[:1] in (["am"], ["'m"])
    if clause.depends_on in _NEVER or (is_now and clause.depends_on in _NOT_NOW and not causal):
        return None
    before = {token.lower for token in sentence.tokens[: clause.first]}
    if not _UNSTATED.isdisjoint(before) or _is_reported(sentence, clause):
        return None
    own_matter = _is_own_matter(sentence, clause)
    subject = None if own_matter else _subject(sentence, clause, speaker)
    if subject == "" or not clause.verbs:
        return None
    verb, first, activity = _verb(sentence, clause)
    verb = "" if own_matter else verb
    wish = not _WISHES.isdisjoint(words) or lemma_of(clause.verbs[0].lower) in _WISHES
    wish = wish or modal_verb == "would"
    no_longer = {"no", "longer"} <= {*words}
    ended = {"used", "to"} <= {*words} or no_longer
    ended = ended or (activity is not None and lemma_of(clause.verbs[0].lower) in ENDINGS)
    refused = modal_verb in {"hate", "avoid"} or (is_now and clause.negated and verb in _CONSUMED)
    if refused:
        verb = modal_verb or "avoid"
    negated = clause.negated and not (refused or no_longer)
    hedged = not _HEDGES.isdisjoint(before)
    return ClauseReading(
        sentence, clause, subject, verb, first, tense, activity, wish, negated, ended, hedged
    )


def _modal_verb(words: Sequence[str]) -> str:
    """Return what "can't stand", "can't eat" and "would love to" say; "" for other modal verbs."""
    if not _CANNOT.isdisjoint(words):
        if "stand" in words:
            return "hate"
        return "avoid" if words[-1:] and words[-1] in {*_CONSUMED, "have"} else ""
    wishes = not _WOULD.isdisjoint(words) and not {"love", "like"}.isdisjoint(words)
    return "would" if wishes else ""


def _is_reported(sentence: Sentence, clause: Clause) -> bool:
    """Say whether somebody else is reported to have said it."""
    for earlier in sentence.clauses:
        if earlier.first >= clause.first:
            break
        saying = any(token.lower in _SAYINGS for token in earlier.tokens)
        if saying and not earlier.is_own:
            return True
    return False


def _group(sentence: Sentence, clause: Clause) -> list[TaggedWord]:
    start = clause.first
    if clause.subject is not None and clause.subject.first >= clause.first:
        start = clause.subject.last
    return list(sentence.tokens[start : clause.complement_first])


def _subject(sentence: Sentence, clause: Clause, speaker: str | None) -> str | None:
    """Return whom a clause is about: None for the speaker, nothing where nobody can tell."""
    phrase = clause.subject
    if phrase is None:
        return None if _drops_subject(sentence, clause) else ""
    if clause.is_own:
        return None
    if phrase.possessor in {"my", "our"}:
        return _relative(phrase, speaker)
    if len(clause.verbs) == 1 and clause.verbs[0].tag == "VBP" and clause.tense is Tense.PRESENT:
        return ""  # "I saw Dana live in Boston"
    named = all(token.tag.startswith("NNP") for token in phrase.tokens)
    first = phrase.tokens[0]
    if not named or first.name.endswith(("LOC", "ORG", "OTHER")) or is_opener(first.lower):
        return ""
    return "" if is_common_word(first.lower) or first.lower in KIN else phrase.text


def _is_own_matter(sentence: Sentence, clause: Clause) -> bool:
    """Say whether a clause is about the speaker's name, favourite, goal or hobby."""
    phrase = clause.subject
    if phrase is None or clause.is_own:
        return False
    if phrase.possessor in {"my", "our"}:
        return not _MATTERS.isdisjoint(token.lower for token in phrase.tokens)
    behind = sentence.tokens[clause.complement_first : clause.complement_first + _LOOK_AHEAD]
    words = [token.lower for token in behind]
    favoured = words[:3] == ["one", "of", "my"] or "mine" in words
    return (words[:1] in (["my"], ["our"]) or favoured) and not _MATTERS.isdisjoint(words)


def _relative(phrase: NounPhrase, speaker: str | None) -> str:
    """Return the name of a relative, or whose relative it is; nothing for what is no relative."""
    words = phrase.tokens[1:]
    place = next((n for n, w in enumerate(words) if w.lower in KIN or w.lower in KIN_PLURAL), None)
    if place is None or phrase.core_last < phrase.last:
        return ""
    behind = words[place + 1 :]
    if behind and all(token.tag.startswith("NNP") for token in behind):
        return join(behind)
    return "" if behind or not speaker else f"{speaker}'s {join(words)}"


def _drops_subject(sentence: Sentence, clause: Clause) -> bool:
    """Say whether a sentence leaves out its "I": "Finally finished my novel!"."""
    before = sentence.tokens[: clause.first]
    starts = all(token.tag in {"RB", "UH", ",", ".", "!", ":", "NNP"} for token in before)
    return clause.tense is Tense.PAST and starts and not clause.passive


def _verb(sentence: Sentence, clause: Clause) -> tuple[str, int, TaggedWord | None]:
    """Return the verb as the rules know it, where its complement begins, and the activity."""
    verbs, tokens = clause.verbs, sentence.tokens
    first, behind = lemma_of(verbs[0].lower), clause.complement_first
    if len(verbs) > 1 and first in _ATTITUDES:
        place = tokens.index(verbs[1])
        return first, place - (tokens[place - 1].tag == "TO"), verbs[1]
    if len(verbs) > 1:
        chained = first in _BEGINNINGS | ENDINGS
        verb = lemma_of(verbs[-1].lower) if chained else first if first == "go" else ""
        return verb, behind, verbs[-1]
    if clause.passive and first != "get":
        return f"be-{verbs[0].lower}", behind, None
    return (first, behind, None) if first != "be" else (*_copula(sentence, clause), None)


def _copula(sentence: Sentence, clause: Clause) -> tuple[str, int]:
    """Return "be" with what follows it, as the rules know it, and where its complement begins."""
    tokens, behind = sentence.tokens, clause.complement_first
    for place in range(behind, min(behind + _LOOK_AHEAD, clause.last)):
        key = f"be-{tokens[place].lower}"
        if key in RULES_BY_VERB:
            # "I'm from Brazil": the preposition is the link itself.
            return key, place + (tokens[place].tag not in {"IN", "TO"})
        if tokens[place].tag not in {"RB", "DT", "JJ", "RBR"} or tokens[place].lower == "not":
            break
    return "be", behind
