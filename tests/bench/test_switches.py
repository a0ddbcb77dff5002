"""What the deferred features give: measured here on a conversation of a few lines."""

import json

import pytest

from bench import switches
from bench.switches import Tally

TURNS = [
    ("Dana", "The loom in the attic needs a shuttle."),
    ("Robin", "I will bring the shuttle on Friday."),
    ("Dana", "My grandmother taught weaving on her loom."),
    ("Robin", "Did she also dye the wool?"),
    ("Dana", "Yes, with walnut shells from the garden."),
    ("Robin", "I finally passed the sailing exam!"),
]


def conversation():
    sessions = {}
    for number in (1, 2):
        sessions[f"session_{number}_date_time"] = f"1:56 pm on {7 + number} May, 2023"
        sessions[f"session_{number}"] = [
            {"speaker": who, "dia_id": f"D{number}:{place}", "text": text}
            for place, (who, text) in enumerate(TURNS, 1)
        ]
    question = {"question": "Who taught weaving?", "answer": "x", "evidence": ["D1:3", "D2:3"]}
    return {
        "sample_id": "conv-1",
        "conversation": {"speaker_a": "Dana", "speaker_b": "Robin", **sessions},
        "qa": [{**question, "category": 1}],
    }


def test_means_are_over_all_that_was_counted():
    tally = Tally()
    for value in (1.0, 0.0):
        tally.add("some", value)
    (line,) = tally.lines()
    assert line.split() == ["some", "0.5000", "2"]


@pytest.mark.thorough
def test_each_feature_is_measured(tmp_path, capsys):
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([conversation()]))
    switches.main(["--locomo", str(file), "--work", str(tmp_path)])
    out = capsys.readouterr().out
    for name in ("working set 0.3, asked in its own session", "lateral thinking: a find"):
        assert name in out
    assert "core summary: memories cited" in out
