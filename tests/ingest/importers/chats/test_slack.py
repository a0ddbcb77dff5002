"""Slack: a conversation in the shape of an export gives the same speakers, texts and times."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_reader import ImportReader, read

USERS = [
    {"id": "U1", "name": "dana", "profile": {"real_name": "Dana Holm", "display_name": "dana"}},
    {"id": "U2", "name": "kim", "profile": {"real_name": "Kim Lee"}},
]
START = 1772359200
TURNS = st.lists(
    st.tuples(st.sampled_from(["U1", "U2"]), st.text("abc äß\n:.", min_size=1).map("x{}".format)),
    min_size=1,
    max_size=8,
)


def archive(files: dict[str, Any]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as writing:
        for name, content in files.items():
            writing.writestr(name, json.dumps(content))
    packed.seek(0)
    return packed


def message(text: str, number: int = 0, **fields: Any) -> dict[str, Any]:
    ts = f"{START + number * 60}.000{number}00"
    return {"type": "message", "user": "U1", "text": text, "ts": ts, **fields}


def reading(*messages: Any, **files: Any) -> ImportReader:
    day = {"export/general/2026-03-01.json": list(messages)}
    return read(archive({"export/users.json": USERS, **day, **files}))


def texts(*messages: Any) -> list[tuple[Any, Any]]:
    events = [record.event for record in reading(*messages) if record.event]
    return [(e.person or (e.tool and e.tool.name), [*e.payload.values()][-1]) for e in events]


@given(TURNS)
def test_speakers_texts_and_times_are_those_of_the_export(turns: list[tuple[str, str]]) -> None:
    names = {user["id"]: user["profile"]["real_name"] for user in USERS}  # type: ignore[index]
    messages = [message(text, n, user=user) for n, (user, text) in enumerate(turns)]
    events = [record.event for record in reading(*messages) if record.event]
    assert [(e.person, e.payload["text"]) for e in events] == [(names[u], t) for u, t in turns]
    at = [datetime.fromtimestamp(float(m["ts"]), UTC) for m in messages]
    assert [e.ts for e in events] == at
    assert {e.session.key for e in events if e.session} == {"general"}


def test_a_folder_is_read_as_its_archive_and_lists_beside_are_no_riddles(tmp_path: Path) -> None:
    (tmp_path / "general").mkdir()
    (tmp_path / "users.json").write_text(json.dumps(USERS))
    (tmp_path / "channels.json").write_text(json.dumps([{"id": "C1", "name": "general"}]))
    (tmp_path / "general" / "2026-03-01.json").write_text(json.dumps([message("Ahoy <@U2>")]))
    with read(tmp_path) as records:
        (record,) = records
    assert record.event is not None
    assert (record.event.person, record.event.payload["text"]) == ("Dana Holm", "Ahoy @Kim Lee")
    assert [line.partition(" ")[0] for line in records.report.unread] == ["channels.json"]


def test_references_are_written_out_as_people_see_them() -> None:
    text = "<@U2> and <@U9|zoe> in <#C1|general>: <https://x.org|the map> &lt;3 <!here> <https://y>"
    assert texts(message(text)) == [
        ("Dana Holm", "@Kim Lee and @zoe in #general: the map (https://x.org) <3 @here https://y")
    ]


def test_threads_are_sessions_bots_are_tools_and_joins_are_counted() -> None:
    with reading(
        message("Who sails?", 1, thread_ts=f"{START + 60}.000100"),
        message("I do.", 2, thread_ts=f"{START + 60}.000100", user="U2"),
        message("<@U1> has joined the channel", 3, subtype="channel_join"),
        message("Build 7 failed", 4, subtype="bot_message", username="CI", bot_id="B1"),
        message("", 5, attachments=[{"title": "Alarm", "text": "The pump is hot."}]),
        message("", 6, files=[{"name": "mast.png", "mimetype": "image/png", "title": "Mast"}]),
    ) as records:
        events = [record.event for record in records if record.event]
    assert [e.session and e.session.key for e in events] == [
        *[f"general/{START + 60}.000100"] * 2,
        *["general"] * 3,
    ]
    assert events[2].tool is not None
    assert (events[2].tool.name, events[2].payload["result"]) == ("CI", "Build 7 failed")
    assert events[3].payload["text"] == "Alarm\nThe pump is hot."
    assert events[4].artifacts[0].kind == "image"
    assert records.report.skipped["system lines"] == 1


def test_without_a_list_of_users_the_message_names_its_writer() -> None:
    profile = {"real_name": "Zoe Sand"}
    body = json.dumps([message("Hi", user="U7", user_profile=profile), message("Ho", user="U8")])
    events = [record.event for record in read(io.BytesIO(body.encode())) if record.event]
    assert [event.person for event in events] == ["Zoe Sand", "U8"]


def test_a_message_of_blocks_alone_says_what_stands_in_them() -> None:
    words = [{"type": "text", "text": "The pump "}, {"type": "text", "text": "is broken"}]
    section = {"type": "rich_text_section", "elements": words}
    blocks = [{"type": "rich_text", "elements": [section]}]
    body = json.dumps([message("", user="U1", blocks=blocks), message("Hi", user="U1")])
    events = [record.event for record in read(io.BytesIO(body.encode())) if record.event]
    assert [event.payload["text"] for event in events] == ["The pump is broken", "Hi"]
