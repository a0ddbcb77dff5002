"""Ends: boundaries that say so, and what hands in the result of a run."""

from __future__ import annotations

import pytest

from meridia.language.runs.run_ends import completes_run, ends_session
from tests.ingest.ingest_events import boundary, happening, result, user


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"text": "the session ended"}, True),
        ({"type": "session_end"}, True),
        ({"action": "session:new"}, True),
        ({"boundary": "?"}, True),
        ({"type": "session_start"}, False),
        ({"text": "Session resumed"}, False),
        ({"type": "precompact"}, False),
        ({"event": "compaction:end"}, False),
        ({"type": 7, "text": None}, True),
    ],
)
def test_a_boundary_ends_a_session_unless_it_says_otherwise(payload, expected):
    assert ends_session(happening("session_boundary", payload, 0)) is expected


def test_only_a_boundary_ends_a_session():
    assert ends_session(boundary())
    assert not ends_session(user("the session ended"))
    assert not ends_session({})


@pytest.mark.parametrize(
    ("event", "ends"),
    [
        (result("submit"), True),
        (result("bash", args={"command": "submit"}, output="Submitted."), True),
        (result("transfer_to_human_agents", args={"summary": "a refund"}), True),
        (result("submit", output="Error: tests fail", failed=True), False),
        (result("bash", args={"command": "grep -rn submit ."}), False),
        (result("submit_form"), False),
        (user("submit"), False),
    ],
)
def test_a_run_ends_when_its_result_is_handed_in(event, ends):
    assert ends_session(event) is ends
    assert completes_run(event) is ends
