"""The data files can be read, and say what their heads promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from meridia.ingest.redaction import rule_files
from meridia.ingest.redaction.rule_files import kinds, pattern, rule_file, split, words

FILES = sorted(path.stem for path in (Path(rule_files.__file__).parent / "data").iterdir())


def test_every_file_says_what_it_is_for() -> None:
    for name in FILES:
        text = Path(rule_files.__file__).with_name("data").joinpath(f"{name}.toml").read_text()
        assert text.startswith("# "), name
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
