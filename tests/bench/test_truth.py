"""The bench of truth: what is right, wrong, missed and not judged, on a tiny conversation."""

import json

import pytest

from bench.baselines import settings
from bench.locomo import import_conversations
from bench.truth.__main__ import main
from bench.truth.agreement import agreement
from bench.truth.conversations import derive, score_conversation
from bench.truth.labels import Label, half_of, read_labels, read_verdicts
from bench.truth.runs import derive_runs, score_run
from bench.truth.statements import NAME_TYPES, StatementScorer, compatible, feels
from bench.truth.tally import Item, TruthScore, Verdict, scores_of, scores_table, wilson
from meridia import InvalidInput, Memory
from meridia.core.entities.entity_gazetteer import EntityType

TURNS = [
    [
        ("Ann", "I moved to Lisbon last month, and I am so frustrated with the landlord!"),
        ("Ben", "I work at Siemens. What a nice day it is for everybody."),
        ("Ann", "I'll send you the recipe of the onion soup tomorrow."),
        ("Ben", "I'll bring the green ladder to the garden."),
    ],
    [
        ("Ann", "I sent you the recipe of the onion soup, as promised."),
        ("Ben", "Thank you so much, that made me really happy!"),
    ],
]
LABELS = """\
news	D1:1	2	bad
news	D2:1	1	good
event	S1/Ann/1	D1:1
event	S1/Ann/2	-
feeling	D1:1	frustrated,sad
notfeeling	D1:2
promise	D1:3	promise	kept	D2:1	send the soup recipe
promise	D2:2	plan	open	-	nothing of the kind
fact	D1:2	Ben	works_at	Siemens
fact	D1:2	Ben	owns	a boat
name	D1:1	person	Ann
name	D1:1	place	Atlantis
topic	S1	onion soup
title	S1	Ann moves to Lisbon
"""


@pytest.fixture
def folder(tmp_path):
    labels = tmp_path / "labels"
    labels.mkdir()
    (labels / "conv-26.tsv").write_text(LABELS, "utf-8")
    return labels


@pytest.fixture
def data(tmp_path):
    conversation = {}
    for session, turns in enumerate(TURNS, 1):
        conversation[f"session_{session}_date_time"] = f"1:56 pm on {session} May, 2023"
        conversation[f"session_{session}"] = [
            {"speaker": who, "dia_id": f"D{session}:{place}", "text": text}
            for place, (who, text) in enumerate(turns, 1)
        ]
    path = tmp_path / "locomo.json"
    sample = {"sample_id": "conv-26", "qa": [], "conversation": conversation}
    path.write_text(json.dumps([sample]), "utf-8")
    return path


@pytest.fixture
def scored(data, folder):
    labels = read_labels(folder)["conv-26"]
    with Memory.open(None, settings=settings(flags={"embedding.enabled": False})) as memory:
        (space,) = import_conversations(memory, data, merged=False)
        here = memory.in_space(space)
        statements = StatementScorer(labels, read_verdicts(folder), memory.parts.analyser)
        items = list(score_conversation(labels, derive(here), statements))
    return scores_of(items), items


def counts(score):
    return score.right, score.wrong


def test_the_quotes_of_packs_are_scored_by_what_they_cite(scored):
    scores, items = scored
    news = {item.id: item.verdict for item in items if item.row == "quotes news"}
    assert news["D2:1"] is Verdict.RIGHT
    assert scores["quotes useful"].right >= scores["quotes news"].right
    assert counts(scores["events in packs"]) == (1, 0)


def test_a_feeling_is_right_where_its_message_lists_it_and_wrong_where_none_is_labelled(scored):
    scores, items = scored
    felt = {
        (item.id, item.text.partition(":")[0]): item for item in items if item.row == "feelings"
    }
    assert felt["D1:1", "frustrated"].verdict is Verdict.RIGHT
    assert all(item.verdict is Verdict.WRONG for (id, _), item in felt.items() if id != "D1:1")
    assert counts(scores["feelings recall"]) == (1, 0)
    assert counts(scores["bad news noticed"]) == (1, 0)


def test_facts_names_and_topics_are_right_by_label_and_else_not_judged(scored, folder):
    scores, items = scored
    facts = {item.text: item.verdict for item in items if item.row == "facts"}
    assert facts["Ben\tworks_at\tSiemens"] is Verdict.RIGHT
    assert all(v is Verdict.UNJUDGED for text, v in facts.items() if "Siemens" not in text)
    assert counts(scores["facts recall"]) == (1, 1)
    assert counts(scores["names recall"]) == (1, 1)
    assert counts(scores["names type"]) == (1, 0)
    assert scores["topics"].right
    assert scores["topics"].unjudged
    assert not scores["topics"].wrong


def test_a_verdict_decides_what_no_label_does(scored, folder):
    _, items = scored
    topic = next(i for i in items if i.row == "topics" and i.verdict is Verdict.UNJUDGED)
    verdicts = folder / "verdicts.tsv"
    verdicts.write_text(f"conv-26/-\t{topic.text}\twrong\n", "utf-8")
    with Memory.open(None, settings=settings(flags={"embedding.enabled": False})) as memory:
        labels = read_labels(folder)["conv-26"]
        scorer = StatementScorer(labels, read_verdicts(verdicts), memory.parts.analyser)
        (item,) = scorer.topics([topic.text.rpartition("\t")[2]])
    assert item.verdict is Verdict.WRONG


def test_runs_are_scored_by_what_failed_and_what_nothing_derives_is_missed(tmp_path):
    runs = tmp_path / "runs.tsv"
    runs.write_text(
        "failed\tc1-02\tmake fails\nnofix\tc1-02\noutcome\tc1\tfailed\tc1-03\n"
        "notfailed\tc1-04\nperson\tc1\tIlse\t-\n",
        "utf-8",
    )
    events = [
        {"kind": "user_message", "person": "Ilse", "payload": {"text": "Please build the wheel."}},
        tool("make wheel", "Error 1: proj.h is not there", error=True),
        {"kind": "assistant_message", "payload": {"text": "The header of PROJ is not there."}},
        tool("cat build.log", "0 errors, nothing failed", error=False),
    ]
    with Memory.open(None, settings=settings(flags={"embedding.enabled": False})) as memory:
        for number, event in enumerate(events, 1):
            more = {"id": f"c1-{number:02}", "ts": f"2026-04-02T08:0{number}:00Z"}
            memory.capture(event | more | {"session": {"key": "one"}})
        memory.enrich()
        scores = scores_of(score_run(read_labels(tmp_path)["c1"], derive_runs(memory)["c1"]))
    assert counts(scores["run failures"]) == counts(scores["run failures recall"]) == (1, 0)
    assert counts(scores["run not failed"]) == counts(scores["run person recall"]) == (1, 0)
    assert scores["run outcome"] == TruthScore(0, 0, absent=1)
    assert "none derived" in scores_table({"rules": scores})


def test_a_labelled_call_without_words_stands_for_its_result(tmp_path):
    call = {"id": "1", "function": {"name": "book", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Book me a flight to Boston on Monday."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "name": "book", "content": "Error: no such flight"},
    ]
    data = tmp_path / "airline.json"
    run = {"task_id": 4, "trial": 1, "reward": 0.0, "info": {}, "traj": messages}
    data.write_text(json.dumps([run]), "utf-8")
    (tmp_path / "runs.tsv").write_text("failed\ta54:2\tno flight\n", "utf-8")
    with Memory.open(None, settings=settings(flags={"embedding.enabled": False})) as memory:
        memory.import_file(data, format="tau-bench", space="default")
        memory.enrich()
        scores = scores_of(score_run(read_labels(tmp_path)["a54"], derive_runs(memory)["a54"]))
    assert counts(scores["run failures"]) == counts(scores["run failures recall"]) == (1, 0)


def tool(command, result, *, error):
    payload = {"args": {"cmd": command}, "result": result}
    called = {"name": "bash", "callId": command, "isError": error}
    return {"kind": "tool_result", "tool": called, "payload": payload}


@pytest.mark.thorough
def test_the_other_half_is_scored_and_its_errors_are_not_listed(data, folder, tmp_path, capsys):
    given = ["--locomo", str(data), "--labels", str(folder)]
    for half in ("check", "both"):
        with pytest.raises(SystemExit):
            main([*given, "--errors", "facts", "--half", half])
    report = tmp_path / "report.json"
    main([*given, "--errors", "facts recall", "--save", str(report), "--titles"])
    printed = capsys.readouterr().out
    assert "facts recall\tconv-26/D1:2\tBen owns a boat" in printed
    assert "Ann moves to Lisbon" in printed
    rows = json.loads(report.read_text("utf-8"))["rules"]
    assert (rows["facts recall"]["right"], rows["facts recall"]["wrong"]) == (1, 1)
    main([*given, "--beside", str(report)])
    assert "before" in capsys.readouterr().out


def test_the_halves_are_those_of_the_labels_readme():
    rules = {"conv-26", "conv-42", "a0", "a29", "c1", "c3"}
    check = {"conv-30", "conv-47", "conv-49", "a30", "a59", "c4", "c6"}
    assert {half_of(source) for source in rules} == {"rules"}
    assert {half_of(source) for source in check} == {"check"}


def test_the_labels_of_the_project_can_all_be_read():
    assert {"conv-26", "conv-30", "a0", "c1"} <= read_labels().keys()


def test_a_bad_line_is_refused_by_its_number(tmp_path):
    (tmp_path / "conv-1.tsv").write_text("question\tD1:1\nmood\tD1:2\n", "utf-8")
    with pytest.raises(InvalidInput, match="conv-1.tsv:2"):
        read_labels(tmp_path)


def test_readers_agree_by_place_in_the_sessions_that_both_read(tmp_path):
    texts = {
        "first": "question\tD1:1\nquestion\tD1:2\nquestion\tD9:1\nevent\tS1/Ann/1\tD1:1,D1:2\n",
        "second": "question\tD1:2\nevent\tS1/Ann/1\tD1:2,D1:4\n",
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "conv-26.tsv").write_text(text, "utf-8")
    by_kind = agreement(*(read_labels(tmp_path / name) for name in texts))
    assert (by_kind["question"].first, by_kind["question"].second) == (2, 1)
    assert by_kind["question"].f1 == pytest.approx(2 / 3)
    assert by_kind["event"].both == 1


def test_shares_have_wilsons_interval():
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 0) == (0, 1)
    items = [Item("r", "a0", "x", verdict, "") for verdict in Verdict]
    assert scores_of(items)["r"] == TruthScore(1, 1, 1, 1)
    assert scores_of(items)["r"].share == pytest.approx(1 / 3)


def test_a_feeling_of_the_same_group_counts_but_not_strictly():
    label = Label("conv-26", "feeling", {"id": "D1:1", "words": "excited,proud"})
    assert feels("proud", label, grouped=False)
    assert feels("satisfied", label, grouped=True)
    assert not feels("satisfied", label, grouped=False)
    assert not feels("concerned", label, grouped=True)


def test_predicates_that_say_the_same_are_compatible():
    assert compatible("favourite_childhood_book", "likes")
    assert compatible("works_as", "works_at")
    assert not compatible("lives_in", "origin")
    assert not compatible("likes", "dislikes")


def test_types_of_names_cover_those_that_are_derived_today():
    assert {"PERSON", "PLACE", "ORG", "PROJECT"} <= set(EntityType)
    assert set().union(*NAME_TYPES.values()) >= {"PERSON", "PLACE", "ORG", "PROJECT"}
