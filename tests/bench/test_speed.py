"""The speed report has every part that it promises, and writes only where it is told to."""

import json
import sys

import pytest

from bench import speed
from bench.synthetic import Language, built


def test_captures_are_compared_with_bare_inserts(tmp_path):
    found = speed.capture(tmp_path, 3)
    assert all(c.measured_ms > 0 and c.floor_ms > 0 for c in found)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_a_recall_report_tells_floor_stages_and_core(tmp_path):
    language = Language()
    report = speed.recall(built(150, tmp_path, language), 150, 3, language)
    assert set(report.floor) == {"full text", "vector scan", "graph step"}
    assert report.core.floor_ms <= sum(report.floor.values()) * 3
    assert report.core.aim == "≤ + 3 ms"
    assert report.stages


@pytest.mark.thorough
def test_the_report_is_written_as_json_where_asked(tmp_path, monkeypatch, capsys):
    report = tmp_path / "report.json"
    arguments = ["--parts", "capture,recall", "--sizes", "100,150", "--events", "2"]
    arguments += ["--questions", "2", "--json", str(report)]
    monkeypatch.setattr(sys, "argv", ["bench.speed", *arguments])
    speed.main()
    found = json.loads(report.read_text())
    assert [row["memories"] for row in found["recall"]] == [100, 150]
    assert found["capture"][0]["ratio"] > 0
    assert "150 memories, 2 questions" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == [report]


def test_an_unknown_part_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench.speed", "--parts", "capture,weather"])
    with pytest.raises(SystemExit):
        speed.main()
    assert "weather" in capsys.readouterr().err


@pytest.mark.thorough
def test_public_calls_are_compared_over_real_messages(tmp_path):
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "The mast of my boat is oak"},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "I sold the tractor"},
    ]
    sample = {
        "sample_id": "one",
        "qa": [{"question": "What is the mast made of?"}, {"question": "What did Ben sell?"}],
        "conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns},
    }
    data = tmp_path / "locomo.json"
    data.write_text(json.dumps([sample]), "utf-8")
    found, stages = speed.calls(tmp_path / "work", data, 2)
    assert [c.floor for c in found] == ["encoding of a question", "bare insert"]
    assert {"embed", "views", "core", "texts"} < set(stages)
    assert all(c.ratio > 0 for c in found)
