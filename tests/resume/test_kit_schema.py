"""Row 17: what comes in by any door has a kit that the shipped schema accepts."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import meridia
from meridia import Memory

SCHEMA = files(meridia) / "resume/experience-kit.schema.json"
FILES = Path(__file__).parents[1] / "data" / "importers"
#: What imports tell is written beside the files.
GIVEN = sorted(
    file for file in FILES.iterdir() if ".expected." not in file.name and file.name != "reports.txt"
)


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(SCHEMA.read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def wrong_kits(memory, validator):
    memory.enrich()
    kits = [memory.chronicle.kit(each.id).as_json() for each in memory.list(limit=50)]
    assert kits
    return [error.message for kit in kits for error in validator.iter_errors(kit)]


@pytest.mark.parametrize("file", GIVEN, ids=lambda file: file.name)
def test_every_format_that_is_imported_gives_kits_of_the_schema(file, validator, tmp_path):
    with Memory.open(tmp_path / "a.db", enrich="manual") as memory:
        memory.import_file(file, space="kits")
        assert wrong_kits(memory.in_space("kits"), validator) == []


def test_a_call_a_message_and_a_note_of_a_feeling_give_kits_of_the_schema(validator, tmp_path):
    felt = {"emotionalSignature": {"primary": ["relieved"], "intensity": 0.7, "valence": 0.6}}
    with Memory.open(tmp_path / "a.db", enrich="manual") as memory:
        memory.remember("I am so glad that it works.", person="Dana", session="s1")
        call = {"tool": {"name": "bash", "isError": True}, "session": {"key": "s1"}}
        memory.capture(
            {"kind": "tool_result", **call, "payload": {"args": {"cmd": "make"}, "result": "no"}}
        )
        memory.capture(
            {"kind": "manual_capture", "payload": {"text": "It clicked.", "phenomenology": felt}}
        )
        assert wrong_kits(memory, validator) == []


@pytest.mark.parametrize("name", ["tool_args", "signature"])
def test_the_names_of_older_releases_are_not_the_canonical_ones(name, validator):
    kit = {
        "id": "a",
        "ts": "2026-01-01T00:00:00Z",
        "kind": "tool_result",
        "version": 2,
        "content": {"topic": "t", "summary": "s"},
        "artifacts": [],
    }
    assert validator.is_valid(kit)
    key = "raw" if name == "tool_args" else "phenomenology"
    assert not validator.is_valid({**kit, key: {name: {}}})
