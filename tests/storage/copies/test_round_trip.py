"""A journal that is made of the events of another one gives the same answers."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings

PLAIN = Settings(embedding=EmbeddingSettings(enabled=False))
START = datetime(2026, 3, 1, 10, tzinfo=UTC)
WORDS = st.sampled_from(["kiln", "loom", "heron", "the race is on the 12th", "I like jazz", "🎻"])
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
TIMES = st.none() | st.integers(0, 10**9).map(
    lambda s: (START + timedelta(milliseconds=s)).isoformat()
)


@st.composite
def captured(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an event with any of its fields."""
    kind = draw(st.sampled_from(["user_message", "assistant_message", "tool_result"]))
    event: dict[str, Any] = {"kind": kind, "payload": {"text": draw(TEXTS)}}
    if kind == "tool_result":
        event["tool"] = {"name": "bash", "isError": draw(st.booleans()), "callId": draw(WORDS)}
        event["payload"] = {"args": {"z": draw(TEXTS), "a": 1}, "result": draw(TEXTS)}
    others = {
        "ts": TIMES,
        "session": st.none() | st.sampled_from(["s1", "s2"]).map(lambda key: {"key": key}),
        "person": st.none() | st.sampled_from(["Dana", "Łucja"])
        if kind == "user_message"
        else None,
        "metadata": st.none() | st.dictionaries(st.text(max_size=4), VALUES, max_size=3),
        "artifacts": st.none() | st.just([{"uri": "a.png", "kind": "image", "extra": 1}]),
        "x_unknown": st.none() | VALUES,
    }
    for name, values in others.items():
        if values is not None and (value := draw(values)) is not None:
            event[name] = value
    return event


STEPS = st.lists(
    st.tuples(st.just("capture"), captured(), st.booleans())
    | st.tuples(st.just("update"), st.integers(0, 30), TEXTS)
    | st.tuples(st.just("forget"), st.integers(0, 30), st.none()),
    max_size=8,
)


def lived(memory: Memory, steps: list[Any]) -> None:
    for number, (what, place, more) in enumerate(steps):
        listed = memory.list().memories
        if what == "capture":
            own = {"id": f"own-{number}"} if more else {}
            memory.capture(place | own)
        elif listed and what == "update":
            memory.update(listed[place % len(listed)].id, more)
        elif listed:
            memory.forget(ids=[listed[place % len(listed)].id])


def told(memory: Memory) -> list[Any]:
    memory.enrich()
    listed = memory.list().memories
    answers = [
        [(hit.text, round(hit.score, 9)) for hit in memory.recall(question).hits]
        for question in ("kiln", "When is the race?")
    ]
    versions = [[v.text for v in memory.history(m.event_id)] for m in listed]
    shown = [(m.event_id, m.text, m.at, m.person, m.session, m.metadata, m.status) for m in listed]
    return [shown, versions, answers]


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_what_is_exported_and_imported_tells_the_same(steps: list[Any]) -> None:
    now = [START + timedelta(days=30)]

    def clock() -> datetime:
        now[0] += timedelta(seconds=1)
        return now[0]

    with Memory(None, "home", PLAIN, clock) as one, Memory(None, "home", PLAIN, clock) as other:
        lived(one, steps)
        lines = "".join(json.dumps(event) + "\n" for event in one.export_events())
        if not lines:
            return
        summary = other.import_file(io.BytesIO(lines.encode()), "native")
        assert summary.clean, summary.problems
        again = [json.dumps(event, sort_keys=True) for event in other.export_events()]
        assert again == [
            json.dumps(json.loads(line), sort_keys=True) for line in lines.splitlines()
        ]
        one._capture.end_sessions("home", ["s1", "s2"])  # as they are behind an import
        assert told(other) == told(one)
        assert [a.outcome for a in other.capture_many(map(json.loads, lines.splitlines()))] == [
            "redelivered"
        ] * len(lines.splitlines())
        back = one.capture_many(map(json.loads, lines.splitlines()))
        assert [getattr(answer, "outcome", answer) for answer in back] == ["redelivered"] * len(
            back
        )
