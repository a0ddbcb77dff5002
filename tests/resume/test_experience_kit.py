"""The experience kit (features 17 and 19): one experience in the canonical form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from meridia.core.entries import ExperienceEnriched
from meridia.core.errors import InvalidInput
from meridia.core.experience import Phenomenology
from meridia.core.ids import artifact_id
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Engagement
from meridia.resume.experience_kit import VERSION, build_experience_kit
from tests.histories import START, an_entry

CALL = {
    "kind": "tool_result",
    "session": {"key": "s1"},
    "tool": {"name": "bash", "isError": True},
    "payload": {"args": {"cmd": "make"}, "result": "error: no keel"},
    "metadata": {"topic": "the keel", "tags": ["boat"]},
}
SAID = {"kind": "user_message", "payload": {"text": "The keel is of oak"}}
DECISION = {"mode": "full", "significance": 0.7, "status": "evaluated", "threshold": 0.5}


def captured(event: dict[str, Any], **more: Any):
    payload = {"event": event, "decision": DECISION}
    return an_entry(EntryKind.EXPERIENCE_CAPTURED, payload, id="x-1", **more)


def test_row_19_a_kit_holds_event_decision_phenomenology_and_artifacts():
    lived = Phenomenology(engagement=Engagement.ENGAGED)
    enriched = ExperienceEnriched("x-1", lived, artifacts=({"uri": "file:a"},))
    kit = build_experience_kit(captured(CALL), [enriched], {"vectorIds": ["h"]})
    written = kit.as_json()
    assert set(written) == {
        *("id", "ts", "kind", "session", "tool", "capture", "phenomenology", "content"),
        *("artifacts", "raw", "links", "version"),
    }
    assert (written["id"], written["kind"], written["ts"]) == (
        "x-1",
        "tool_result",
        START.strftime("%Y-%m-%dT%H:%M:%S.000000Z"),
    )
    assert written["capture"] == {"shouldCapture": True, **DECISION}
    assert written["phenomenology"] == {"engagementQuality": "engaged"}
    assert written["raw"] == {"toolArgs": {"cmd": "make"}, "toolResult": "error: no keel"}
    assert written["content"] == {
        "topic": "the keel",
        "summary": "bash make error: no keel",
        "tags": ["boat"],
    }
    assert written["artifacts"] == [{"id": artifact_id("home", "file:a", None), "uri": "file:a"}]
    assert written["version"] == VERSION == 2
    json.dumps(written)


def test_row_17_a_record_from_before_there_were_kits_has_one():
    entry = an_entry(EntryKind.EXPERIENCE_CAPTURED, {"event": SAID}, id="x-1")
    written = build_experience_kit(entry, [], {}).as_json()
    assert written["content"]["topic"] == "The keel is of oak"
    assert not {"capture", "phenomenology", "session", "tool", "raw", "links"} & set(written)


def test_a_later_enrichment_adds_to_an_earlier_one():
    engaged = Phenomenology(engagement=Engagement.ENGAGED)
    first = ExperienceEnriched("x-1", Phenomenology(), artifacts=({"uri": "file:a"},))
    second = ExperienceEnriched("x-1", engaged)
    kit = build_experience_kit(captured(SAID), [first, second], {})
    assert kit.phenomenology == engaged
    assert [artifact["uri"] for artifact in kit.artifacts] == ["file:a"]


def test_an_artifact_is_known_by_its_content_where_its_hash_is_known():
    event = {**SAID, "artifacts": [{"uri": "file:a", "sha256": "c0"}, {"uri": "file:b"}]}
    kit = build_experience_kit(captured(event), [], {})
    assert [artifact["id"] for artifact in kit.artifacts] == [
        artifact_id("home", "file:elsewhere", "c0"),
        artifact_id("home", "file:b", None),
    ]


def test_a_long_text_has_a_short_topic_and_a_summary():
    kit = build_experience_kit(captured({**SAID, "payload": {"text": "keel " * 400}}), [], {})
    assert len(kit.content["topic"]) <= 120
    assert len(kit.content["summary"]) <= 300


def test_a_skeleton_is_whole_while_its_event_is_held():
    payload = {"skeleton": {"kind": "tool_result", "tool": {"name": "bash"}, "payload": {}}}
    held = an_entry(EntryKind.EXPERIENCE_CAPTURED, payload, provisional=CALL)
    gone = an_entry(EntryKind.EXPERIENCE_CAPTURED, payload)
    assert build_experience_kit(held, [], {}).raw["toolResult"] == "error: no keel"
    assert build_experience_kit(gone, [], {}).raw is None
    assert build_experience_kit(gone, [], {}).content["topic"] == "bash"


def test_what_was_erased_has_no_kit():
    with pytest.raises(InvalidInput, match="erased"):
        build_experience_kit(an_entry(EntryKind.EXPERIENCE_CAPTURED, None), [], {})
