"""Lists of words in a file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import meridia.language.word_lists as lists
from meridia.language.word_lists import phrase_list, word_list, word_rows, word_table

FILE = tomllib.loads(Path(lists.__file__).with_name("data").joinpath("words.toml").read_text())


@pytest.mark.parametrize("name", [name for name, words in FILE.items() if isinstance(words, str)])
def test_a_list_has_words_in_lower_case_and_its_phrases_are_not_empty(name: str) -> None:
    assert word_list(name)
    assert all(word == word.lower() for word in word_list(name))
    assert all(phrase_list(name))


@pytest.mark.parametrize("name", [name for name, rows in FILE.items() if isinstance(rows, dict)])
def test_a_word_of_a_table_stands_under_one_heading(name: str) -> None:
    words = [word for row in word_rows(name).values() for word in row]
    assert len(words) == len(set(words)) == len(word_table(name))


def test_phrases_stand_between_commas_and_ends_of_lines() -> None:
    assert {"thank you very much", "many thanks", "спс"} <= set(phrase_list("small_talk"))
