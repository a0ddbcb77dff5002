"""How answers look: cells, tables, JSON and bars."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from meridia.cli import render
from meridia.cli.options import SharedOptions


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (1.5, "1.5"),
        (2.0, "2"),
        (0.12345, "0.123"),
        (7, "7"),
        ("text", "text"),
        (datetime(2026, 3, 1, 10, 5, 59, tzinfo=UTC), "2026-03-01 10:05"),
        (["é", 1], '["é", 1]'),
        ({"a": None}, '{"a": null}'),
    ],
)
def test_a_cell_is_short_text(value, shown):
    assert render.cell(value) == shown


def test_plain_text_has_no_control_characters_and_no_markup():
    shown = render.terminal_text("\x1b[31m[bold]\x00\x7f\x9b\ttab\nline", "dim")
    assert shown.plain == "�[31m[bold]���\ttab\nline"
    assert shown.style == "dim"


def test_numbers_stand_to_the_right_and_texts_to_the_left(capsys, monkeypatch):
    monkeypatch.setattr(render.console, "width", 80)
    render.table(["what", "[b]n[/b]"], [["a", 1], ["bcdef", 200]])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["what   [b]n[/b]", "a             1", "bcdef       200"]


def test_long_texts_fold_and_lose_nothing(capsys, monkeypatch):
    monkeypatch.setattr(render.console, "width", 30)
    text = "word " * 30 + "x" * 70
    render.table(["text"], [[text]])
    shown = capsys.readouterr().out
    assert "".join(shown.split())[4:] == "".join(text.split())


def test_json_is_one_document_in_plain_signs(capsys):
    render.print_json({"text": "é", "at": datetime(2026, 3, 1, tzinfo=UTC)})
    shown = capsys.readouterr().out
    assert json.loads(shown)["text"] == "é"
    assert "é" in shown


ROWS = [{"a_b": 1, "on": "2026-03-01T10:05:59Z"}, {"a_b": 22, "on": None}]
COLUMNS = ["a_b", ("day", render.day("on")), ("at", render.at("on"))]


def test_documents_are_a_table_for_people_and_themselves_for_machines(capsys, monkeypatch):
    monkeypatch.setattr(render.console, "width", 80)
    render.print_documents(SharedOptions(None, None, None, False), ROWS, COLUMNS)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    first = ["1", "2026-03-01", "2026-03-01", "10:05"]
    assert lines == [["a", "b", "day", "at"], first, ["22", "–"]]
    render.print_documents(SharedOptions(None, None, None, True), ROWS, COLUMNS, "nothing")
    assert json.loads(capsys.readouterr().out) == ROWS


def test_that_there_are_no_documents_is_said_to_people_alone(capsys):
    render.print_documents(SharedOptions(None, None, None, False), [], COLUMNS, "nothing yet")
    assert capsys.readouterr().out == "nothing yet\n"
    render.print_documents(SharedOptions(None, None, None, True), [], COLUMNS, "nothing yet")
    assert json.loads(capsys.readouterr().out) == []


def test_no_bar_is_shown_where_no_terminal_watches(capsys):
    with render.progress("work") as move:
        move(1, 2)
    assert capsys.readouterr() == ("", "")


def test_an_id_stays_whole_and_other_texts_wrap_around_it(capsys, monkeypatch):
    monkeypatch.setattr(render.console, "width", 80)
    address = "meridia://01a2061f-9ece-7fae-aa01-4c36c663318e"
    render.table(["id", "one", "two"], [[address, "word " * 20, "other " * 20]])
    assert address in capsys.readouterr().out


def test_lines_that_end_as_on_windows_are_lines():
    assert render.terminal_text("one\r\ntwo\r\n").plain == "one\ntwo\n"
