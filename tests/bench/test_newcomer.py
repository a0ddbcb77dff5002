"""The ways in that are timed are those of the page, and each has times there."""

from __future__ import annotations

from bench.newcomer import PAGE, WayIn, commands, ways_in


def test_every_way_in_installs_runs_something_and_has_its_times():
    page = PAGE.read_text("utf-8")
    ways = list(ways_in(page))
    assert [way.title for way in ways] == [
        "Plain Python",
        "LangGraph",
        "Claude Code",
        "A ChatGPT export",
    ]
    for way in ways:
        assert way.install.startswith("pip install ")
        assert all(commands(*step) for step in way.steps)
        assert way.steps
        assert f"| {way.title} | " in page


def test_a_section_without_an_installation_is_no_way_in():
    page = "## A\n\n    pip install .\n\n```console\n$ true\nshown\n```\n\n## B\n\nText.\n"
    assert list(ways_in(page)) == [WayIn("A", "pip install .", (("console", "$ true\nshown\n"),))]
    assert commands("console", "$ true\nshown\n") == [["/bin/sh", "-c", "true"]]
