"""Options made of the parameters of an operation: as HTTP and MCP have them, so have commands."""

from __future__ import annotations

from datetime import UTC, datetime

import click
import pytest
from click.testing import CliRunner

from meridia.cli.parameters import filter_options, options_of
from meridia.core.errors import InvalidInput
from meridia.service.parameters import ListParameters, PlanParameters, RecallParameters


def given_to(options, *arguments):
    """Return what a command with such options is called with."""
    command = click.command()(options(lambda **given: given))
    return command.main(list(arguments), standalone_mode=False)


def test_what_is_not_given_is_what_the_operation_takes_then():
    given = given_to(options_of(PlanParameters, "purpose limit load"))
    assert given == {"purpose": "", "limit": None, "load": False}
    assert given_to(options_of(ListParameters, "after limit")) == {"after": 0, "limit": 50}


def test_bounds_and_words_are_those_of_the_operation():
    options = options_of(RecallParameters, "limit policy")
    assert given_to(options, "--limit", "7", "--policy", "walk") == {"limit": 7, "policy": "walk"}
    for wrong in (["--limit", "0"], ["--limit", "1001"], ["--policy", "stroll"]):
        with pytest.raises(click.BadParameter):
            given_to(options, *wrong)


def test_times_arrive_read_and_a_mistake_names_the_option():
    options = options_of(RecallParameters, "as_of since")
    given = given_to(options, "--as-of", "12", "--since", "2026-03-01")
    assert given == {"as_of": 12, "since": datetime(2026, 3, 1, tzinfo=UTC)}
    with pytest.raises(InvalidInput, match="--since 'soon'"):
        given_to(options, "--since", "soon")


def test_filters_on_metadata_are_conditions():
    given = given_to(filter_options, "--where", "topic=tea", "--person", "Dana")
    assert given["where"] == {"AND": [{"topic": {"=": "tea"}}]}
    assert (given["person"], given["kind"], given["until"]) == ("Dana", None, None)


def test_the_help_is_the_description():
    shown = CliRunner().invoke(click.command()(filter_options(lambda **_: None)), ["--help"]).output
    described = ListParameters.model_json_schema()["properties"]["kind"]["description"]
    assert described.capitalize().split()[-1] in shown
    assert "--kind KIND" in shown
