"""Chats of people: what each export has besides speakers, texts and times (see the contract)."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from meridia.core.events import Event
from meridia.ingest.importers.import_reader import ImportReader, read
from tests.ingest.importers.writers import discord, messenger_older, said, slack, telegram

USERS = [
    {"id": "U1", "name": "dana", "profile": {"real_name": "Dana Holm", "display_name": "dana"}},
    {"id": "U2", "name": "kim", "profile": {"real_name": "Kim Lee"}},
]


def events_of(document: Any, *, skipped: dict[str, int] | None = None) -> list[Event]:
    """Return the events of a JSON document; what is left out has to be as it is given."""
    with read(io.BytesIO(json.dumps(document).encode())) as records:
        events = [record.event for record in records if record.event]
    assert skipped is None or dict(records.report.skipped) == skipped
    return events


def changed(document: Any, *changes: dict[str, Any]) -> Any:
    """Return an export with other fields in its messages."""
    messages = document if isinstance(document, list) else document["messages"]
    for message, fields in zip(messages, changes, strict=True):
        message.update(fields)
    return document


def archive(files: dict[str, Any]) -> ImportReader:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as writing:
        for name, content in files.items():
            writing.writestr(name, json.dumps(content))
    packed.seek(0)
    return read(packed)


def test_slack_names_people_by_the_list_beside_in_an_archive_and_a_folder(tmp_path: Path) -> None:
    day = changed(slack(said("U1", "Ahoy <@U2>")), {})
    packed = archive({"export/users.json": USERS, "export/general/2026-03-01.json": day})
    (tmp_path / "general").mkdir()
    (tmp_path / "users.json").write_text(json.dumps(USERS))
    (tmp_path / "channels.json").write_text(json.dumps([{"id": "C1", "name": "general"}]))
    (tmp_path / "general" / "2026-03-01.json").write_text(json.dumps(day))
    unpacked = read(tmp_path)
    for records in (packed, unpacked):
        (event,) = [record.event for record in records if record.event]
        assert (event.person, event.payload["text"]) == ("Dana Holm", "Ahoy @Kim Lee")
        assert event.session is not None
        assert event.session.key == "general"
    assert [line.partition(" ")[0] for line in unpacked.report.unread] == ["channels.json"]


def test_slacks_references_and_blocks_are_written_out_as_people_see_them() -> None:
    text = "<@U9|zoe> in <#C1|general>: <https://x.org|the map> &lt;3 <!here> <https://y>"
    words = [{"type": "text", "text": "The pump "}, {"type": "text", "text": "is broken"}]
    section = {"type": "rich_text_section", "elements": words}
    blocks = [{"type": "rich_text", "elements": [section]}]
    document = changed(
        slack(said("Dana", text, "", "Hi")),
        {},
        {"blocks": blocks},
        {"user": "U7", "user_profile": {"real_name": "Zoe Sand"}},
    )
    events = events_of(document)
    assert [event.payload["text"] for event in events] == [
        "@zoe in #general: the map (https://x.org) <3 @here https://y",
        "The pump is broken",
        "Hi",
    ]
    assert events[2].person == "Zoe Sand"


def test_slacks_threads_are_sessions_bots_are_tools_and_joins_are_counted() -> None:
    document = changed(
        slack(said("Dana", "Who sails?", "I do.", "<@U1> has joined", "Build 7 failed", "", "")),
        {"thread_ts": "7.1"},
        {"thread_ts": "7.1"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message", "username": "CI", "bot_id": "B1"},
        {"attachments": [{"title": "Alarm", "text": "The pump is hot."}]},
        {"files": [{"name": "mast.png", "mimetype": "image/png", "title": "Mast"}]},
    )
    events = events_of(document, skipped={"system lines": 1})
    assert len({e.session.key for e in events[:2] if e.session}) == 1
    assert events[0].session != events[2].session
    assert events[2].tool is not None
    assert (events[2].tool.name, events[2].payload["result"]) == ("CI", "Build 7 failed")
    assert events[3].payload["text"] == "Alarm\nThe pump is hot."
    assert events[4].artifacts[0].kind == "image"


def test_discords_embeds_files_bots_answers_and_what_tells_of_the_channel() -> None:
    embed = {"title": "Tide", "description": "High.", "fields": [{"name": "At", "value": "7"}]}
    bot = {"id": "8", "name": "tides", "isBot": True}
    document = changed(
        discord(said("Dana", "", "Look", "Nice", "", "")),
        {"author": bot, "embeds": [embed]},
        {"attachments": [{"id": "5", "url": "files/mast.png", "fileName": "mast.png"}]},
        {"type": "Reply", "reference": {"messageId": "2"}},
        {"type": "ChannelPinnedMessage"},
        {},
    )
    events = events_of(document, skipped={"system lines": 1, "empty messages": 1})
    assert events[0].tool is not None
    assert (events[0].tool.name, events[0].tool.isError, events[0].person) == ("tides", False, None)
    assert events[0].payload["result"] == "Tide\nHigh.\nAt: 7"
    assert events[1].artifacts[0].uri == "files/mast.png"
    assert events[2].metadata == {"discord": {"replies_to": "2"}}


def test_telegrams_links_files_forwards_and_service_lines() -> None:
    link = {"type": "text_link", "text": "the map", "href": "https://x.org"}
    document = changed(
        telegram(said("Dana", "", "", "", "Old news", "")),
        {"text": ["See ", link]},
        {"photo": "photos/mast.jpg"},
        {"file": "(File not included. Change data exporting settings.)"},
        {"forwarded_from": "Zoe"},
        {"type": "service", "action": "pin_message"},
    )
    events = events_of(document, skipped={"system lines": 1, "empty messages": 1})
    assert [event.payload["text"] for event in events] == [
        *("See the map (https://x.org)", "", "Old news")
    ]
    assert events[1].artifacts[0].uri == "photos/mast.jpg"
    assert events[2].metadata == {"telegram": {"forwarded_from": "Zoe"}}


def test_messengers_photos_are_kept_and_calls_and_unsent_messages_are_left_out() -> None:
    document = changed(
        messenger_older(said("Ben", "one", "", "", "")),
        {"is_unsent": True},
        {"type": "Call", "call_duration": 3},
        {"photos": [{"uri": "photos/1.jpg"}]},
        {},
    )
    events = events_of(document, skipped={"system lines": 2})
    assert events[1].artifacts[0].uri == "photos/1.jpg"


def test_a_messengers_message_may_hold_what_nests_deeply() -> None:
    nested: list[object] = []
    for _ in range(600):
        nested = [nested]
    document = changed(messenger_older(said("Ben", "one", "two")), {"reactions": nested}, {})
    assert len(events_of(document)) == 2


def test_messengers_messages_of_one_moment_are_apart_and_the_same_when_read_again() -> None:
    document = messenger_older([*said("Ben", "one"), *said("Ben", "two")])
    first, again = ([event.id for event in events_of(document)] for _ in range(2))
    assert first == again
    assert len(set(first)) == 2
