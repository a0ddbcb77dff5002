"""The language that a chat is in, for the name of its format: told by its function words."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.text import stop_words

_LANGUAGES = (
    *("english", "german", "spanish", "portuguese", "italian", "french", "dutch", "turkish"),
    *("danish", "swedish", "norwegian", "finnish", "polish", "russian", "indonesian", "romanian"),
)
#: The share of words that have to be function words of its language, and how many different ones.
_SHARE_MIN = 0.15
_DIFFERENT_MIN = 3


def language_of(words: Mapping[str, int]) -> str | None:
    """Return the language of counted words in lower case, such as "German"; None when unsure."""
    hits = {language: stop_words(language) & words.keys() for language in _LANGUAGES}
    counts = {language: sum(words[word] for word in held) for language, held in hits.items()}
    best = max(counts, key=lambda language: counts[language])
    second = max(count for language, count in counts.items() if language != best)
    sure = len(hits[best]) >= _DIFFERENT_MIN and counts[best] > second
    return best.title() if sure and counts[best] >= _SHARE_MIN * sum(words.values()) else None
