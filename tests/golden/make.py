"""Writes the golden journal of the version that is installed, once for each release.

`python -m tests.golden.make` writes `journal-<version>.sqlite.gz` beside this file, and what
stands in it as `journal-<version>.json`. A file of a released version is never written again.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from meridia.core.events import embedding_text_of, parse_event
from meridia.core.ids import content_hash, person_id
from meridia.core.settings import Settings
from meridia.core.types import EntryKind, Filters, Space
from meridia.ingest.capture.service import CaptureService
from meridia.storage.store import Store, open_store
from meridia.storage.vectors import VectorTable
from tests.drafts import a_draft, recorded

HERE = Path(__file__).parent
MODEL, ROWS = "golden:4:1", [[0.5, 0.5, -0.5, 0.5], [0.0, 1.0, 0.0, 0.0]]

#: Events by space, in order: every kind of field, and every kind of text.
EVENTS: list[tuple[str, dict[str, Any]]] = [
    (
        "home",
        {
            "id": "m-1",
            "kind": "user_message",
            "ts": "2026-03-01T10:00:40Z",
            "session": {"key": "s-9"},
            "person": "Dana",
            "payload": {"text": "Try one job."},
        },
    ),
    (
        "home",
        {
            "id": "t-1",
            "kind": "tool_result",
            "ts": "2026-03-01T11:00:05.25+01:00",
            "session": {"key": "s-9"},
            "tool": {"name": "bash", "callId": "c4", "isError": True},
            "payload": {"args": {"cmd": "make"}, "result": ["…", None, 3.5, True]},
        },
    ),
    (
        "away",
        {
            "id": "m-1",
            "kind": "assistant_message",
            "session": {"key": "s-9"},
            "payload": {"text": "The same id in another space."},
        },
    ),
    ("home", {"kind": "manual_capture", "payload": {"text": "An event without an id."}}),
    (
        "home",
        {
            "id": "m-2",
            "kind": "user_message",
            "person": "李 明",
            "session": {"key": "s-9"},
            "payload": {"text": '東京は雨です 🙂 e\u0301 \\u0000 "quoted"\n'},
            "metadata": {"mood": "calm", "tags": ["a", {"b": 1e-7}], "größe": 2**53},
            "artifacts": [{"uri": "file:a.png", "kind": "image", "description": "a red barn"}],
            "unknown": {"kept": [None, False]},
        },
    ),
    ("home", {"id": "gone", "kind": "user_message", "payload": {"text": "This was erased."}}),
    (
        "home",
        {
            "id": "m-3",
            "kind": "session_boundary",
            "session": {"key": "s-9"},
            "payload": {"phase": "end"},
        },
    ),
]
ERASED = "gone"


def write(path: Path) -> None:
    """Write the golden journal to `path`."""
    ticks, chance = count(), random.Random(1)
    start = datetime(2026, 3, 1, 12, tzinfo=UTC)
    file = open_store(
        path, Settings(), lambda: start + timedelta(seconds=next(ticks)), chance.randbytes
    )
    for space, event in EVENTS:
        CaptureService(file).capture_event(Space(space), parse_event(event))
    home = Space("home")
    first = file.journal.read(home)[0]
    dana = person_id(home, "Dana")
    enriched = {"experience": first.id, "concepts": {"job": "job", "tri": "try"}, "people": []}
    file.journal.append(
        home,
        [
            a_draft(EntryKind.PERSON_MET, dana, {"person": dana, "name": "Dana", "aliases": []}),
            a_draft(EntryKind.EXPERIENCE_ENRICHED, first.id, enriched, first.at),
        ],
    )
    text_hash = content_hash(embedding_text_of(recorded(first)["event"]))
    with file.database.writing() as connection:
        VectorTable(file.space(home)).record(MODEL, text_hash, np.array(ROWS, np.float32))
        for table in ("payload", "experience"):
            chosen = "seq = (SELECT seq FROM entry WHERE key = ?)"
            connection.execute(f"DELETE FROM {table} WHERE {chosen}", (ERASED,))
    file.close()


def described(file: Store, space: Space) -> dict[str, Any]:
    """Return everything that a journal says about a space, as plain JSON."""
    head = file.journal.head(space)
    entries = [
        {
            "seq": entry.seq,
            "kind": entry.kind.value,
            "id": entry.id,
            "key": entry.key,
            "stream": entry.stream,
            "previous": entry.previous,
            "at": entry.at.isoformat(),
            "recorded_at": entry.recorded_at.isoformat(),
            "payload": recorded(entry) if entry.payload else None,
            "hash": entry.hash.hex(),
        }
        for entry in file.journal.read(space)
    ]
    memories = [
        {
            "seq": memory.seq,
            "event_id": memory.event_id,
            "text": memory.text,
            "at": memory.at.isoformat(),
            "person": memory.person,
            "session": memory.session,
        }
        for memory in file.catalog.page(space, Filters(), 0, 100).memories
    ]
    return {"head": [head.seq, head.hash.hex()], "entries": entries, "memories": memories}


def main() -> None:
    """Write the two files of this version, unless they are there."""
    target = HERE / f"journal-{version('meridia')}.sqlite.gz"
    if target.exists():
        sys.exit(f"{target.name} exists: a golden file is never written again")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        write(path)
        file = open_store(path, Settings())
        spaces = {space: described(file, space) for space in file.journal.spaces()}
        file.close()
        target.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    text = json.dumps(spaces, ensure_ascii=False, indent=1)
    target.with_suffix("").with_suffix(".json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
