"""What is said of a value: its look, its neighbours, its line."""

from __future__ import annotations

import pytest

from meridia.ingest.redaction.rules import SecretNames
from meridia.ingest.redaction.statements import candidates
from meridia.ingest.redaction.weighing import class_of, look_of

NAMES = SecretNames()


def features(text: str, value: str) -> set[str]:
    found = candidates(text, text.lower(), NAMES, [])
    return {f for each in found if text[each.start : each.end] == value for f in each.features}


@pytest.mark.parametrize(
    ("shape", "of"),
    [("digits4", "number"), ("numbered", "mix"), ("built_digit_lower_strange", "made"),
     ("random", "random"), ("title", "word"), ("placeholder", "none"), ("dashed_words", "joined")],
)  # fmt: skip
def test_shapes_have_classes(shape: str, of: str) -> None:
    assert class_of(shape) == of


def test_a_value_is_described_by_its_letters_and_by_what_stands_around_it() -> None:
    said = features("my new password for the shop is Kestrel2025 now", "Kestrel2025")
    assert {"shape numbered", "after is", "then now", "near shop", "name password"} <= said
    assert "line has password" in said


def known(value: str) -> list[str]:
    return next(f for f in look_of(value, "word").features if f.startswith("known ")).split()


def test_a_usual_word_is_told_from_a_rare_one_and_from_chance() -> None:
    assert known("wrong")[1] == known("basalt")[1] == "as"
    assert int(known("wrong")[2]) < 5000
    assert known("basalt")[2] == "rare"
    assert int(known("lanternharbour")[1 + 1]) < int(known("xqzkjvwpfh")[1 + 1])
