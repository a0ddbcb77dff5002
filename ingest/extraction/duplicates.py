"""Propose entities that may be one, with a reason each; merging them is for a person to decide.

Names are compared where they meet: under the same letters, the same first or last words, the same
initials, or all letters but one. So a thousand names cost a thousand looks and not a million.
Numbers are never taken for slips: "server 1" and "server 2" are two.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ...core.entities.common_words import FORMS_OF_ADDRESS, LEGAL_FORMS, NAME_PARTICLES
from ...core.entities.entity_gazetteer import EntityGazetteer, EntityType, GazetteerEntity
from ...core.ids import fold
from ...core.types import Json

#: Shortest name in which a slip of the pen is looked for, in letters, and the score of none at all.
TYPO_CHARS_MIN, _TYPO_SCORE = 6, 0.9
#: Of longer names only so many letters are tried as the wrong one.
_TYPO_CHARS_MAX = 40
#: A word that begins another one, as "Postgres" does "PostgreSQL": its least length, what follows.
_STEM_CHARS_MIN, _ENDING_CHARS_MAX = 5, 3
#: Where so many names meet, each is compared with its neighbours in order only.
_NEIGHBOURS = 16
_INITIALS = range(2, 7)
_WORD = re.compile(r"[^\W_]+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[^\w]+(?=\d)")
#: How likely a part names the whole: the first name a person, the topic hardly its subtopic.
_FRAGMENT_SCORES: Mapping[EntityType, float] = {
    EntityType.PERSON: 0.75,
    EntityType.PROJECT: 0.75,
    EntityType.CONCEPT: 0.4,
    EntityType.SKILL: 0.4,
    EntityType.FILE: 0.6,
}
_ENDS_NAME = frozenset({EntityType.PERSON, EntityType.PROJECT, EntityType.FILE})
#: Types whose names are exact: another letter is another thing.
_EXACT_TYPES = frozenset({EntityType.FILE, EntityType.TOOL})


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """Two entities of one type that may be one: `entity` would be merged into `into`."""

    entity: GazetteerEntity
    into: GazetteerEntity
    reason: str
    score: float

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return {
            "entity": {"id": self.entity.id, "name": self.entity.name},
            "into": {"id": self.into.id, "name": self.into.name},
            "type": self.entity.type.value,
            "reason": self.reason,
            "score": self.score,
        }


@dataclass(frozen=True, slots=True)
class _NameForm:
    """One name of an entity: as written, its letters and digits alone, and its words, folded."""

    entity: GazetteerEntity
    written: str
    own: bool
    letters: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Similarity:
    first: _NameForm
    second: _NameForm
    score: float
    reason: str


def duplicates(entities: Sequence[GazetteerEntity], limit: int = 100) -> list[MergeCandidate]:
    """Return the pairs that may be one entity, the likeliest first, at most `limit`.

    Scores are 0 to 1. An entity that is merged stands for the one it was merged into, so a pair
    that is one already is never proposed. Nothing is changed.
    """
    by_type: dict[EntityType, list[_NameForm]] = defaultdict(list)
    for form in _forms(entities):
        by_type[form.entity.type].append(form)
    order = {entity.id: index for index, entity in enumerate(entities)}
    best: dict[tuple[str, str], _Similarity] = {}
    for type, forms in by_type.items():
        for similarity in _similarities(type, forms):
            a, b = similarity.first.entity.id, similarity.second.entity.id
            pair = (min(a, b), max(a, b))
            if a != b and (pair not in best or best[pair].score < similarity.score):
                best[pair] = similarity
    candidates = [_merge_candidate(similarity, order) for similarity in best.values()]
    candidates.sort(key=lambda c: (-c.score, c.into.name, c.entity.name, c.into.id, c.entity.id))
    return candidates[:limit]


def _forms(entities: Sequence[GazetteerEntity]) -> Iterator[_NameForm]:
    gazetteer = EntityGazetteer(entities)
    for entity in gazetteer.entities.values():
        canonical = gazetteer.entities.get(gazetteer.canonical_of(entity.id), entity)
        for index, name in enumerate((entity.name, *entity.aliases)):
            words = _words(entity.type, name)
            if words:
                is_main_name = index == 0 and canonical is entity
                yield _NameForm(canonical, name, is_main_name, _letters(entity.type, name), words)


def _similarities(type: EntityType, forms: list[_NameForm]) -> Iterator[_Similarity]:
    yield from _same_letters(forms)
    yield from _fragments(type, forms)
    if type in _EXACT_TYPES:
        return
    yield from _same_words(forms)
    yield from _initials(forms)
    yield from _typos(forms)
    yield from _stems(forms)


def _same_letters(forms: list[_NameForm]) -> Iterator[_Similarity]:
    for a, b in _pairs_by_key((form.letters, form) for form in forms):
        if fold(a.written) != fold(b.written):
            yield _Similarity(a, b, 0.95, "the same letters, written otherwise")
        elif a.own or b.own:
            yield _Similarity(a, b, 0.95, "a name of one is an alias of the other")
        else:
            yield _Similarity(a, b, 0.85, f"both are also called {a.written}")


def _same_words(forms: list[_NameForm]) -> Iterator[_Similarity]:
    keys = ((tuple(sorted(_without_titles(form.words))), form) for form in forms)
    for a, b in _pairs_by_key((key, form) for key, form in keys if key):
        if sorted(a.words) == sorted(b.words):
            yield _Similarity(a, b, 0.85, "the same words in another order")
        else:
            yield _Similarity(a, b, 0.9, "the same but for a title or a legal form")


def _fragments(type: EntityType, forms: list[_NameForm]) -> Iterator[_Similarity]:
    """Find names that are the beginning of another, or its end where that names the same."""
    forms_by_words: dict[tuple[str, ...], list[_NameForm]] = defaultdict(list)
    for form in forms:
        forms_by_words[form.words].append(form)
    pairs = [
        (fragment, form, where)
        for form in forms
        for words, where in _affixes(type, form.words)
        for fragment in forms_by_words.get(words, ())[:_NEIGHBOURS]
        if fragment.entity is not form.entity
    ]
    containing = Counter(
        id for id, _ in {(fragment.entity.id, form.entity.id) for fragment, form, _ in pairs}
    )
    for fragment, form, where in pairs:
        several = containing[fragment.entity.id] - 1
        score = _FRAGMENT_SCORES.get(type, 0.65) - (0.25 if several else 0)
        shared = f", as of {several} more" if several else ""
        yield _Similarity(
            fragment, form, score, f"{fragment.written} is the {where} of a name{shared}"
        )


def _affixes(type: EntityType, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for count in range(1, len(words)):
        if type is not EntityType.FILE and _is_distinctive(words[:count]):
            yield words[:count], "beginning"
        if type in _ENDS_NAME and _is_distinctive(words[-count:]):
            yield words[-count:], "end"


def _initials(forms: list[_NameForm]) -> Iterator[_Similarity]:
    short: dict[str, list[_NameForm]] = defaultdict(list)
    for form in forms:
        if form.written.isupper() and len(form.words) == 1:
            short[form.letters].append(form)
    for form in forms:
        names = {
            "".join(word[0] for word in form.words),
            "".join(word[0] for word in form.words if word not in NAME_PARTICLES),
        }
        for initials in names:
            if len(initials) in _INITIALS:
                score = 0.8 if len(initials) > 2 else 0.55
                for other in short.get(initials, ())[:_NEIGHBOURS]:
                    yield _Similarity(other, form, score, f"{other.written} are the initials")
    yield from _abbreviated(forms)


def _abbreviated(forms: list[_NameForm]) -> Iterator[_Similarity]:
    """Find people whose first name is a letter elsewhere, as in "D. Reed" and "Dana Reed"."""
    people = [form for form in forms if form.entity.type is EntityType.PERSON]
    keys = (((form.words[0][0], form.words[-1]), form) for form in people if len(form.words) > 1)
    for a, b in _pairs_by_key(keys):
        if (len(a.words[0]) == 1) != (len(b.words[0]) == 1):
            yield _Similarity(a, b, 0.75, "the same initial and last name")


def _typos(forms: list[_NameForm]) -> Iterator[_Similarity]:
    """Find names that are the same with a letter left out of one or of each.

    What is left is what they share, so their likeness (twice that by the letters of both) is known.
    """
    spelled = [form for form in forms if len(form.letters) >= TYPO_CHARS_MIN - 1]
    without = (
        (form.letters[:index] + form.letters[index + 1 :], form)
        for form in spelled
        for index in range(min(len(form.letters), _TYPO_CHARS_MAX))
    )
    whole = ((form.letters, form) for form in spelled)
    for a, b in _pairs_by_key((*without, *whole)):
        first_length, second_length = len(a.letters), len(b.letters)
        is_typo = a.letters != b.letters and max(first_length, second_length) >= TYPO_CHARS_MIN
        if is_typo and _digits(a.letters) == _digits(b.letters):
            shared = min(first_length, second_length) - (first_length == second_length)
            score = round(_TYPO_SCORE * 2 * shared / (first_length + second_length), 3)
            yield _Similarity(a, b, score, "spelled nearly alike")


def _stems(forms: list[_NameForm]) -> Iterator[_Similarity]:
    """Find single words of which one begins the other, a few letters short of it."""
    words = sorted(
        (form for form in forms if len(form.words) == 1 and form.letters.isalpha()),
        key=lambda form: (form.letters, form.entity.id),
    )
    for index, form in enumerate(words):
        for other in words[index + 1 : index + 1 + _NEIGHBOURS]:
            ending = other.letters.removeprefix(form.letters)
            if ending == other.letters:
                break
            if len(form.letters) >= _STEM_CHARS_MIN and 0 < len(ending) <= _ENDING_CHARS_MAX:
                yield _Similarity(
                    form, other, 0.65, f"{form.written} is the beginning of the other"
                )


def _pairs_by_key(
    keyed: Iterable[tuple[object, _NameForm]],
) -> Iterator[tuple[_NameForm, _NameForm]]:
    """Yield the pairs of different entities that share a key, few of many."""
    groups: dict[object, dict[tuple[str, str], _NameForm]] = defaultdict(dict)
    for key, form in keyed:
        groups[key][form.letters, form.entity.id] = form
    for group in groups.values():
        forms = [group[order] for order in sorted(group)] if len(group) > 1 else []
        pairs: Iterable[tuple[_NameForm, _NameForm]] = combinations(forms, 2)
        if len(forms) > _NEIGHBOURS:
            pairs = (
                (form, other)
                for index, form in enumerate(forms)
                for other in forms[index + 1 : index + 1 + _NEIGHBOURS]
            )
        for a, b in pairs:
            if a.entity is not b.entity:
                yield a, b


def _merge_candidate(similarity: _Similarity, order: Mapping[str, int]) -> MergeCandidate:
    """Let the fuller name stand; of equal ones the one that was known first."""
    forms = sorted(
        (similarity.first, similarity.second),
        key=lambda form: (-len(form.words), -len(form.letters), order[form.entity.id]),
    )
    into, entity = forms[0].entity, forms[1].entity
    return MergeCandidate(entity, into, similarity.reason, similarity.score)


def _letters(type: EntityType, name: str) -> str:
    folded = fold(name)
    if type is EntityType.FILE:
        return folded.replace("\\", "/")
    apart = unicodedata.normalize("NFKD", _BETWEEN_DIGITS.sub("|", folded))
    return "".join(sign for sign in apart if sign.isalnum() or sign == "|") or folded


def _words(type: EntityType, name: str) -> tuple[str, ...]:
    folded = fold(name)
    if type is EntityType.FILE:
        return tuple(segment for segment in re.split(r"[\\/]", folded) if segment)
    return tuple(_WORD.findall(folded.replace("'", "")))


def _without_titles(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in FORMS_OF_ADDRESS and word not in LEGAL_FORMS)


def _is_distinctive(words: tuple[str, ...]) -> bool:
    return any(
        len(word) > 2 and word not in NAME_PARTICLES and word not in FORMS_OF_ADDRESS
        for word in words
    )


def _digits(letters: str) -> list[str]:
    return re.findall(r"\d+", letters)
