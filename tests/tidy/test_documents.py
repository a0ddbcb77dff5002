"""The tables of docs/ tell the truth: features and their tests, dependencies, the changelog."""

from __future__ import annotations

import re

from tests.tidy.tree import ROOT, project

FEATURES = (ROOT / "docs" / "FEATURES.md").read_text("utf-8")
DEPENDENCIES = (ROOT / "docs" / "DEPENDENCIES.md").read_text("utf-8")
STATES = {"done", "partly", "planned"}
#: Two printed pages.
PAGES_LINES_MAX = 120


def rows(text):
    """Yield the cells of every row of every table, headings and rules left out."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        is_rule = re.fullmatch(r"\|[-| ]+\|", line)
        is_heading = re.fullmatch(r"\|[-| ]+\|", following)
        if line.startswith("|") and not is_rule and not is_heading:
            yield [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def section(text, heading):
    """Return the part of a document under a heading."""
    return re.split(rf"^## {re.escape(heading)}$", text, maxsplit=1, flags=re.MULTILINE)[1].split(
        "\n## "
    )[0]


NUMBERED = list(rows(section(FEATURES, "From the source documents")))
ALL_FEATURES = [
    *(row[1:] for row in NUMBERED),
    *rows(section(FEATURES, "What nobody else has, or has all of")),
]


def test_every_number_is_there_once_and_in_order():
    assert [int(row[0]) for row in NUMBERED] == list(range(1, 128))


def test_every_feature_is_named_once():
    names = [row[0] for row in ALL_FEATURES]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_every_feature_has_facts_a_state_and_the_test_that_shows_it():
    for name, facts, state, shown in ALL_FEATURES:
        assert name
        assert facts, name
        assert state in STATES, name
        tests = re.findall(r"`([^`]+)`", shown)
        # What is planned is shown by nothing yet.
        assert (shown == "–") if state == "planned" else tests, name
        for test in tests:
            assert (ROOT / test).is_file(), f"{test} does not exist"
            assert "def test_" in (ROOT / test).read_text("utf-8"), test


def normal(name):
    """Return a package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s<>=!~;\[]", name, maxsplit=1)[0]).lower()


def listed(heading, column=0):
    """Return the packages that a table of the document names in a column."""
    return [
        normal(name)
        for row in rows(section(DEPENDENCIES, heading))
        for name in row[column].split(", ")
    ]


def test_the_base_packages_are_those_that_are_installed():
    wanted = [normal(one) for one in project()["project"]["dependencies"]]
    assert sorted(listed("Base")) == sorted(wanted)


def test_the_extras_are_those_that_can_be_installed():
    wanted = [
        (extra, normal(one))
        for extra, packages in project()["project"]["optional-dependencies"].items()
        for one in packages
    ]
    named = [(row[0], normal(row[1])) for row in rows(section(DEPENDENCIES, "Extras"))]
    assert sorted(named) == sorted(wanted)


def test_the_development_packages_are_those_of_the_group():
    wanted = [normal(one) for one in project()["dependency-groups"]["dev"]]
    assert sorted(listed("Development")) == sorted(wanted)


def test_every_dependency_says_what_it_does_who_keeps_it_and_under_which_licence():
    for row in rows(DEPENDENCIES):
        assert all(cell not in {"", "–", "?"} for cell in row), row


def test_the_changelog_has_the_version_or_a_place_for_what_is_not_released():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    first, *released = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert re.search(r"^- ", section(text, first), re.MULTILINE), "nothing is written there"
    versions = [heading.split()[0].strip("[]") for heading in released]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
    current = project()["project"]["version"]
    assert first.split()[0] == (current if current not in versions else "Unreleased")


def test_the_version_stands_in_two_places_and_is_one():
    (own,) = re.findall(r'^__version__ = "(.+)"$', (ROOT / "__init__.py").read_text(), re.MULTILINE)
    assert own == project()["project"]["version"]


def test_row_39_the_fourteen_components_are_named_with_files_that_are_there():
    """Row 39: the source's component map, ids 1 to 14, each with its place."""
    text = (ROOT / "docs" / "components.md").read_text("utf-8")
    table = [row for row in rows(text) if len(row) == 3 and row[0].isdigit()]
    assert [int(row[0]) for row in table] == list(range(1, 15))
    for _, name, where in table:
        files = re.findall(r"`([\w/]+(?:\.py|/))`", where)
        assert files, f"{name} is nowhere"
        assert [file for file in files if not (ROOT / file).exists()] == []


def test_the_architecture_fits_two_pages():
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= PAGES_LINES_MAX
