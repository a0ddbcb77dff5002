"""Clauses: a finite verb with its subject, its complement, its tense and whether it is denied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from .phrases import NounPhrase
from .tagged_words import TaggedWord, join

_NEGATIONS = frozenset("not n't never hardly barely neither no".split())
_AUXILIARIES = frozenset(
    "am is are was were be been being 'm 's 're have has had 've 'd do does did having".split()
)
_WILL = frozenset("will 'll shall wo".split())
_GOING = frozenset("going gon".split())
#: Words at which a complement ends.
_STOP = frozenset(". ! ? ; : – — ( )".split())
_SUBORDINATORS = frozenset(
    "because since although though while if when whenever after before until unless so as once"
    " where which who whom whose that whether".split()
)
#: Beside a verb these say that it did not happen: "we almost adopted a dog".
NEARLY = frozenset("nearly almost practically virtually".split())


class Tense(StrEnum):
    """When a clause places what it says."""

    PAST = "past"
    PERFECT = "perfect"
    PRESENT = "present"
    FUTURE = "future"
    MODAL = "modal"
    IMPERATIVE = "imperative"


@dataclass(frozen=True, slots=True)
class Clause:
    """One finite verb of a sentence.

    `first` and `last` are the places of its words. `verbs` are the full verbs in order, without
    auxiliaries: of "I'm going to start taking classes" start and taking. `object` is the noun
    phrase right behind them; `complement` is all that follows, as written. `depends_on` is the
    word that subordinates it ("if", "because", "that"), "" in a main clause.
    """

    first: int
    last: int
    subject: NounPhrase | None
    verbs: Sequence[TaggedWord]
    tense: Tense
    progressive: bool
    passive: bool
    negated: bool
    object: NounPhrase | None
    phrases: Sequence[NounPhrase]
    tokens: Sequence[TaggedWord]
    complement_first: int
    depends_on: str

    @property
    def text(self) -> str:
        """The whole clause as written."""
        return join(self.tokens)

    @property
    def complement(self) -> str:
        """What follows the verbs, as written."""
        return join(self.complement_tokens)

    @property
    def complement_tokens(self) -> Sequence[TaggedWord]:
        """What follows the verbs, word by word."""
        return self.tokens[self.complement_first - self.first :]

    @property
    def verb(self) -> str:
        """The last full verb in small letters; of "I am tired" the auxiliary."""
        return self.verbs[-1].lower if self.verbs else ""

    @property
    def is_first_person(self) -> bool:
        """Whether its subject is I or we, or something that is mine or ours."""
        if self.subject is None:
            return False
        return self.subject.head_token.lower in {"i", "we"} or self.subject.possessor in {
            "my",
            "our",
        }

    @property
    def is_own(self) -> bool:
        """Whether its subject is I or we."""
        return self.subject is not None and self.subject.head_token.lower in {"i", "we"}

    def after(self, preposition: str) -> NounPhrase | None:
        """Return the noun phrase behind a preposition of the complement, if there is one."""
        for phrase in self.phrases:
            before = phrase.first - self.first - 1
            if before >= 0 and self.tokens[before].lower == preposition:
                return phrase
        return None


def clauses_of(tokens: Sequence[TaggedWord], phrases: Sequence[NounPhrase]) -> list[Clause]:
    """Return the clauses of a sentence in order of their verbs."""
    groups = _verb_groups(tokens)
    starts = [_clause_start(tokens, phrases, group) for group in groups]
    clauses: list[Clause] = []
    for place, (first, last) in enumerate(groups):
        end = starts[place + 1] if place + 1 < len(groups) else len(tokens)
        end = _complement_end(tokens, last, max(end, last))
        subject = _subject(tokens, phrases, first, starts[place])
        if subject is None and _joined(tokens, first) and clauses:
            subject = clauses[-1].subject
        inside = [phrase for phrase in phrases if last <= phrase.first and phrase.last <= end]
        direct = next((p for p in inside if _is_direct(tokens, last, p)), None)
        group = tokens[first:last]
        verbs = [token for token in group if token.is_verb and not _is_auxiliary(token, group)]
        clauses.append(
            Clause(
                starts[place],
                end,
                subject,
                verbs or [token for token in group if token.is_verb][-1:],
                _tense(group, subject),
                _is_progressive(group),
                _is_passive(group),
                any(token.lower in _NEGATIONS for token in group),
                direct,
                inside,
                tokens[starts[place] : end],
                last,
                _subordinator(tokens, starts[place]),
            )
        )
    return clauses


def _verb_groups(tokens: Sequence[TaggedWord]) -> list[tuple[int, int]]:
    """Return (first, last) of every run of a finite verb and the verbs that hang on it."""
    groups, place = [], 0
    while place < len(tokens):
        begins = tokens[place].is_finite or (place == 0 and tokens[place].tag == "VB")
        if not begins and not _is_past(tokens, place):
            place += 1
            continue
        last = place + 1
        while last < len(tokens) and _continues(tokens, last):
            last += 1
        groups.append((place, last))
        place = last
    return groups


def _is_past(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Say whether what is tagged a participle is a past: "I just signed up"."""
    if tokens[place].tag != "VBN":
        return False
    place -= 1
    while place >= 0 and tokens[place].tag == "RB":
        place -= 1
    return place >= 0 and tokens[place].lower in {"i", "we", "he", "she", "they"}


def _continues(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Say whether a word goes on with the verb before it."""
    token = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.tag in {"VB", "VBN", "VBG", "RP"} or token.lower in _NEGATIONS:
        return True
    if following is None:
        return False
    if token.tag == "RB":
        return following.is_verb or following.tag in {"RB", "TO"}
    return token.tag == "TO" and following.tag in {"VB", "RB"}


def _clause_start(
    tokens: Sequence[TaggedWord], phrases: Sequence[NounPhrase], group: tuple[int, int]
) -> int:
    """Return where the clause of a verb group starts: at its subject, with adverbs before it."""
    start = group[0]
    while start > 0 and tokens[start - 1].tag in {"RB", "RBR", "MD"}:
        start -= 1
    subject = next((phrase for phrase in phrases if phrase.last == start), None)
    if subject is None:
        return group[0]
    first = subject.first
    # "My dad and I went": the whole of it.
    while True:
        joined = next((p for p in phrases if p.last == first - 1), None)
        if joined is None or tokens[first - 1].lower != "and":
            return first
        if joined.first > 0 and tokens[joined.first - 1].tag not in {",", "CC", "RB"}:
            return first
        first = joined.first


def _subject(
    tokens: Sequence[TaggedWord], phrases: Sequence[NounPhrase], verb: int, start: int
) -> NounPhrase | None:
    inside = [phrase for phrase in phrases if start <= phrase.first and phrase.last <= verb]
    if not inside:
        return None
    subject = inside[-1]
    if subject.head_token.tag == "WP" or subject.head_token.lower == "that":
        # A relative clause: its subject is what stands before it.
        last = subject.first - (tokens[subject.first - 1].text == ",")
        return next((p for p in reversed(phrases) if p.last == last), subject)
    own = next((p for p in inside if p.head_token.lower in {"i", "we"}), None)
    return own or subject


def _joined(tokens: Sequence[TaggedWord], first: int) -> bool:
    while first > 0 and tokens[first - 1].tag == "RB":
        first -= 1
    return first > 0 and tokens[first - 1].tag in {"CC", ","}


def _complement_end(tokens: Sequence[TaggedWord], last: int, end: int) -> int:
    for place in range(last, end):
        if tokens[place].text[0] in _STOP:
            end = place
            break
    while end > last and (
        tokens[end - 1].tag in {"CC", ",", "WDT", "WP", "WRB"}
        or tokens[end - 1].lower in _SUBORDINATORS
    ):
        end -= 1
    return end


def _is_direct(tokens: Sequence[TaggedWord], last: int, phrase: NounPhrase) -> bool:
    between = tokens[last : phrase.first]
    return not phrase.is_time and all(token.tag in {"RB", "RP"} for token in between)


def _is_auxiliary(token: TaggedWord, group: Sequence[TaggedWord]) -> bool:
    """Say whether a verb only helps another one that follows it in its group."""
    place = group.index(token)
    verbs_after = [later for later in group[place + 1 :] if later.is_verb]
    if not verbs_after:
        return False
    return (
        token.lower in _AUXILIARIES
        or token.lower in _GOING
        or (token.lower in {"got", "used", "wan", "want", "need"} and verbs_after[0].tag == "VB")
    )


def _tense(group: Sequence[TaggedWord], subject: NounPhrase | None) -> Tense:
    first = next((token for token in group if token.is_finite), group[0])
    going = any(t.lower in _GOING for t in group) and any(t.tag == "TO" for t in group)
    if first.tag == "VB":
        return Tense.IMPERATIVE if subject is None else Tense.PRESENT
    if first.tag in {"VBD", "VBN"}:
        return Tense.PAST
    if first.lower in _WILL or (going and first.tag != "MD"):
        return Tense.FUTURE
    if first.tag == "MD":
        return Tense.MODAL
    perfect = first.lower in {"have", "has", "'ve", "'s"}
    if perfect and any(token.tag in {"VBN", "VBD"} for token in group[1:]):
        return Tense.PERFECT
    return Tense.PRESENT


def _is_progressive(group: Sequence[TaggedWord]) -> bool:
    return any(token.tag == "VBG" for token in group[1:])


def _is_passive(group: Sequence[TaggedWord]) -> bool:
    forms = {"am", "is", "are", "was", "were", "be", "been", "being", "'m", "'re", "got", "get"}
    return len(group) > 1 and group[-1].tag == "VBN" and any(t.lower in forms for t in group[:-1])


def _subordinator(tokens: Sequence[TaggedWord], start: int) -> str:
    if start > 0 and tokens[start - 1].lower in _SUBORDINATORS:
        return tokens[start - 1].lower
    if start < len(tokens) and tokens[start].tag in {"WDT", "WP"}:
        return tokens[start].lower
    return ""
