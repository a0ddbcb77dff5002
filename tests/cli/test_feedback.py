"""`meridia feedback`: said, listed, reported and taken back."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("without_encoder")

QUESTION = "Why did publishing the club website keep failing?"


@pytest.fixture
def run(meridia, demo_copy):
    """Run a command on a copy of the demo's journal."""

    def run(*arguments):
        return meridia(*arguments, "--db", demo_copy, "--space", "demo", env={"COLUMNS": "200"})

    return run


def order(run):
    return [
        (hit["event_id"], hit["score"]) for hit in run("recall", QUESTION, "--json").json["hits"]
    ]


def test_what_is_said_moves_the_ranking_the_next_time_and_can_be_taken_back(run):
    before = order(run)
    last = before[-1][0]
    done = run("feedback", last, "useful", "--rating", 5, "--json")
    assert done.status == 0, done.err
    after = dict(order(run))
    assert after[last] == pytest.approx(before[-1][1] + 0.5)
    undone = run("feedback", last, "--undo", "--json")
    assert undone.json == {"undone": done.json["feedback"]}
    assert order(run) == before


def test_what_was_noted_says_how_to_take_it_back_without_long_ids(run):
    noted = run("feedback", "@3", "useful").out
    assert noted == "noted for @3; take it back: meridia feedback @3 --undo\n"
    assert run("feedback", "@3", "--undo").out == "undone for @3\n"


def test_a_report_tells_what_was_said_by_mode(run):
    assert run("feedback", "--report").out == "no feedback yet\n"
    recall = run("recall", QUESTION, "--json").json["recall"]
    assert run("feedback", recall, "stale", "--note", "of last year").status == 0
    (rate,) = run("feedback", "--report", "--json").json
    assert (rate["mode"], rate["stale"], rate["useful"]) == ("recall", 1, 0)
    shown = run("feedback", "--report").out
    assert shown.splitlines()[0].split()[:2] == ["mode", "observed"]
    (row,) = run("feedback", "--list", "--json").json
    assert (row["reconstitution_id"], row["notes"]) == (recall, "of last year")
    assert "of last year" in run("feedback", "--list").out


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        ((), 2, "the ID is missing: write `meridia feedback ID useful`"),
        (("d1-01",), 2, "feedback is empty"),
        (("d1-01", "lovely"), 2, "choose from useful, stale, wrong"),
        (("d1-01", "--rating", "6"), 2, "6 is not in the range"),
        (("nothing", "useful"), 3, "has no memory, recall or pack 'nothing'"),
        (("d1-01", "--undo"), 3, "'d1-01' has no feedback to undo"),
        (("d1-01", "useful", "--undo"), 2, "--undo takes only an ID"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(run, arguments, status, problem):
    done = run("feedback", *arguments)
    assert done.status == status
    assert problem in done.err


@pytest.fixture
def ideas(meridia, demo_copy):
    """Run a command on a copy of the demo's journal."""

    def run(*arguments):
        env = {"MERIDIA_EMBEDDING_ENABLED": "true", "MERIDIA_DAYDREAM_INSIGHT_MIN": "0.3"}
        return meridia(*arguments, "--db", demo_copy, "--space", "demo", env=env)

    return run


def test_pairs_are_proposed_listed_and_decided(ideas):
    assert ideas("ideas").out.startswith("no ideas")
    proposed = ideas("ideas", "propose", "--json").json
    assert len(proposed) > 1
    first, second, *_ = [idea["idea"] for idea in proposed]
    assert proposed[0]["earlier"]["text"] in ideas("ideas", "--json").out
    assert ideas("ideas", "approve", first, "--json").json[0]["state"] == "approved"
    assert ideas("ideas", "reject", second).status == 0
    assert {first, second}.isdisjoint(idea["idea"] for idea in ideas("ideas", "--json").json)
    states = {idea["idea"]: idea["state"] for idea in ideas("ideas", "--all", "--json").json}
    assert (states[first], states[second]) == ("approved", "rejected")


def test_an_idea_that_does_not_exist_is_an_error(ideas):
    assert ideas("ideas", "approve").status == 2
    missing = ideas("ideas", "approve", "idea_0")
    assert missing.status == 3
    assert "no idea 'idea_0'" in missing.err
    assert ideas("ideas", "list", "idea_0").status == 2
