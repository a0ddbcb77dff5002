"""Discord: a conversation in the shape of an export gives the same speakers, texts and times."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_reader import ImportReader, read

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
TEXTS = st.text("abc äß\n:.", min_size=1).map("x{}".format)
TURNS = st.lists(st.tuples(st.sampled_from(["Dana", "Kim"]), TEXTS), min_size=1, max_size=8)


def message(content: str, number: int = 1, name: str = "Dana", **fields: Any) -> dict[str, Any]:
    return {
        "id": str(number),
        "type": "Default",
        "timestamp": (START + timedelta(minutes=number)).isoformat(),
        "timestampEdited": None,
        "content": content,
        "author": {"id": "9", "name": name.lower(), "nickname": name, "isBot": False},
        "attachments": [],
        "embeds": [],
        **fields,
    }


def reading(*messages: Any) -> ImportReader:
    document = {
        "guild": {"id": "1", "name": "Harbour"},
        "channel": {"id": "2", "type": "GuildTextChat", "name": "boats", "topic": None},
        "dateRange": {"after": None, "before": None},
        "messages": messages,
        "messageCount": len(messages),
    }
    return read(io.BytesIO(json.dumps(document, indent=2).encode()))


@given(TURNS)
def test_speakers_texts_and_times_are_those_of_the_export(turns: list[tuple[str, str]]) -> None:
    messages = [message(text, n, name) for n, (name, text) in enumerate(turns)]
    events = [record.event for record in reading(*messages) if record.event]
    assert [(e.person, e.payload["text"]) for e in events] == turns
    assert [e.ts for e in events] == [START + timedelta(minutes=n) for n in range(len(turns))]
    assert {e.session.key for e in events if e.session} == {"Harbour/boats"}


def test_embeds_files_bots_answers_and_what_tells_of_the_channel() -> None:
    embed = {"title": "Tide", "description": "High.", "fields": [{"name": "At", "value": "7"}]}
    file = {"id": "5", "url": "files/mast.png", "fileName": "mast.png"}
    bot = {"id": "8", "name": "tides", "isBot": True}
    with reading(
        message("", 1, author=bot, embeds=[embed]),
        message("Look", 2, attachments=[file]),
        message("Nice", 3, type="Reply", reference={"messageId": "2"}),
        message("", 4, type="ChannelPinnedMessage"),
        message("", 5),
    ) as records:
        events = [record.event for record in records if record.event]
    assert events[0].tool is not None
    assert (events[0].tool.name, events[0].payload["result"]) == ("tides", "Tide\nHigh.\nAt: 7")
    assert events[1].artifacts[0].uri == "files/mast.png"
    assert events[2].metadata == {"discord": {"replies_to": "2"}}
    assert dict(records.report.skipped) == {"system lines": 1, "empty messages": 1}
