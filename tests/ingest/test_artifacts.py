"""Artifacts by reference (FACTS row 34)."""

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.artifacts import ARTIFACTS_MAX, artifacts_of


def _result(tool: str, args: dict, result: str = "ok") -> dict:
    return {
        "kind": "tool_result",
        "tool": {"name": tool},
        "payload": {"args": args, "result": result},
    }


def _said(text: str, **more) -> dict:
    return {"kind": "user_message", "payload": {"text": text}} | more


def test_row_34_a_written_file_has_path_size_and_hash_and_no_content():
    (found,) = artifacts_of(_result("write", {"path": "notes/plan.md", "content": "Grüße"}))
    assert found["uri"] == "notes/plan.md"
    assert found["sizeBytes"] == 7
    assert found["sha256"] == hashlib.sha256("Grüße".encode()).hexdigest()
    assert "Grüße" not in json.dumps(found, ensure_ascii=False)


def test_row_34_links_and_media_are_references():
    found = artifacts_of(
        _said("See https://example.org/a?b=1, and photos/boat.JPG. MEDIA: out.mp3")
    )
    assert [(a["kind"], a["uri"]) for a in found] == [
        ("link", "https://example.org/a?b=1"),
        ("audio", "out.mp3"),
        ("image", "photos/boat.JPG"),
    ]


def test_a_picture_on_the_web_is_an_image():
    (found,) = artifacts_of(_said("https://example.org/boat.png"))
    assert (found["kind"], found["mimeType"]) == ("image", "image/png")


def test_what_the_caller_gave_comes_first_and_nothing_twice():
    given_one = {"kind": "image", "uri": "boat.png", "description": "a red boat"}
    assert artifacts_of(_said("look at boat.png", artifacts=[given_one])) == [given_one]


def test_reading_a_file_makes_no_artifact():
    assert artifacts_of(_result("read", {"path": "notes/plan.md"}, "text")) == []


def test_a_listing_of_links_is_bounded():
    text = " ".join(f"https://example.org/{i}" for i in range(100))
    assert len(artifacts_of(_said(text))) == ARTIFACTS_MAX


@given(st.text())
def test_any_text_can_be_looked_at(text: str):
    assert all(artifact["uri"] for artifact in artifacts_of(_said(text)))
