"""`meridia reflect`, and the picture below `meridia resume`."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("without_encoder")

NARROW = {"COLUMNS": "100"}


def test_row_37_reflect_tells_weeks_and_turns_and_every_line_can_be_shown(meridia, demo):
    done = meridia("reflect", *demo.where, env=NARROW)
    assert done.status == 0, done.err
    assert done.out.startswith("127 experiences in 7 sessions")
    for title in ("week", "Changes of emotion"):
        assert f"\n{title}" in done.out
    address = done.out.split("meridia://@")[1].split()[0]
    assert meridia("show", f"meridia://@{address}", *demo.where).status == 0


def test_row_37_reflect_draws_feelings_and_engagement(meridia, demo):
    out = meridia("reflect", "--plot", *demo.where, env=NARROW).out
    assert "valence " in out
    assert "emotions by week\n" in out
    assert "engagement by week\n" in out


def test_row_37_reflect_as_json_is_of_the_asked_time_and_person(meridia, demo):
    whole = meridia("reflect", *demo.where, "--json").json
    assert whole["periods_by"] == "week"
    assert sum(period["experiences"] for period in whole["periods"]) == whole["experiences"]
    part = meridia(
        "reflect", "--person", "dana", "--since", "2026-05-01", *demo.where, "--json"
    ).json
    assert 0 < part["experiences"] < whole["experiences"]
    assert part["first"] >= "2026-05-01"


def test_a_time_in_which_nothing_was_lived_is_said_in_one_line(meridia, demo):
    done = meridia("reflect", "--until", "2020-01-01", *demo.where)
    assert (done.status, done.out) == (0, "no experiences in this time\n")


def test_reflecting_with_a_stranger_is_an_error(meridia, demo):
    done = meridia("reflect", "--person", "Zoe", *demo.where)
    assert (done.status, done.out) == (3, "")
    assert "Nobody called" in done.err


def test_row_53_resume_draws_how_it_felt(meridia, demo):
    plain = meridia("resume", "dana", *demo.where, env=NARROW).out
    drawn = meridia("resume", "dana", "--plot", *demo.where, env=NARROW).out
    assert "\nvalence " not in plain
    assert "\nvalence " in drawn
    bars, times = drawn.split("\nvalence ")[1].splitlines()[:2]
    assert bars.strip().endswith("█"), "scared, the good kind"
    assert "2026-03-02 09:00 to 2026-06-01" in times
