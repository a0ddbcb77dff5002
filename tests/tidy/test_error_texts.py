"""What errors say is seen in one file, and changes there before it changes for a user."""

from __future__ import annotations

import re

from tests.tidy.error_texts import SNAPSHOT, snapshot

#: "Is no path" for "is not a path": no native reader writes it. "There is no such file" is fine.
_FOREIGN = re.compile(r"(?<!there )\b(?:is|are|was|were) no (?!longer\b|more\b)\w+")


def test_every_error_text_is_in_the_file_that_a_reader_reviews():
    assert SNAPSHOT.read_text("utf-8") == snapshot(), "run `make docs`, and read what changed"


def test_no_error_text_says_is_no_for_is_not_a():
    foreign = [line.strip() for line in snapshot().splitlines() if _FOREIGN.search(line)]
    assert foreign == []
    assert _FOREIGN.search("'noon' is no date")
    assert not _FOREIGN.search("there is no file 'noon'")
