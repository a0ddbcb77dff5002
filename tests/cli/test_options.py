"""What every command is given: shared options, `key=value` pairs, standard input."""

from __future__ import annotations

import io
from pathlib import Path

import click
import pytest

from meridia.cli.options import (
    SharedOptions,
    key_values,
    pairs_option,
    standard_input,
    text_of,
)
from meridia.core.errors import InvalidInput, NotFound
from meridia.core.settings_loader import default_database


def test_the_journal_is_named_by_flag_then_environment_then_default(monkeypatch):
    monkeypatch.delenv("MERIDIA_DB", raising=False)
    assert SharedOptions(None, None, None, False).database == default_database()
    monkeypatch.setenv("MERIDIA_DB", "environment.db")
    assert SharedOptions(None, None, None, False).database == Path("environment.db")
    assert SharedOptions("flag.db", None, None, False).database == Path("flag.db")


def test_the_space_is_named_by_flag_then_environment(monkeypatch):
    monkeypatch.delenv("MERIDIA_SPACE", raising=False)
    assert SharedOptions(None, None, None, False).named_space is None
    monkeypatch.setenv("MERIDIA_SPACE", "environment")
    assert SharedOptions(None, None, None, False).named_space == "environment"
    assert SharedOptions(None, "flag", None, False).named_space == "flag"


def test_a_reader_is_told_when_there_is_no_journal_or_space(tmp_path, capsys, monkeypatch):
    nothing = SharedOptions(str(tmp_path / "none.db"), None, None, False)
    with pytest.raises(NotFound, match="there is no journal"), nothing.memory():
        pass
    monkeypatch.setenv("MERIDIA_DB", str(tmp_path / "none.db"))
    with SharedOptions(None, None, None, False).memory() as memory:
        assert memory.list().memories == []
    assert "there is no journal" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    with nothing.memory(writes=True) as memory:
        memory.remember("Hello")
    other = SharedOptions(str(tmp_path / "none.db"), "other", None, False)
    with pytest.raises(NotFound, match="space 'other' does not exist"), other.memory():
        pass


def test_pairs_are_read_as_json_or_else_as_text():
    given = ("a=1", "b=x=y", "c=", 'd={"e": [true]}', "f=NaN", "g=1e999", "h=01")
    assert key_values(given, "--param") == {
        "a": 1,
        "b": "x=y",
        "c": "",
        "d": {"e": [True]},
        "f": "NaN",
        "g": "1e999",
        "h": "01",
    }


@pytest.mark.parametrize("pair", ["", "a", "=1"])
def test_what_is_no_pair_is_wrong_input(pair):
    with pytest.raises(InvalidInput, match="--where .*: write it as key=value"):
        key_values((pair,), "--where")


def test_an_option_for_pairs_gives_a_mapping_or_none():
    command = click.command()(pairs_option("--meta", "metadata", "M.")(lambda metadata: metadata))
    given = command.main(["--meta", "a=1", "--meta", "b=x"], standalone_mode=False)
    assert given == {"a": 1, "b": "x"}
    assert command.main([], standalone_mode=False) is None
    with pytest.raises(InvalidInput, match="--meta 'a': write it as key=value"):
        command.main(["--meta", "a"], standalone_mode=False)


def test_a_file_that_cannot_be_read_as_text_is_named(tmp_path, monkeypatch):
    path = tmp_path / "plan.json"
    with pytest.raises(InvalidInput, match="plan.json cannot be read: No such file"):
        text_of(str(path))
    path.write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match="plan.json cannot be read: it is not UTF-8 text"):
        text_of(str(path))
    path.write_text("é", "utf-8")
    assert text_of(str(path)) == "é"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("ö".encode())))
    assert text_of("-") == "ö"


def test_standard_input_is_text(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("é".encode())))
    assert standard_input() == "é"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(InvalidInput, match="not UTF-8"):
        standard_input()
