"""Regular expressions that are compiled on first use and tried only where they can match.

Most processes meet no secret, and a command that captures one event should not pay for the patterns
of all of them. Most texts lack a substring that the pattern needs, and that is checked first
because it is faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property


class LazyPattern:
    """A regular expression that is compiled at its first use.

    A text has a match only where its small letters have one of `pieces`, if there are any.
    """

    def __init__(self, pattern: str, flags: int = 0, pieces: Sequence[str] = ()) -> None:
        self._pattern, self._flags, self._pieces = pattern, flags, tuple(pieces)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled."""
        return re.compile(self._pattern, self._flags)

    def can_match(self, text: str) -> bool:
        """Return whether `text` has one of the pieces without which nothing in it matches."""
        if not self._pieces:
            return True
        lowered = text.lower()
        return any(map(lowered.__contains__, self._pieces))

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in `text`."""
        return self.compiled.search(text) if self.can_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in `text` that do not overlap."""
        return self.compiled.finditer(text) if self.can_match(text) else iter(())
