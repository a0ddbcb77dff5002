"""A small history with every kind of source, and memories that plan over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from meridia import Memory
from meridia.core.entries import FactAsserted
from meridia.core.facts import fact_id
from meridia.core.ids import person_id
from meridia.core.settings import ModelSettings, PlanSettings, Settings
from meridia.core.time import to_text
from meridia.core.types import EntryDraft
from meridia.core.vocabulary import Stability
from meridia.retrieval.plans.plan import Node, SourceType, TemporalBounds
from tests.fakes import START, FakeEmbedder, SeededBytes, TickingClock, waiting

#: When the history of `filled` began; its clock stands at `START`.
BEGAN = START - timedelta(days=50)
LATER = START - timedelta(days=5)
SITE = "https://example.org/sails"


def event(id: str, at: datetime, text: str = "", **more: Any) -> dict[str, Any]:
    """Return a message of Dana's in the first session, with what is said otherwise."""
    fields = {
        "id": id,
        "kind": "user_message",
        "ts": at,
        "person": "Dana",
        "session": {"key": "s1"},
        "payload": {"text": text},
    }
    return fields | more


def history() -> list[dict[str, Any]]:
    """Return what happened: an old session with an end, and a new one."""
    minutes = [BEGAN + timedelta(minutes=n) for n in range(9)]
    search = {
        "kind": "tool_result",
        "person": None,
        "tool": {"name": "web_search"},
        "payload": {"args": {"q": "sail makers"}, "result": "Sail loft Voss repairs a genoa."},
    }
    image = {"kind": "image", "uri": "file:///boat.jpg", "description": "a red boat with a sail"}
    new = {"session": {"key": "s2"}}
    return [
        event("m-1", minutes[0], "I live in Bergen. I prefer genoas over jibs."),
        event("m-2", minutes[1], "The genoa of my boat is torn.", artifacts=[image]),
        event("m-3", minutes[2], **search),
        event("m-4", minutes[3], f"I read about a sail loft at {SITE} today."),
        event("b-1", minutes[8], kind="session_boundary", payload={"boundary": "end"}),
        event("m-5", LATER, "The sail loft sent the genoa back.", **new),
        event("m-6", LATER + timedelta(minutes=1), "Tomorrow I will bake bread.", **new),
    ]


def _liking(memory: Memory) -> EntryDraft:
    """Return what a model read of the first message; rules state no likings."""
    first = memory.get("m-1")
    object, text = "genoas over jibs", "Dana prefers genoas over jibs."
    fact = fact_id(memory.space, "Dana", "prefers", object, first.id)
    return EntryDraft(
        fact,
        FactAsserted(
            fact=fact,
            experience=first.id,
            subject="Dana",
            subject_id=person_id(memory.space, "Dana"),
            predicate="prefers",
            object=object,
            text=text,
            stability=Stability.DYNAMIC,
            t_valid=to_text(BEGAN),
            confidence=0.9,
            by="model",
            evidence="I prefer genoas over jibs",
        ),
        BEGAN,
    )


@contextmanager
def filled(
    plan: PlanSettings | None = None, model: ModelSettings | None = None
) -> Iterator[Memory]:
    """Open a private memory of the history, enriched by rule; `model` may be asked for plans."""
    settings = waiting(Settings(plan=plan or PlanSettings(), model=model or ModelSettings()))
    with Memory(None, "default", settings, TickingClock(), SeededBytes(), FakeEmbedder()) as memory:
        for fields in history():
            memory.capture({name: value for name, value in fields.items() if value is not None})
        memory.enrichment.catch_up(memory.space)
        memory.parts.journal.append(memory.space, [_liking(memory)])
        memory.adjacency.catch_up(memory.space)
        yield memory


def node(
    id: str,
    type: SourceType = SourceType.TURN_SUMMARY,
    summary: str = "a boat",
    *,
    confidence: float = 0.9,
    days: float = 1.0,
    links: tuple[str, ...] = (),
) -> Node:
    """Return a node that is so many days old at `START`."""
    when = START - timedelta(days=days)
    return Node(id, type, summary, confidence, when, f"meridia://{id}", links)


NOW = TemporalBounds(START)
