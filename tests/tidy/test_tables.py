"""What the code defines stands in docs/ as it is: stages, sections, terms, tools, settings."""

from __future__ import annotations

import pytest

from docs import tables
from tests.tidy.tree import ROOT, project


def test_every_table_is_as_the_code_defines_it():
    assert list(tables.problems()) == []


def test_the_architecture_has_the_order_of_imports_that_is_checked():
    contract = project()["tool"]["importlinter"]["contracts"][0]
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert f"`{' → '.join(contract['layers'])}`" in text


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Return a page with one table of the code's, of two names."""
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    monkeypatch.setattr(tables, "ROWS", {"letters": lambda: [("a", "1"), ("b", "2")]})
    return tmp_path / "page.md"


def table(*rows):
    return "\n".join(
        ["<!-- table: letters -->", "| letter | n | what |", "|---|---|---|", *rows, ""]
    )


def test_rows_follow_the_code_and_keep_what_was_written_of_them(page):
    old = table("| c | 3 | gone |", "| b | 9 | what b is |", "| a | 1 | what a is |")
    new = table("| a | 1 | what a is |", "| b | 2 | what b is |")
    assert tables.rendered(old) == new


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (("| b | 2 | y |", "| a | 1 | x |"), "out of date"),
        (("| a | 1 | x |", "| b | 3 | y |"), "out of date"),
        (("| a | 1 | x |", "| b | 2 | ? |"), "say what the new row"),
    ],
)
def test_a_table_that_differs_from_the_code_is_named(page, rows, problem):
    page.write_text(table(*rows), "utf-8")
    (found,) = tables.problems()
    assert problem in found


def test_a_table_that_stands_nowhere_is_named(page):
    page.write_text("# Page\n", "utf-8")
    assert list(tables.problems()) == ["no document has the table letters"]


def test_a_new_row_asks_what_it_is(page, monkeypatch):
    page.write_text(table("| a | 1 | x |"), "utf-8")
    monkeypatch.setattr("sys.argv", ["docs.tables"])
    tables.main()
    assert page.read_text("utf-8") == table("| a | 1 | x |", "| b | 2 | ? |")
    assert len(list(tables.problems())) == 1
