"""Artifacts by reference (feature 34)."""

import hashlib
import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.extraction.artifacts import ARTIFACTS_MAX, extract_artifacts


def _result(tool: str, args: dict, result: str = "ok") -> dict:
    return {
        "kind": "tool_result",
        "tool": {"name": tool},
        "payload": {"args": args, "result": result},
    }


def _message(text: str, **more) -> dict:
    return {"kind": "user_message", "payload": {"text": text}} | more


def test_row_34_a_written_file_has_path_size_and_hash_and_no_content():
    (artifacts_listed,) = extract_artifacts(
        _result("write", {"path": "notes/plan.md", "content": "Grüße"})
    )
    assert artifacts_listed["uri"] == "notes/plan.md"
    assert artifacts_listed["sizeBytes"] == 7
    assert artifacts_listed["sha256"] == hashlib.sha256("Grüße".encode()).hexdigest()
    assert "Grüße" not in json.dumps(artifacts_listed, ensure_ascii=False)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("edit", {"file_path": "a.md", "old_string": "oak", "new_string": "pine"}),
        ("Edit", {"path": "a.md", "content": "pine"}),
        ("write", {"path": "a.md", "content": "pine", "append": True}),
        ("write_file", {"path": "a.md", "content": "pine", "mode": "a"}),
        ("write", {"path": "a.md", "content": "key [REDACTED:token]"}),
        ("write", {"path": "a.md", "content": "pine… [cut 99 characters]"}),
        ("str_replace_editor_edit", {"path": "a.md", "command": "insert", "text": "pine"}),
        ("apply_patch", {"path": "a.md", "data": "@@ -1 +1 @@"}),
    ],
)
def test_what_a_file_holds_after_an_edit_is_not_guessed(tool: str, args: dict):
    (artifact,) = extract_artifacts(_result(tool, args))
    assert artifact["uri"] == "a.md"
    assert artifact.keys().isdisjoint({"sha256", "sizeBytes"})


def test_a_failed_write_has_no_hash_and_a_created_file_has_one():
    failed = _result("write", {"path": "a.md", "content": "oak"})
    failed["tool"]["isError"] = True
    assert "sha256" not in extract_artifacts(failed)[0]
    made = {"path": "a.md", "command": "create", "file_text": "oak"}
    assert extract_artifacts(_result("str_replace_based_edit_tool", made))[0]["sizeBytes"] == 3


def test_row_34_links_and_media_are_references():
    artifacts_listed = extract_artifacts(
        _message("See https://example.org/a?b=1, and photos/boat.JPG. MEDIA: out.mp3")
    )
    assert [(a["kind"], a["uri"]) for a in artifacts_listed] == [
        ("link", "https://example.org/a?b=1"),
        ("audio", "out.mp3"),
        ("image", "photos/boat.JPG"),
    ]


def test_a_picture_on_the_web_is_an_image():
    (artifacts_listed,) = extract_artifacts(_message("https://example.org/boat.png"))
    assert (artifacts_listed["kind"], artifacts_listed["mimeType"]) == ("image", "image/png")


def test_what_the_caller_gave_comes_first_and_nothing_twice():
    given_artifact = {"kind": "image", "uri": "boat.png", "description": "a red boat"}
    assert extract_artifacts(_message("look at boat.png", artifacts=[given_artifact])) == [
        given_artifact
    ]


def test_reading_a_file_makes_no_artifact():
    assert extract_artifacts(_result("read", {"path": "notes/plan.md"}, "text")) == []


def test_a_listing_of_links_is_bounded():
    text = " ".join(f"https://example.org/{i}" for i in range(100))
    assert len(extract_artifacts(_message(text))) == ARTIFACTS_MAX


@given(st.text())
def test_any_text_can_be_looked_at(text: str):
    assert all(artifact["uri"] for artifact in extract_artifacts(_message(text)))


@pytest.mark.parametrize("sign", ["a-", "a.", "a/", "~a", "a~/", "-", ".", "http://a"])
def test_the_time_for_a_word_is_in_proportion_to_its_length(sign):
    started = process_time()
    assert extract_artifacts(_message(sign * 30_000 + " and pic.png"))
    assert process_time() - started < 1.0  # sought from each place in it: over ten seconds
