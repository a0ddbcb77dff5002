"""Events for the tests of ingest, checked and written as the journal keeps them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from meridia.core.entries import DecisionRecord
from meridia.core.events import parse_event
from meridia.core.vocabulary import CaptureMode, RecordStatus

#: A Sunday morning, at a usual hour.
START = datetime(2026, 3, 1, 10, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """Return an instant so many seconds after the start."""
    return START + timedelta(seconds=seconds)


def happening(kind: str, payload: dict[str, Any], seconds: float | None, **fields: Any) -> dict:
    """Return one event as JSON; `seconds` after the start, None for an event without a time."""
    timed = {} if seconds is None else {"ts": at(seconds).isoformat()}
    return parse_event({"kind": kind, "payload": payload, **timed, **fields}).as_json()


def result(
    tool: str = "bash",
    args: Any = None,
    output: Any = "done",
    seconds: float | None = None,
    failed: bool = False,
    meta: str | None = None,
    **fields: Any,
) -> dict:
    """Return a tool's result."""
    about = {"name": tool, "isError": failed, **({} if meta is None else {"meta": meta})}
    payload = {"args": args or {}, "result": output}
    return happening("tool_result", payload, seconds, tool=about, **fields)


def user(text: str, seconds: float | None = None, **fields: Any) -> dict:
    """Return what a person said."""
    return happening("user_message", {"text": text}, seconds, **fields)


def agent(text: str, seconds: float | None = None, **fields: Any) -> dict:
    """Return what the agent said."""
    return happening("assistant_message", {"text": text}, seconds, **fields)


def boundary(seconds: float | None = None) -> dict:
    """Return the end of a session."""
    return happening("session_boundary", {"text": "the session ended"}, seconds)


def decided(significance: float = 0.6, mode: CaptureMode = CaptureMode.FULL) -> DecisionRecord:
    """Return what the journal keeps of a decision."""
    return DecisionRecord(significance, RecordStatus.EVALUATED, mode, 0.5)


def hindsight(word: str = "oak", **fields: Any) -> list[dict]:
    """Return what happened in a session whose gate let through the first of its calls only.

    Of the rest, all skeletons, the failure at a minute was solved at two: hindsight upgrades it.
    What it says, `word`, none of the others does.
    """
    important = {"metadata": {"important": True}}
    looks = [
        result("read", {"path": f"/src/{n}.py"}, f"text {n}", 180 + n * 60, **fields)
        for n in range(3)
    ]
    return [
        result("bash", {"cmd": "make mast"}, "a mast", 0, **important, **fields),
        result("bash", {"cmd": "make keel"}, f"error: no {word}", 60, failed=True, **fields),
        result("bash", {"cmd": "make keel"}, "a keel", 120, **fields),
        *looks,
        user("And now the sail, please", 400, **fields),
    ]


SECONDS = st.none() | st.integers(-90_000, 90_000)
TOOLS = ["bash", "read", "write", "message", "memory_query", "browser", "book_flight"]
RESULTS = st.builds(
    result,
    tool=st.sampled_from(TOOLS),
    args=st.sampled_from(
        [{}, {"cmd": "make"}, {"path": "/src/a.py"}, {"url": "https://a.example"}]
    ),
    output=st.sampled_from(["", "done", "x" * 5_000, "x" * 11_000, {"rows": [1, 2]}]),
    seconds=SECONDS,
    failed=st.booleans(),
    meta=st.sampled_from([None, "deploy to production", "remember this", "a decision"]),
    metadata=st.sampled_from(
        [{}, {"important": True}, {"tags": ["a", "b"]}, {"significance": 0.9}]
    ),
)
PERSONS = st.sampled_from([{}, {"person": "Dana"}, {"person": "Ravi"}])
WORDS = st.sampled_from(
    ["ok", "Where is it?", "Remember the API.", "That's perfect!", "No, wrong."]
)
MESSAGES = st.builds(
    lambda speak, text, seconds, person: speak(text, seconds, **person),
    st.sampled_from([user, agent]),
    WORDS,
    SECONDS,
    PERSONS,
)
EVENTS = st.one_of(RESULTS, RESULTS, MESSAGES, st.builds(boundary, SECONDS))
SESSIONS = st.lists(EVENTS, max_size=12)
