"""OpenCode's parts: a failed call is one, a file is an artifact, a running call has no result."""

from __future__ import annotations

import io
import json

from meridia.ingest.importers.import_reader import read


def test_parts_of_every_kind_are_read_and_an_error_is_one() -> None:
    def tool(id: str, state: dict[str, object]) -> dict[str, object]:
        return {"type": "tool", "tool": "bash", "callID": id, "state": {"input": {}, **state}}

    parts = [
        {"type": "reasoning", "text": "hm"},
        tool("a", {"status": "error", "error": "no such kiln"}),
        tool("b", {"status": "running"}),
        {"type": "text", "text": "It failed."},
        {"type": "file", "mime": "image/png", "url": "https://example.org/kiln.png"},
        {"type": "patch", "hash": "x"},
    ]
    info = {"id": "m1", "role": "assistant", "time": {"created": 1767348000000}}
    session = {"info": {"id": "s"}, "messages": [{"info": info, "parts": parts}, {"info": None}]}
    with read(io.BytesIO(json.dumps(session).encode())) as records:
        kept = list(records)
    failed, said = [record.event for record in kept if record.event]
    assert failed.tool.isError
    assert failed.payload["result"] == "no such kiln"
    assert said.payload["text"] == "It failed."
    assert said.artifacts[0].uri == "https://example.org/kiln.png"
    assert {str(event.ts)[:10] for event in (failed, said)} == {"2026-01-02"}
    assert not [record for record in kept if record.problem]
