"""Salience: which words a conversation keeps coming back to, so that they can stand for its topic.

Words that any friendly chat is full of say nothing of a topic; the list of them is English, as stop
words are a language's. Counting is all that happens: no corpus, no model, no guess at meaning.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import log2

from ...core.sentences import COMMON_TALK
from ...core.text import Analyser, Word

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s\Z")
#: Words behind which a name of a thing stands.
_NOMINAL = frozenset(
    "a an the my your his her our their its this that these those some any more new another of "
    "in for about with".split()
)


@dataclass(frozen=True, slots=True)
class Term:
    """A content word of a text: its stem, how it was written, and whether one stands before it."""

    stem: str
    written: str
    follows: bool
    nominal: bool


def terms_of(text: str, analyser: Analyser, names: Collection[str]) -> Iterator[Term]:
    """Yield the content words of a text that are neither chatter nor `names` (folded words).

    A run of a script without spaces yields its pairs of characters.
    """
    end, before, adjacent = 0, "", False
    for match in _WORD.finditer(text):
        written, stems = match.group(), list(analyser.words(match.group()))
        beside = adjacent and not text[end : match.start()].strip()
        end, adjacent = match.end(), False
        if len(stems) > 1 and "-" not in written:
            yield from (Term(stemmed.surface, stemmed.surface, False, True) for stemmed in stems)
        elif all(_is_content_word(stemmed, names) for stemmed in stems) and any(
            stemmed.stem for stemmed in stems
        ):
            stem = "-".join(stemmed.stem or stemmed.surface for stemmed in stems)
            yield Term(stem, _POSSESSIVE.sub("", written), beside, before in _NOMINAL)
            adjacent = True
        before = stems[-1].surface if stems else ""


def _is_content_word(word: Word, names: Collection[str]) -> bool:
    surface = word.surface
    long = len(surface) > 2 or not surface.isascii()
    is_excluded = surface in names or bool(COMMON_TALK & {surface, word.stem})
    return long and not is_excluded and not surface.isdigit()


class TermSalience:
    """How much the words of a conversation tell of it: by how many texts come back to them."""

    def __init__(self, texts: Iterable[str], analyser: Analyser, names: Collection[str]) -> None:
        self._analyser, self._names = analyser, names
        counts: Counter[str] = Counter()
        nominal: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        self._written: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            terms = list(terms_of(text, analyser, names))
            counts.update({term.stem for term in terms})
            nominal.update({term.stem for term in terms if term.nominal or term.follows})
            pairs.update({(a.stem, b.stem) for a, b in pairwise(terms) if b.follows})
            for term in terms:
                self._written[term.stem][term.written] += 1
        self._pairs = pairs
        self.weights: Mapping[str, float] = {
            stem: log2(1 + count) * (1.0 if nominal[stem] else 0.4)
            for stem, count in counts.items()
        }
        self.weight_max = max(self.weights.values(), default=1.0)
        self._counts = counts
        self._stems: dict[str, frozenset[str]] = {}

    def stems(self, text: str) -> frozenset[str]:
        """Return the stems of the content words of a text."""
        if text not in self._stems:
            terms = terms_of(text, self._analyser, self._names)
            self._stems[text] = frozenset(term.stem for term in terms)
        return self._stems[text]

    def phrases(self, most: int) -> list[str]:
        """Return the words and pairs of words that recur most, as somebody wrote them."""
        scores: dict[tuple[str, ...], float] = {
            (stem,): weight for stem, weight in self.weights.items() if self._counts[stem] > 1
        }
        for pair, count in self._pairs.items():
            if count > 1:
                scores[pair] = 1.4 * max(self.weights[stem] for stem in pair) * min(1, count / 2)
        taken: set[str] = set()
        chosen: list[str] = []
        for stems in sorted(scores, key=lambda stems: (-scores[stems], stems)):
            if len(chosen) == most:
                break
            if not taken & {*stems}:
                taken |= {*stems}
                chosen.append(" ".join(self._word(stem) for stem in stems))
        return chosen

    def _word(self, stem: str) -> str:
        forms = self._written[stem]
        written = min(forms, key=lambda form: (-forms[form], form))
        return written if written.isupper() else written.lower() if self._common(stem) else written

    def _common(self, stem: str) -> bool:
        return any(form.islower() for form in self._written[stem])
