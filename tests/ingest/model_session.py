"""A session as capture and the rules of enrichment leave it, and a model's server that knows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from meridia.core.events import encode
from meridia.core.ids import content_hash, session_id
from meridia.core.types import Entry, EntryDraft, EntryKind, Space
from meridia.models import model_types
from meridia.storage.store import Store
from tests.drafts import a_draft, recorded
from tests.fakes import START
from tests.model_server import ModelServer, Received, Reply

HOME = Space("home")
SESSION = session_id(HOME, "s1")
BUILD: dict[str, Any] = {
    "kind": "tool_result",
    "session": {"key": "s1"},
    "tool": {"name": "bash", "isError": True},
    "payload": {"args": {"cmd": "make boat"}, "result": "error: the keel is missing"},
}
LOOK: dict[str, Any] = {
    "kind": "tool_result",
    "session": {"key": "s1"},
    "tool": {"name": "read"},
    "payload": {"args": {"path": "keel.txt"}, "result": "a keel of oak, 4 m"},
}
GREETING: dict[str, Any] = {
    "kind": "user_message",
    "session": {"key": "s1"},
    "person": "Dana",
    "payload": {"text": "Good morning!"},
}
WISH: dict[str, Any] = {
    "kind": "user_message",
    "session": {"key": "s1"},
    "person": "Dana",
    "payload": {"text": "Remember that the boat is launched on 1 May."},
}
NEAR = {"mode": "full", "significance": 0.6, "status": "evaluated", "threshold": 0.5, "near": True}
SKELETON = {"significance": 0.45, "status": "skeleton", "near": True}
LIGHT = {"mode": "light", "significance": 0.3, "status": "evaluated", "threshold": 0.8}
FULL = {"mode": "full", "significance": 0.9, "status": "evaluated", "threshold": 0.8}


def whole(event: Mapping[str, Any], decision: Mapping[str, Any], **more: Any) -> EntryDraft:
    """Return the draft of an event that is kept whole."""
    payload = {"event": event, "decision": decision, **more}
    return a_draft(EntryKind.EXPERIENCE_CAPTURED, "", payload, stream=SESSION)


def skeleton(
    event: Mapping[str, Any] = LOOK, decision: Mapping[str, Any] = SKELETON, **more: Any
) -> EntryDraft:
    """Return the draft of an event of which only an outline is kept, and the rest held."""
    outline = {"kind": event["kind"], "tool": {"name": event["tool"]["name"]}, "payload": {}}
    payload = {"skeleton": outline, "hash": content_hash(encode(event)), "decision": decision}
    until = START + timedelta(days=7)
    return a_draft(
        EntryKind.EXPERIENCE_CAPTURED,
        "",
        payload | more,
        stream=SESSION,
        provisional=event,
        provisional_until=until,
    )


def questions(experience: str, by: str = "rule") -> EntryDraft:
    """Return the draft of the questions that a rule anticipates."""
    payload = {"experience": experience, "questions": ["Why did make boat fail?"], "by": by}
    return a_draft(EntryKind.QUESTIONS_ANTICIPATED, experience, payload)


def episode(*sources: str, by: str = "rule") -> EntryDraft:
    """Return the draft of an episode as a rule tells it."""
    payload = {
        "episode": "episode_1",
        "session": SESSION,
        "topic": "bash, read",
        "summary": "bash failed: the keel is missing.",
        "sources": list(sources),
        "tools": ["bash", "read"],
        "from": None,
        "until": None,
        "tags": [],
        "anchors": [],
        "emotions": ["concerned"],
        "consequences": [],
        "significance": 0.55,
        "by": by,
    }
    return a_draft(EntryKind.EPISODE_SYNTHESISED, SESSION, payload)


def launched(day: int, experience: str, **more: Any) -> EntryDraft:
    """Return the draft of a fact: on which day the boat is launched."""
    payload = {
        "fact": f"fact_{day}",
        "experience": experience,
        "subject": "the boat",
        "subject_id": None,
        "predicate": "launched_on",
        "object": f"{day} May",
        "text": f"The boat is launched on {day} May.",
        "stability": "dynamic",
        "t_valid": f"2026-03-0{day}T10:00:00.000000Z",
        "confidence": 0.9,
        "by": "rule",
        **more,
    }
    return a_draft(EntryKind.FACT_ASSERTED, f"fact_{day}", payload)


def revised(relation: str, t_invalid: str | None = None) -> EntryDraft:
    """Return the draft of what a rule says of the facts of days 1 and 2."""
    payload = {
        "fact": "fact_1",
        "by_fact": "fact_2",
        "relation": relation,
        "t_invalid": t_invalid,
        "reason": "",
        "by": "rule",
    }
    return a_draft(EntryKind.FACT_SUPERSEDED, f"fact_1 {relation} fact_2", payload)


def contradict(file: Store, **more: Any) -> None:
    """Write two facts that contradict each other; `more` is said of the earlier."""
    first, second = add(file, whole(WISH, LIGHT), whole(WISH, LIGHT))
    add(file, launched(1, first, **more), launched(2, second), revised("contradicts"))


def add(file: Store, *drafts: EntryDraft) -> list[str]:
    """Append drafts; return the ids of the entries."""
    return [answer.id for answer in file.journal.append(HOME, drafts)]


@dataclass(frozen=True)
class Ids:
    """The experiences of `a_day` by what they are."""

    near: str
    look: str
    greeting: str
    wish: str


def a_day(file: Store) -> Ids:
    """Write a session with one of everything that a model is asked about, and a light message."""
    ids = add(file, whole(BUILD, NEAR), skeleton(), whole(GREETING, LIGHT), whole(WISH, FULL))
    add(file, questions(ids[0]), episode(*ids))
    return Ids(*ids)


#: What is asked about `a_day`: two opinions, three descriptions (one of what was raised by an
#: opinion), questions and an episode; and how many of them before anything was raised.
ASKED, ASKED_AT_FIRST = 7, 6

GOOD: dict[str, dict[str, Any]] = {
    "decision": {"score": 0.7, "reason": "the boat cannot be built without it"},
    "hindsight": {"verdicts": [{"event": 1, "score": 0.1, "reason": "a routine look"}]},
    "phenomenology": {
        "emotionalSignature": {"primary": ["frustrated"], "intensity": 0.6, "valence": -0.5},
        "engagementQuality": "struggling",
        "anchors": [{"phrase": "the keel is missing", "significance": "it all depends on it"}],
    },
    "questions": {"questions": ["Where is the keel of the boat?"]},
    # Of `a_day` nothing shows the items, of the session in tests/acceptance/test_bad_model all.
    "session": {
        "topic": "A boat without a keel",
        "summary": "I tried to build the boat.",
        "events": [{"message": 2, "speaker": "Dana", "quote": "Heron is launched on 1 May"}],
        "facts": [
            {
                "message": 2,
                "speaker": "Dana",
                "quote": "Heron is launched on 1 May",
                "subject": "Dana",
                "predicate": "owns",
                "object": "Heron",
            }
        ],
        "promises": [
            {
                "message": 3,
                "speaker": "Robin",
                "quote": "I will remember the first of May",
                "kind": "promise",
                "verb": "remember",
                "objects": ["May"],
            }
        ],
    },
    "supersession": {"relation": "supersedes", "confidence": 0.8, "reason": "it was put off"},
}


def prompt_of(request: Received) -> str:
    """Return the name of the prompt that a request was made from."""
    system_prompt = request.body["messages"][0]["content"]
    return next(name for name in GOOD if model_types.load(name).system == system_prompt)


def well(request: Received) -> Reply:
    """Answer as a good model does."""
    return Reply(json.dumps(GOOD[prompt_of(request)]))


def prompts_asked(server: ModelServer) -> list[str]:
    """Return which prompts the server got, in order."""
    return [prompt_of(request) for request in server.received]


def by_model(file: Store, kind: EntryKind | None = None) -> list[Entry]:
    """Return what a model's answers became in the journal."""
    return [
        entry
        for entry in file.journal.read(HOME)
        if entry.payload and recorded(entry).get("by") == "model" and kind in (None, entry.kind)
    ]
