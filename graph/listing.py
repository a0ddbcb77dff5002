"""Writes the list of experiences, in the transaction that appends an entry.

A projection that never lags. What is listed of a skeleton is its whole event while that is held,
and its outline afterwards. `catalog` reads what stands here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ..core.events import encode, event_hash, event_of, meaning_in, recorded, texts_of
from ..core.ids import content_hash, person_id
from ..core.text import Analyser
from ..core.time import to_text
from ..core.traits import Trait, traits_of
from ..core.types import Entry, EntryKind, Outcome, Payload
from . import search
from .database import Connection
from .full_text import terms_of
from .statements import sql

#: What is listed of an experience whose payload was erased.
_NOTHING: Payload = {"payload": {}}
Project = Callable[[Connection, int, Entry], None]
_OUTCOMES = {"full": Outcome.CAPTURED, "light": Outcome.LIGHT, "trace_only": Outcome.SKELETON}


def projection(analyser: Analyser) -> Project:
    """Return the inline projection of everything that is listed of an experience."""

    def project(connection: Connection, space: int, entry: Entry) -> None:
        if entry.payload is None:
            return
        if entry.kind is EntryKind.EXPERIENCE_CAPTURED:
            _list(connection, space, entry)
        elif entry.kind is EntryKind.EXPERIENCE_ENRICHED:
            _feel(connection, space, entry.payload)
        elif entry.kind is EntryKind.EXPERIENCE_REEVALUATED:
            _judge_again(connection, space, entry.payload, analyser)

    return project


def outcome_of(payload: Payload) -> Outcome:
    """Return the ingest outcome that a captured experience's payload tells of."""
    if payload.get("duplicate_of"):
        return Outcome.DUPLICATE
    mode = (payload.get("decision") or {}).get("mode", "full" if "event" in payload else None)
    return _OUTCOMES[mode or "trace_only"]


def is_due(connection: Connection, space: int, now: datetime) -> bool:
    """Say whether any held event's time is over."""
    row = connection.execute(sql("provisional/is_due"), (space, to_text(now))).fetchone()
    return bool(row[0])


def expire(connection: Connection, space: int, now: datetime, analyser: Analyser) -> int:
    """Erase the held events whose time is over, and all that was derived from them; count them.

    The outline of each stays in the journal. Runs inside the caller's transaction.
    """
    values = (space, to_text(now))
    due = connection.execute(sql("provisional/due"), values).fetchall()
    for seq, held, terms, body in due:
        outline = _NOTHING if body is None else recorded(json.loads(body))
        event = json.loads(held)["event"]
        indexed = terms_of(texts_of(event), analyser) if terms is None else terms.split()
        _say_instead(connection, space, seq, (event, indexed), outline, analyser)
        connection.execute(sql("provisional/erase"), (seq,))
    if due:
        search.settle(connection, space)
    return len(due)


def is_whole(held: str, body: str) -> bool:
    """Say whether a held event is the one whose hash the journal's payload has."""
    try:
        return event_hash(json.loads(held)) == event_hash(json.loads(body))
    except (ValueError, KeyError, TypeError):
        return False


def _list(connection: Connection, space: int, entry: Entry) -> None:
    event, payload = event_of(entry), entry.payload or {}
    decision = payload.get("decision") or {}
    person = event.get("person")
    row = {
        "seq": entry.seq,
        "space": space,
        "id": entry.id,
        "event_id": entry.key,
        "kind": event["kind"],
        "at": to_text(entry.at),
        "person": person_id(entry.space, person) if person else None,
        "session": entry.stream,
        "status": decision.get("status", "evaluated"),
        "outcome": outcome_of(payload),
        "significance": decision.get("significance"),
        **_said(event),
    }
    if marks := payload.get("marks"):
        row["traits"] |= _marked(marks)
    connection.execute(sql("catalog/add"), row)


def _feel(connection: Connection, space: int, payload: Payload) -> None:
    """Write how an experience was lived into columns, where enrichment says it."""
    lived = payload.get("phenomenology")
    if lived is None:
        return
    felt = lived.get("emotionalSignature") or {}
    row = {
        "space": space,
        "id": payload["experience"],
        "primary": encode(felt["primary"]) if felt.get("primary") else None,
        "intensity": felt.get("intensity"),
        "valence": felt.get("valence"),
        "engagement": lived.get("engagementQuality"),
    }
    connection.execute(sql("catalog/feel"), row)


def _judge_again(connection: Connection, space: int, payload: Payload, analyser: Analyser) -> None:
    """Change an experience's status; the event of an upgraded one is held for good."""
    row = {
        "space": space,
        "id": payload["experience"],
        "status": payload["status"],
        "significance": payload.get("significance"),
    }
    found = connection.execute(sql("catalog/judge"), row).fetchone()
    if found is None or "event" not in payload:
        return
    (seq,) = found
    event = payload["event"]
    before = connection.execute(sql("provisional/listed"), (seq,)).fetchone()
    if before is not None:
        listed = recorded(json.loads(before[0]))
        indexed = terms_of(texts_of(listed), analyser)
        _say_instead(connection, space, seq, (listed, indexed), event, analyser)
    connection.execute(sql("provisional/hold"), (seq, space, None, encode({"event": event})))


def _say_instead(
    connection: Connection,
    space: int,
    seq: int,
    before: tuple[Payload, Sequence[str]],
    after: Payload,
    analyser: Analyser,
) -> None:
    """List another text for an experience; vectors that nothing else needs go with the old one.

    `before` is the event that is listed, and the terms that it is indexed by.
    """
    said, says = _said(before[0]), _said(after)
    if said == says:
        return
    if seq <= search.until(connection, space):
        terms = terms_of(texts_of(after), analyser)
        search.replace(connection, space, seq, before[1], terms)
    connection.execute(sql("catalog/say"), {"space": space, "seq": seq, **says})
    connection.execute(sql("vectors/erase"), {"space": space, "text_hash": said["text_hash"]})
    connection.execute(sql("tokens/erase"), {"space": space, "seq": seq})


def _said(event: Payload) -> dict[str, Any]:
    texts = texts_of(event)
    return {
        # An outline says nothing that another event could say again.
        "text_hash": content_hash(meaning_in(texts)) if event["payload"] else "",
        "words": len(texts[0].split()),
        "traits": int(traits_of(texts[0], texts[1:])),
    }


def _marked(marks: Sequence[str]) -> Trait:
    """Return what capture marked: an echo of a recall, and what the firewall objected to."""
    echo = Trait.ECHO if "echo" in marks else Trait(0)
    return echo | (Trait.UNFIT if set(marks) - {"echo"} else Trait(0))
