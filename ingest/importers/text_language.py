"""The language that a chat is in, for the name of its format: told by its function words."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.text import stop_words

_LANGUAGES = (
    *("english", "german", "spanish", "portuguese", "italian", "french", "dutch", "turkish"),
    *("danish", "swedish", "norwegian", "finnish", "polish", "russian", "indonesian", "romanian"),
)
#: The words of a text that have to be function words of its language, and how many at least.
_SHARE_MIN = 0.15
_WORDS_MIN = 5


def language_of(words: Mapping[str, int]) -> str | None:
    """Return the language of counted words in lower case, such as "German"; None when unsure."""
    total = sum(words.values())
    if total < _WORDS_MIN:
        return None
    shares = {
        language: sum(words.get(word, 0) for word in stop_words(language)) / total
        for language in _LANGUAGES
    }
    best = max(shares, key=lambda language: shares[language])
    second = max(share for language, share in shares.items() if language != best)
    return best.title() if shares[best] >= _SHARE_MIN and shares[best] > second else None
