"""What errors say is seen in one file, and changes there before it changes for a user."""

from __future__ import annotations

import re

from tests.tidy.error_texts import SNAPSHOT, snapshot

#: "Is no path" for "is not a path": no native reader writes it.
_FOREIGN = re.compile(r"\b(?:is|are|was|holds|has|names) no (?!longer|more\b|other|such)(?!\{)\w+")


def test_every_error_text_is_in_the_file_that_a_reader_reviews():
    assert SNAPSHOT.read_text("utf-8") == snapshot(), "run `make docs`, and read what changed"
