"""Row 20: the source's tool for captures by hand, over MCP on request."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.service.mcp_tools import (
    ExperienceCaptureArguments,
    chosen_tools,
    experience_capture,
)


def test_row_20_what_a_caller_felt_and_how_much_it_matters_is_kept_as_given(tmp_path):
    felt = {
        "emotionalSignature": {"primary": ["relieved"], "intensity": 0.7, "valence": 0.6},
        "engagementQuality": "deep-flow",
        "anchors": [{"phrase": "the delimiter", "significance": "the turn"}],
    }
    given = ExperienceCaptureArguments(
        topic="Kestrel", summary="It clicked.", significance=0.33, session="s1", phenomenology=felt
    )
    with Memory.open(tmp_path / "a.db", enrich="manual") as memory:
        answer = experience_capture(memory, given)
        memory.enrich()
        kit = memory.chronicle.kit(memory.get(answer["address"]).id).as_json()
    assert kit["capture"]["significance"] == pytest.approx(0.33)
    assert kit["phenomenology"] == felt
    assert kit["content"] == {"topic": "Kestrel", "summary": "It clicked."}


def test_row_20_the_tool_is_offered_on_request_alone():
    assert "experience_capture" not in chosen_tools(["default"])
    assert "experience_capture" in chosen_tools(["default", "experience_capture"])
