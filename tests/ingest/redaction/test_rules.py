"""The data files can be read, and say what their heads promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from meridia.ingest.redaction import rules
from meridia.ingest.redaction.rules import (
    RedactionRule,
    SecretSpan,
    kinds,
    pattern,
    read_rules,
    rule_file,
    split,
    words,
)
from meridia.ingest.redaction.scanner import MARK, mark
from meridia.ingest.redaction.token_formats import find_by_rule

FOLDER = Path(rules.__file__).parent / "data"
FILES = sorted(path.stem for path in FOLDER.iterdir())
SECTIONS = (
    ("formats", "shapes"), ("contexts", "rules"), ("contexts", "unspaced"), ("personal", "rules"),
)  # fmt: skip


def test_every_rule_compiles_and_has_a_kind_that_fits_a_mark() -> None:
    for file, section in SECTIONS:
        for rule in read_rules(file, section):
            assert rule.regex.groups <= 2, rule
            assert MARK.fullmatch(mark(rule.kind)) or rule.reader == "address", rule


def test_every_rule_but_those_of_numbers_has_anchors() -> None:
    bare = [
        rule.kind for file, key in SECTIONS for rule in read_rules(file, key) if not rule.anchors
    ]
    assert bare == ["iban", "card_number", "social_security_number", "phone"]


def test_a_rule_gives_its_first_group_or_the_whole_match() -> None:
    spans = [SecretSpan(1, 3, "x"), SecretSpan(5, 6, "x")]
    assert list(find_by_rule(RedactionRule("a(b+)", "x"), "abb ab")) == spans
    assert list(find_by_rule(RedactionRule("ab+", "x"), "abb")) == [SecretSpan(0, 3, "x")]
    assert list(find_by_rule(RedactionRule("ab+", "x", accept="mixed"), "abb")) == []


def test_every_file_says_what_it_is_for() -> None:
    for name in FILES:
        assert (FOLDER / f"{name}.toml").read_text("utf-8").startswith("# "), name
        assert rule_file(name), name


def test_every_word_of_a_list_stands_there_once() -> None:
    for name in FILES:
        for key, value in rule_file(name).items():
            if isinstance(value, str) and not re.search(r"[\\(\[]", value):
                assert len(split(value)) == len(words(name, key)), (name, key)


def test_words_are_split_by_spaces_unless_they_hold_some() -> None:
    assert split("a b\nc") == ("a", "b", "c")
    assert split(["a b", "c"]) == ("a b", "c")


def test_a_section_gives_the_kind_of_each_word() -> None:
    assert kinds("names", "heads")["passwd"] == "password"
    assert kinds("names", "special")["secret id"] == "secret"


def test_a_pattern_may_name_another_of_its_file() -> None:
    assert pattern("escapes", "summed").search('"a" + "b"')
    assert "(?&" not in pattern("formats", "key_lines_backwards").pattern
    with pytest.raises(KeyError):
        pattern("escapes", "missing")
