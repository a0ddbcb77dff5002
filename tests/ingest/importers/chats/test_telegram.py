"""Telegram: a conversation in the shape of an export gives the same speakers, texts and times."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_reader import ImportReader, read

START = 1772359200
TEXT = st.text("abc äß\n:.", min_size=1).map("x{}".format)
TURNS = st.lists(
    st.tuples(st.sampled_from(["Dana", "Kim"]), st.lists(TEXT, min_size=1, max_size=3)),
    min_size=1,
    max_size=8,
)


def message(text: Any, number: int = 1, **fields: Any) -> dict[str, Any]:
    at = datetime.fromtimestamp(START + number, UTC)
    return {
        "id": number,
        "type": "message",
        "date": f"{at:%Y-%m-%dT%H:%M:%S}",
        "date_unixtime": str(START + number),
        "from": "Dana",
        "from_id": "user1",
        "text": text,
        **fields,
    }


def chat(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"name": "Kim", "type": "personal_chat", "id": 7, "messages": messages, **fields}


def reading(document: Any) -> ImportReader:
    return read(io.BytesIO(json.dumps(document, indent=1).encode()))


def pieces(texts: list[str]) -> Any:
    return texts[0] if len(texts) == 1 else [{"type": "bold", "text": texts[0]}, *texts[1:]]


@pytest.mark.parametrize("whole", [False, True])
@given(turns=TURNS)
def test_speakers_texts_and_times_are_those_of_the_export(
    whole: bool, turns: list[tuple[str, list[str]]]
) -> None:
    messages = [
        message(pieces(texts), n, **{"from": name}) for n, (name, texts) in enumerate(turns)
    ]
    document = chat(*messages)
    if whole:
        document = {"about": "x", "personal_information": {}, "chats": {"list": [document]}}
    events = [record.event for record in reading(document) if record.event]
    assert [(e.person, e.payload["text"]) for e in events] == [
        (name, "".join(texts).strip() and "".join(texts)) for name, texts in turns
    ]
    assert [e.ts and e.ts.timestamp() for e in events] == [START + n for n in range(len(turns))]
    assert [(e.id, e.session and e.session.key) for e in events] == [
        (f"7/{n}", "Kim") for n in range(len(turns))
    ]


def test_links_files_forwards_and_service_lines() -> None:
    link = {"type": "text_link", "text": "the map", "href": "https://x.org"}
    with reading(
        chat(
            message(["See ", link]),
            message("", 2, photo="photos/mast.jpg"),
            message("", 3, file="(File not included. Change data exporting settings.)"),
            message("Old news", 4, forwarded_from="Zoe"),
            {"id": 5, "type": "service", "actor": "Dana", "action": "pin_message", "text": ""},
        )
    ) as records:
        events = [record.event for record in records if record.event]
    assert [event.payload["text"] for event in events] == [
        *("See the map (https://x.org)", "", "Old news")
    ]
    assert events[1].artifacts[0].uri == "photos/mast.jpg"
    assert events[2].metadata == {"telegram": {"forwarded_from": "Zoe"}}
    assert dict(records.report.skipped) == {"system lines": 1, "empty messages": 1}
