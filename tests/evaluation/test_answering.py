"""Answers of a scripted model are judged by another, kept line by line, and gone on with."""

import json

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput, Unavailable
from meridia.core.settings_loader import load
from meridia.evaluation.answering import answer_all, opened_models, summary
from meridia.evaluation.questions import EvaluationQuestion
from tests.model_server import Reply, model_server

ASKED = [
    EvaluationQuestion("What is the mast made of?", frozenset({"m-1"}), ("c4",), "oak"),
    EvaluationQuestion("Who sold the tractor?", frozenset({"m-2"}), ("c1",), "Ben"),
    EvaluationQuestion("Unknown answer?", frozenset({"m-2"}), ("c1",)),
]


def scripted(request):
    if "To judge" in request.words:
        return Reply(json.dumps({"correct": "To judge: oak" in request.words, "reason": "so"}))
    return Reply(json.dumps({"answer": "oak"}))


@pytest.fixture
def server():
    with model_server() as running:
        running.by_rule = scripted
        yield running


@pytest.fixture
def memory(server):
    flags = {
        "model.dialect": "openai",
        "model.name": "answers-1",
        "model.base_url": f"{server.origin}/v1",
        "model.calls_per_hour": 1,
        "embedding.enabled": False,
    }
    with Memory.open(settings=load(flags, environment={}).settings, enrich="manual") as opened:
        opened.remember("The mast of my boat is oak", person="Ann", id="m-1")
        opened.remember("Ben sold the tractor", person="Ann", id="m-2")
        yield opened


def answered(memory, file, **given):
    with opened_models(memory.settings.model, **({"judge": None, "prompts": None} | given)) as a:
        return answer_all(memory, a, ASKED, file, 5)


def test_each_answer_rests_on_what_is_recalled_and_is_judged(memory, server, tmp_path):
    judged = answered(memory, tmp_path / "a.jsonl", judge="judge-1")
    assert [(one.answer, one.correct, one.group) for one in judged] == [
        ("oak", True, "c4"),
        ("oak", True, "c1"),
    ]
    assert [request.body["model"] for request in server.received] == ["answers-1", "judge-1"] * 2
    assert "The mast of my boat is oak" in server.received[0].words
    told = summary(judged, 2)
    assert (told["scores"]["all"], told["tokens"]) == ({"questions": 2, "correct": 1}, 4 * 18)
    assert told["unanswered"] == 0


def test_a_second_run_asks_only_for_what_is_missing(memory, server, tmp_path):
    file = tmp_path / "a.jsonl"
    first = answered(memory, file)
    asked = len(server.received)
    assert answered(memory, file) == first
    assert len(server.received) == asked
    file.write_text(file.read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    assert [one.question for one in answered(memory, file)] == [one.question for one in first]
    assert len(server.received) == asked + 2


def test_a_wrong_answer_is_listed_with_what_was_expected(memory, server, tmp_path):
    server.by_rule = lambda request: (
        Reply('{"correct": false}') if "To judge" in request.words else Reply('{"answer": "ash"}')
    )
    told = summary(answered(memory, tmp_path / "a.jsonl"), 2)
    assert told["scores"]["c4"]["correct"] == 0
    assert {"question": ASKED[0].question, "expected": "oak", "answer": "ash"} in told["wrong"]


def test_a_server_that_fails_ends_the_run_and_keeps_what_it_answered(memory, server, tmp_path):
    file = tmp_path / "a.jsonl"
    server.will(scripted(server_request("x")), Reply('{"correct": true}'))
    server.by_rule = lambda request: Reply("I do not know", status=400)
    questions = [*ASKED[:1], *(ASKED[1],) * 3]
    models = opened_models(memory.settings.model, None, None)
    with models as answerer, pytest.raises(Unavailable, match="run the same command again"):
        answer_all(memory, answerer, questions, file, 5)
    assert [json.loads(line)["question"] for line in file.read_text().splitlines()] == [
        ASKED[0].question
    ]


def server_request(words):
    return type("Request", (), {"words": words})()


def test_prompts_of_ones_own_stand_in_the_place_of_the_built_in_ones(memory, server, tmp_path):
    head = "---\nversion: 1\ntokens_max: 50\n---\n\n# System\n\nShort.\n\n# User\n\n"
    (tmp_path / "answer.md").write_text(f"{head}ours {{{{question}}}} {{{{memories}}}}\n")
    answered(memory, tmp_path / "a.jsonl", prompts=tmp_path)
    assert "ours What is the mast made of?" in server.received[0].words
    (tmp_path / "answer.md").write_text(f"{head}ours {{{{question}}}}\n")
    with pytest.raises(InvalidInput, match="must have the variables memories, question"):
        answered(memory, tmp_path / "b.jsonl", prompts=tmp_path)


def test_a_file_of_something_else_and_no_model_are_said(memory, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"question": "x"}\n')
    with pytest.raises(InvalidInput, match="line 1 is not an answer of `meridia bench`"):
        answered(memory, file)
    none = memory.settings.model.model_copy(update={"dialect": "none"})
    with pytest.raises(InvalidInput, match="answers need a model"), opened_models(none, None, None):
        pass
