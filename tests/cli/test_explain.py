"""`meridia why`, `why-not`, `what-if` and `replay`: asked after an answer, by id or as `last`."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

QUESTION = "Why did publishing the club website keep failing?"


@pytest.fixture(scope="module")
def asked(meridia, demo):
    """Return an answer that was kept."""
    done = meridia("recall", QUESTION, *demo.where, "--json", "--limit", 4)
    assert done.status == 0, done.err
    return done.json


@pytest.fixture(scope="module")
def wide(meridia, asked):
    """Run a command on that answer, on a wide terminal."""

    def run(command, *arguments):
        return meridia(command, asked["recall"], *arguments, env={"COLUMNS": "400"})

    return run


def test_why_shows_the_answer_that_was_given(meridia, demo, asked):
    done = meridia("why", asked["recall"], *demo.where, "--json")
    assert done.status == 0, done.err
    assert done.json == asked


def test_why_shows_one_memory_as_a_tree_whose_branches_are_those_of_its_trace(wide, demo, asked):
    hit = asked["hits"][1]
    done = wide("why", hit["event_id"], *demo.where)
    assert done.status == 0, done.err
    shown = done.out.partition("score ")[0]
    assert f"@{hit['seq']}  " in shown
    assert f"@{asked['hits'][0]['seq']}  " not in shown
    assert f"score {hit['trace']['value']:.3f}, the sum of:" in done.out
    for branch in hit["trace"]["children"]:
        assert f"{branch['value']:+7.3f}  {branch['label']}" in done.out
        for leaf in branch["children"]:
            assert f"{leaf['value']:+7.3f}" in done.out


def test_why_says_the_whole_sentence_on_a_narrow_terminal(meridia, demo, asked):
    hit = asked["hits"][1]
    asking = ("why", asked["recall"], hit["event_id"], *demo.where)
    narrow = " ".join(meridia(*asking, env={"COLUMNS": "50"}).out.split())
    assert hit["why"] in narrow


def test_why_of_what_was_not_recalled_points_to_why_not(wide, demo):
    done = wide("why", "d1-01", *demo.where)
    assert done.status == 3
    assert "`meridia why-not` says why" in done.err


def test_why_not_compares_with_the_last_one_returned(wide, demo, asked):
    done = wide("why-not", "d2-09", *demo.where)
    assert done.status == 0, done.err
    assert done.out.startswith("outranked\nit was a candidate, at rank ")
    assert "it has no word of the question: “publishing”" in done.out
    told = wide("why-not", "d2-09", *demo.where, "--json").json
    assert told["cause"] == "outranked"
    assert told["last_score"] == pytest.approx(asked["hits"][-1]["score"], abs=1e-9)
    assert sum(term["its"] for term in told["lacked"]) == pytest.approx(told["score"], abs=1e-9)


def test_what_if_lists_the_edges_that_matter_most_first(wide, demo, asked):
    hit = asked["hits"][0]
    done = wide("what-if", hit["uri"], *demo.where)
    assert done.status == 0, done.err
    assert done.out.startswith(f"rank 1, score {hit['score']:.3f}")
    assert " NEXT " in done.out
    told = wide("what-if", hit["uri"], *demo.where, "--json").json
    effects = [abs(one["score_without"] - one["score"]) for one in told]
    assert effects == sorted(effects, reverse=True)
    described = [one["edge"]["description"] for one in told]
    assert len(described) == len(set(described)) > 1
    assert {one["rank"] for one in told} == {1}


def test_an_answer_without_memories_can_be_asked_about(meridia, demo_copy):
    where = ("--db", demo_copy, "--space", "demo")
    assert meridia("recall", "boat", *where, "--until", "1999-01-01").status == 0
    for arguments in (["why", "last"], ["what-if", "last"], ["why-not", "last", "d1-01"]):
        done = meridia(*arguments, *where)
        assert done.status == 0, done.err
    assert meridia("what-if", "last", *where, "--json").json == []
    assert meridia("recall", "", *where).status == 0
    done = meridia("why-not", "last", "d1-01", *where)
    assert done.status == 0, done.err


def test_replay_says_that_nothing_changed(meridia, wide, demo, asked):
    done = wide("replay", *demo.where)
    assert (done.status, done.out) == (
        0,
        "identical: 4 memories in the same order, with the same scores\n",
    )
    told = wide("replay", *demo.where, "--json").json
    assert told["identical"]
    assert [one["id"] for one in told["now"]] == [hit["id"] for hit in asked["hits"]]


def test_replay_of_what_changed_says_what_and_fails(meridia, demo_copy):
    where = ("--db", demo_copy, "--space", "demo")
    asked = meridia("recall", QUESTION, *where, "--json", "--limit", 4).json
    id = asked["hits"][0]["id"]
    with closing(sqlite3.connect(demo_copy)) as connection, connection:
        (seq,) = connection.execute("SELECT seq FROM experience WHERE id = ?", (id,)).fetchone()
        connection.execute("DELETE FROM experience WHERE id = ?", (id,))
    done = meridia("replay", asked["recall"], *where)
    assert done.status == 1
    assert f"memory @{seq} was forgotten" in done.out.replace("\n", " ")


def test_last_is_the_newest_answer(meridia, demo_copy):
    where = ("--db", demo_copy, "--space", "demo")
    for question in (QUESTION, "boat"):
        answer = meridia("recall", question, *where, "--json").json
        assert meridia("why", "last", *where, "--json").json == answer
        assert meridia("replay", *where, "--json").json["recall"] == answer["recall"]


@pytest.mark.parametrize("command", ["why", "replay"])
def test_an_unknown_recall_is_told(meridia, demo, command):
    done = meridia(command, "nope", *demo.where)
    assert done.status == 3
    assert "no recall 'nope' in space 'demo'" in done.err.replace("\n", " ")


@pytest.mark.parametrize("command", ["why-not", "what-if"])
def test_an_unknown_memory_is_told(wide, demo, command):
    done = wide(command, "nope", *demo.where)
    assert done.status == 3
    assert "no memory 'nope' in space 'demo'" in done.err


def test_debug_is_one_line_of_json_on_standard_error_without_content(meridia, demo):
    done = meridia("recall", QUESTION, *demo.where, "--debug", "--limit", 20)
    (line,) = done.err.splitlines()
    record = json.loads(line)
    assert len(record["top"]) == 12
    assert record["question_chars"] == len(QUESTION)
    assert not {"publishing", "website", "club"} & set(line.casefold().split('"'))
    by_variable = meridia(
        "recall", QUESTION, *demo.where, env={"MERIDIA_ENABLE_RETRIEVAL_DEBUG": "1"}
    )
    assert json.loads(by_variable.err)["event"] == "recall"
    assert meridia("recall", QUESTION, *demo.where).err == ""
