"""Bytes that stand in JSON as text become artifacts, and are never text."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.ingest.inline_data import replace_inline_data

BYTES = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
DATA = base64.b64encode(BYTES).decode()
DIGEST = hashlib.sha256(BYTES).hexdigest()


@pytest.mark.parametrize(
    "value",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}},
        {"type": "image", "data": DATA, "mimeType": "image/png"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}},
        {"type": "image", "file": {"base64": DATA, "type": "image/png"}},
        {"isImage": True, "stdout": f"data:image/png;base64,{DATA}"},
        DATA,
        [{"type": "text", "text": "taken"}, {"content": DATA}],
    ],
)
def test_a_picture_is_an_artifact_by_hash_and_size_at_every_door(value: Any):
    with Memory(None, "home", Settings(embedding=EmbeddingSettings(enabled=False))) as memory:
        event = {"kind": "tool_result", "tool": {"name": "shot"}, "payload": {"result": value}}
        answer = memory.capture(event)
        memory.enrich()
        shown = memory.get(answer.id)
        assert DATA[:40] not in str(list(memory.upkeep.export_events()))
        assert DIGEST not in shown.text
        kit = memory.resolve(f"meridia://{answer.id}")
        assert kit is not None
        (artifact,) = kit.artifacts
        assert (artifact["sha256"], artifact["sizeBytes"]) == (DIGEST, len(BYTES))
        assert (artifact["kind"], artifact["mimeType"]) == ("image", "image/png")


@pytest.mark.parametrize(
    "value",
    [
        {"data": "Hello, it is a text.", "format": "plain"},
        {"data": [1, 2], "mimeType": "x/y"},
        "iVBORw0KGgo is how a PNG begins",
        {"data": f"inline:{DIGEST}", "mimeType": "image/png"},
        "data:text/plain,hello",
    ],
)
def test_words_stay_words(value: Any):
    artifacts: dict[str, Any] = {}
    assert replace_inline_data(value, artifacts) == value
    assert artifacts == {}
