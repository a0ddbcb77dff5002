"""The bench of packs: what counts as found, and that baselines keep the same budget."""

import json

import pytest

from bench.baselines import Text, settings
from bench.locomo import import_conversations
from bench.packs import at_random, measure, most_recent, normalised_ids, report, share
from bench.scores import EvaluationQuestion
from meridia import Memory

TURNS = [Text(f"D1:{n}", "x" * 14, "Ann", "s") for n in range(1, 11)]


def test_baselines_fill_the_budget_and_no_more():
    assert most_recent(TURNS, 10) == ["D1:10", "D1:9"]
    assert len(at_random(TURNS, 10, 1)) == 2
    assert at_random(TURNS, 10, 1) == at_random(TURNS, 10, 1)


def test_a_question_counts_when_all_of_its_evidence_is_there():
    asked = [
        EvaluationQuestion("a", frozenset({"D1:1"}), ()),
        EvaluationQuestion("b", frozenset({"D1:1", "D1:2"}), ()),
    ]
    assert share(asked, ["D1:01"]) == 0.5
    assert share(asked, ["D1:1", "D1:2", "D1:3"]) == 1
    assert share([], ["D1:1"]) == 0
    assert normalised_ids(["D02:03"]) == {"D2:3"}


@pytest.fixture
def sample():
    def turns(session):
        return [
            {"speaker": who, "dia_id": f"D{session}:{n}", "text": text}
            for n, (who, text) in enumerate(
                [
                    ("Ann", f"The mast number {session} of my boat is made of oak."),
                    ("Ben", "Wow! That is so cool, Ann, I am really happy for you. " * 4),
                ],
                1,
            )
        ]

    conversation = {}
    for session in range(1, 7):
        conversation[f"session_{session}_date_time"] = f"1:56 pm on {session} May, 2023"
        conversation[f"session_{session}"] = turns(session)
    asked = [
        {"question": "Which mast?", "answer": "oak", "evidence": ["D1:1"], "category": 4},
        {"question": "And then?", "answer": "boat", "evidence": ["D6:1"], "category": 4},
    ]
    return {"sample_id": "one", "qa": asked, "conversation": conversation}


def test_a_pack_is_measured_whole_and_as_of_the_middle(sample, tmp_path, capsys):
    data = tmp_path / "data.json"
    data.write_text(json.dumps([sample]), "utf-8")
    with Memory.open(None, settings=settings(flags={"embedding.enabled": False})) as memory:
        import_conversations(memory, data, merged=False)
        rows = measure(memory, sample, 300)
    assert [(row.person, row.portion, row.questions) for row in rows] == [
        ("Ann", "whole", 2),
        ("Ben", "whole", 0),
        ("Ann", "half", 1),
        ("Ben", "half", 0),
    ]
    asked = [row for row in rows if row.questions]
    assert all(row.pack == 1 and row.tokens <= 300 and row.answered == 1 for row in asked)
    report(rows, as_json=False)
    assert "whole: mean ratio" in capsys.readouterr().out
    report(rows, as_json=True)
    assert json.loads(capsys.readouterr().out)[0]["sample"] == "one"
