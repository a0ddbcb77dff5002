"""Variables that set nothing: named with the nearest that does, and never one that does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.cli.options import unknown_variables
from meridia.core.settings_loader import CONFIG, DATABASE, SPACE, keys, variable

KNOWN = [DATABASE, SPACE, CONFIG, *map(variable, keys())]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("MERIDIA_RECALL_LIMITT", "MERIDIA_RECALL_LIMIT"),
        ("MERIDIA_ENABLE_RERNK", "MERIDIA_ENABLE_RERANK"),
        ("MERIDIA_RECALL_REFERENCE_STARTS", "MERIDIA_REFERENCE_STARTS"),
        ("MERIDIA_SPACES", "MERIDIA_SPACE"),
        ("MERIDIA_XYZZY", None),
    ],
)
def test_a_misspelt_setting_is_named_with_the_nearest_that_there_is(name, near):
    assert unknown_variables({name: "1", "PATH": "/bin"}) == {name: near}


@pytest.mark.parametrize(
    "name",
    [
        *("MERIDIA_TEST_NEO4J_URI", "MERIDIA_REQUIRE_BROWSER", "MERIDIA_THOROUGH"),
        *("MERIDIA_NEO4J_JARS", "MERIDIA_SERVICE_HOST", "MERIDIA_PORT_8080_TCP"),
        *("HOME", "NOT_MERIDIA_RECALL"),
    ],
)
def test_what_is_nobodys_setting_is_passed_over(name):
    assert unknown_variables({name: "1"}) == {}


@given(st.sets(st.sampled_from(KNOWN)))
def test_no_setting_is_ever_called_unknown(names):
    assert unknown_variables(dict.fromkeys(names, "1")) == {}


def test_the_environment_of_the_process_is_read_unless_one_is_given(monkeypatch):
    monkeypatch.setenv("MERIDIA_RECALL_LIMITT", "3")
    assert "MERIDIA_RECALL_LIMITT" in unknown_variables()
