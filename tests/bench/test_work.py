"""The work set is what it claims to be, and its bench scores what it is given."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from fakes import FakeEmbedder

from bench import work
from bench.work import CODING, KINDS, SETS, SWE_AGENT, compare, import_set, main, questions
from meridia.core.errors import InvalidInput
from meridia.core.events import parse_event

QUESTIONS = questions()
EVENTS = [json.loads(line) for line in CODING.read_text("utf-8").splitlines()]
QUESTIONS_MIN, EVENTS_MIN, SESSIONS, PEOPLE = 84, 120, 6, 4
#: A run's task, its trial, and the place of the message: how the importer names an event.
_AIRLINE_ID = re.compile(r"\d+/\d+/\d+")


def test_there_are_enough_questions_of_every_kind_in_both_large_sets():
    assert len(QUESTIONS) >= QUESTIONS_MIN
    counts = Counter((question.set, question.kind) for question in QUESTIONS)
    large = {(name, kind) for name in ("coding", "airline") for kind in KINDS}
    assert large <= set(counts) <= {(name, kind) for name in SETS for kind in KINDS}


def test_no_question_comes_twice():
    for part in ("id", "question"):
        assert len({getattr(question, part) for question in QUESTIONS}) == len(QUESTIONS)


def test_a_question_has_its_form():
    for question in QUESTIONS:
        assert question.id.startswith(f"{question.set}-"), question.id
        assert question.question.endswith("?"), question.id
        assert len(question.question.split()) <= 20, question.id
        assert 1 <= len(set(question.evidence)) == len(question.evidence) <= 10, question.id


def test_the_evidence_of_a_question_is_there():
    known = {event["id"] for event in EVENTS}
    for question in QUESTIONS:
        if question.set == "coding":
            assert set(question.evidence) <= known, question.id
        elif question.set == "airline":
            assert all(_AIRLINE_ID.fullmatch(id) for id in question.evidence), question.id
        else:
            files = {Path(file).stem for file in SWE_AGENT}
            assert {id.partition("/")[0] for id in question.evidence} <= files, question.id


def test_a_question_about_somebodys_words_has_words_of_theirs_as_evidence():
    spoken = {event["id"]: event.get("person") for event in EVENTS}
    for question in QUESTIONS:
        if question.person:
            assert question.person in {spoken[id] for id in question.evidence}, question.id


def test_the_coding_sessions_are_events_of_several_people_and_an_agent_in_order():
    parsed = [parse_event(event) for event in EVENTS]
    assert len(parsed) >= EVENTS_MIN
    assert len({event["id"] for event in EVENTS}) == len(EVENTS)
    assert len({event["session"]["key"] for event in EVENTS}) == SESSIONS
    assert len({event["person"] for event in EVENTS if "person" in event}) == PEOPLE
    kinds = Counter(event["kind"] for event in EVENTS)
    assert min(kinds[k] for k in ("user_message", "assistant_message", "tool_result")) >= 20
    assert [event["ts"] for event in EVENTS] == sorted(event["ts"] for event in EVENTS)


def test_tools_both_fail_and_succeed_in_the_coding_sessions():
    failed = [event["tool"]["isError"] for event in EVENTS if event["kind"] == "tool_result"]
    assert 10 <= sum(failed) <= len(failed) / 2


def test_every_event_of_the_coding_sessions_can_be_recalled(tmp_path):
    texts = import_set("coding", CODING, tmp_path / "w.db", FakeEmbedder())
    assert {text.id for text in texts} == {event["id"] for event in EVENTS}


def test_a_file_without_anything_to_capture_is_refused(tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"kind": "user_message"}\n', "utf-8")
    with pytest.raises(InvalidInput, match="nothing in it could be captured"):
        import_set("coding", empty, tmp_path / "w.db", FakeEmbedder())


@pytest.mark.thorough
def test_all_rankers_are_scored_by_kind():
    few = [question for question in QUESTIONS if question.set == "coding"][::20]
    scores = compare("coding", few, CODING, ["simple"], FakeEmbedder())
    assert list(scores) == ["words alone", "meaning alone", "prototype G", "chance"]
    assert set(scores["words alone"]) == {"all", *(question.kind for question in few)}
    assert scores["words alone"]["all"]["recall@10"] > scores["chance"]["all"]["recall@10"]


def test_the_bench_prints_a_table_a_set_and_leaves_out_what_it_was_not_given(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(work, "encoder_of", lambda model: FakeEmbedder())
    monkeypatch.setattr(work, "questions", lambda: QUESTIONS[:3])
    main(["--profile", "simple", "--json", str(tmp_path / "scores.json")])
    assert capsys.readouterr().out.startswith("coding\nranker")
    assert set(json.loads((tmp_path / "scores.json").read_text("utf-8"))) == {"coding"}
