"""Text analysis: one analyser for indexing, questions and concepts, so that all three agree.

Words are Unicode words, case-folded and stemmed, without stop words, by the language of the text:
its script, or its commonest words (the language that is set, where they do not tell). Runs of
scripts that are written without spaces (Han, Kana, Thai, Lao, Khmer, Burmese), and of pictures
(🎂), become single characters and pairs of neighbours; a question of one such character matches
it, a longer one matches pairs.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import TypeAlias

import Stemmer

from ..core.entities.common_words import FUNCTION_WORDS
from ..core.errors import InvalidInput

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Han
    "\u2600-\u27bf\U0001f000-\U0001faff"  # pictures: ☀, 🎂
)
#: Vowel signs and accents: part of the word they stand in, which Python's \\w does not know.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3"
    "\u0816-\u082d\u0859-\u085b\u0898-\u089f\u08ca-\u08ff\u0900-\u0dff\u0f18-\u0fbc\u135d-\u135f\u1712-\u1715"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\ufe20-\ufe2f"
)
_LETTER = rf"(?:[^\W_{_UNSPACED}][{_MARKS}]*)"
_TOKEN = re.compile(rf"([{_UNSPACED}]+)|{_LETTER}+(?:['’]{_LETTER}+)*")
#: The same where all is ASCII, as most text is: with neither marks nor scripts without spaces.
_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
#: Longer tokens are noise (base64, hashes run together) and are cut.
_TOKEN_CHARS_MAX = 64

_PIECE_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PIECE_LETTER = re.compile(r"[^\W_]")

#: Scripts of which one language has stems; the others have their words as they are written.
_SCRIPTS = (
    ("greek", "\u0370-\u03ff\u1f00-\u1fff"),
    ("russian", "\u0400-\u052f"),
    ("armenian", "\u0530-\u058f"),
    ("arabic", "\u0600-\u06ff\u0750-\u077f"),
    ("hindi", "\u0900-\u097f"),
    ("tamil", "\u0b80-\u0bff"),
)
_SCRIPT = re.compile("|".join(f"(?P<{language}>[{signs}])" for language, signs in _SCRIPTS))
_ACCENTED = re.compile("[À-ÖØ-öø-ɏḀ-ỿ]")
#: Languages of the Latin script with stems, and a list of their commonest words.
_LATIN = (
    "czech danish dutch finnish french german hungarian indonesian italian norwegian "
    "polish portuguese romanian spanish swedish turkish"
).split()
#: So many different common words of a language tell it.
_TELLING_MIN = 2
#: A common word is one vote, shared by the languages that have it.
_VOTES_MIN = 0.49
#: By so many common words more than English has in a text, a language is told.
_MORE_MIN = 2
#: A text of fewer words need not tell its language.
_SHORT_WORDS = 8
#: The beginning of a text tells its language.
_TELLING_CHARS = 2000


#: One word of a text: as written (case-folded) and as indexed; None for a stop word.
Word: TypeAlias = tuple[str, str | None]


class Analyser:
    """Splits text into words and terms. Safe to share between threads.

    `language` is that of texts whose words do not tell theirs; all other texts are of it too where
    it is `fixed`.
    """

    def __init__(self, language: str = "english", fixed: bool = False) -> None:
        if language not in Stemmer.algorithms():
            languages = ", ".join(sorted(Stemmer.algorithms()))
            raise InvalidInput(
                f"analysis.language {language!r} is not known: choose from {languages}"
            )
        self.language, self._is_fixed = language, fixed
        self._stop = stop_words(language)
        self._stem = Stemmer.Stemmer(language, 0).stemWord
        #: Return the word that a token is.
        self.word = lru_cache(maxsize=65_536)(self._word)
        #: Return the stem of a token, nothing for a stop word: most calls want nothing else.
        self.stem_of = lru_cache(maxsize=65_536)(lambda token: self.word(token)[1])

    def of(self, text: str) -> Analyser:
        """Return the analyser of the language of a text, for pieces of it."""
        if self._is_fixed:
            return self
        return _analyser(_latin_language(text[:_TELLING_CHARS], self.language) or self.language)

    def words(self, text: str) -> Iterator[Word]:
        """Yield every word of `text` in order, stop words included."""
        of_language = self.of(text)
        for token, run in _tokens(text):
            if run:
                yield from ((pair, pair) for pair in _pairs(token) or [token])
            else:
                yield of_language.word(token)

    def terms(self, text: str) -> list[str]:
        """Return the terms to index for `text`, in order, repeated as often as they occur."""
        stem_of = self.of(text).stem_of
        if text.isascii():
            stems = map(stem_of, _ascii_tokens(text))
            return [stem for stem in stems if stem]
        result: list[str] = []
        for token, run in _tokens(text):
            if run:
                result.extend(token)
                result.extend(_pairs(token))
            elif stem := stem_of(token):
                result.append(stem)
        return result

    def readings(self, text: str) -> set[tuple[str, ...]]:
        """Return the terms that texts of each language have of the same words, such as a name's."""
        languages = {self.language, "english", *_LATIN}
        return {tuple(_analyser(language).terms(text)) for language in languages} - {()}

    def spellings(self, text: str) -> dict[str, str]:
        """Return by stem how `text` first writes each of its content words."""
        of_language = self.of(text)
        written_by_stem: dict[str, str] = {}
        for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
            written = _POSSESSIVE.sub("", match.group())
            for stem in of_language.terms(match.group()):
                written_by_stem.setdefault(stem, stem if match.group(1) else written)
        return written_by_stem

    def _word(self, token: str) -> Word:
        script = None if token.isascii() else _SCRIPT.match(token)
        if script and script.lastgroup and script.lastgroup != self.language:
            return _analyser(script.lastgroup).word(token)
        normalised = token[:_TOKEN_CHARS_MAX].replace("’", "'")
        surface = _POSSESSIVE.sub("", normalised)
        if normalised in self._stop or surface in self._stop or not surface:
            return surface, None
        return surface, self._stem(surface.replace("'", ""))


@cache
def _analyser(language: str) -> Analyser:
    return Analyser(language, fixed=True)


@cache
def _telling_words() -> Mapping[str, Sequence[str]]:
    """Return the languages of the Latin script that each common word is one of."""
    languages: dict[str, list[str]] = {}
    for language in _LATIN:
        for word in {word.casefold() for word in stop_words(language)}:
            if len(word) > 1:
                languages.setdefault(word, []).append(language)
    return languages


@lru_cache(maxsize=4096)
def _latin_language(text: str, default: str) -> str | None:
    """Return the language of the Latin script whose commonest words a text has, None if unsure."""
    telling = _telling_words()
    needed = _TELLING_MIN
    if text.isascii():
        counts = Counter(_ascii_tokens(text))
    else:
        counts = Counter(token for token, run in _tokens(text) if not run)
        # One common word is enough beside letters that English has not.
        needed -= any(map(_ACCENTED.search, counts))
    votes: defaultdict[str, float] = defaultdict(float)
    different: Counter[str] = Counter()
    for token in sorted(telling.keys() & counts.keys()):
        for language in telling[token]:
            votes[language] += counts[token] / len(telling[token])
            different[language] += 1
    english = [token for token in counts if token in FUNCTION_WORDS]
    best = max(votes, key=lambda language: (votes[language], language == default), default=None)
    if best is not None and different[best] >= needed and votes[best] > _VOTES_MIN:
        more = different[best] - len(english)
        if more >= _MORE_MIN or votes[best] > sum(counts[token] for token in english):
            return best
    return "english" if len(english) >= _TELLING_MIN else None


def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language; none where no list is known."""
    if language in ("english", "porter"):
        return FUNCTION_WORDS
    from stop_words import AVAILABLE_LANGUAGES, get_stop_words  # noqa: PLC0415 - rarely needed

    return frozenset(get_stop_words(language)) if language in AVAILABLE_LANGUAGES else frozenset()


def told_language(text: str) -> str | None:
    """Return the language of the Latin script that the commonest words of a text tell, or None."""
    return _latin_language(text[:_TELLING_CHARS], "english")


def possible_languages(text: str) -> list[str]:
    """Return the languages of the Latin script that a text may be in, likeliest first.

    That is none for English; else what its commonest words tell, and all that have one of them.
    """
    told = told_language(text)
    if told == "english":
        return []
    telling = _telling_words()
    found = Counter(language for token, _ in _tokens(text) for language in telling.get(token, ()))
    ranked = [language for language, _ in found.most_common()]
    return list(dict.fromkeys([told, *ranked])) if told else ranked


def is_english(text: str) -> bool:
    """Return whether a text reads as English by its commonest words; a few words without any do."""
    if _SCRIPT.search(text) or not any(token.isascii() for token, _ in _tokens(text)):
        return False
    language = told_language(text)
    return language == "english" or (language is None and text.count(" ") < _SHORT_WORDS)


def _ascii_tokens(text: str) -> list[str]:
    """Return the words of a text that is all ASCII: the same as `_tokens`, quicker."""
    tokens: list[str] = _ASCII_TOKEN.findall(text.lower())
    return tokens


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        yield match.group(), match.group(1) is not None


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def content_pieces(
    text: str, spans: Sequence[tuple[int, int]], analyser: Analyser
) -> list[tuple[int, str]]:
    """Return (place, stem) of the pieces that belong to content words, in order."""
    words = [(m.start(), m.end(), m.group()) for m in _PIECE_WORD.finditer(text)]
    starts = [start for start, _, _ in words]
    stem_of = analyser.of(text).words
    stems = [next((stem for _, stem in stem_of(written)), None) for _, _, written in words]
    matches = []
    for place, (start, end) in enumerate(spans):
        at = bisect_right(starts, start) - 1
        if start < end and at >= 0 and start < words[at][1] and (stem := stems[at]):
            matches.append((place, stem))
    return matches


def word_pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the places of the pieces that have a letter or a digit in them, in order."""
    return [
        place for place, (start, end) in enumerate(spans) if _PIECE_LETTER.search(text, start, end)
    ]
