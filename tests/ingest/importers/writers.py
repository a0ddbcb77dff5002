"""How programs write the same conversation: one function a form, from turns to JSON or text.

Only the shapes are those of the programs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
#: Who says what, and when.
Turn = tuple[str, str, datetime]


def said(who: str, *texts: str) -> list[Turn]:
    """Return what one person says, a minute apart."""
    return [(who, text, START + timedelta(minutes=n)) for n, text in enumerate(texts)]


def slack(turns: Sequence[Turn]) -> Any:
    return [
        {"type": "message", "user": who, "text": text, "ts": f"{at.timestamp():.6f}"}
        for who, text, at in turns
    ]


def discord(turns: Sequence[Turn]) -> Any:
    messages = [
        {
            "id": str(number),
            "type": "Default",
            "timestamp": at.isoformat(),
            "timestampEdited": None,
            "content": text,
            "author": {"id": "9", "name": who.lower(), "nickname": who, "isBot": False},
        }
        for number, (who, text, at) in enumerate(turns)
    ]
    channel = {"id": "2", "type": "GuildTextChat", "name": "boats"}
    return {"guild": {"id": "1", "name": "Harbour"}, "channel": channel, "messages": messages}


def telegram(turns: Sequence[Turn]) -> Any:
    messages = [
        {
            "id": number,
            "type": "message",
            "date": f"{at:%Y-%m-%dT%H:%M:%S}",
            "date_unixtime": str(int(at.timestamp())),
            "from": who,
            "from_id": "user1",
            "text": text if number % 2 else [{"type": "bold", "text": text[:1]}, text[1:]],
        }
        for number, (who, text, at) in enumerate(turns)
    ]
    return {"name": "Kim", "type": "personal_chat", "id": 7, "messages": messages}


def telegram_of_all(turns: Sequence[Turn]) -> Any:
    return {"about": "x", "personal_information": {}, "chats": {"list": [telegram(turns)]}}


def messenger_older(turns: Sequence[Turn]) -> Any:
    """Write the newest first, and each byte of UTF-8 as a character."""
    messages = [
        {"sender_name": _garbled(who), "timestamp_ms": _ms(at), "content": _garbled(text)}
        for who, text, at in reversed(turns)
    ]
    people = [{"name": _garbled(who)} for who, _, _ in turns]
    return {"participants": people, "messages": messages}


def messenger_newer(turns: Sequence[Turn]) -> Any:
    messages = [
        {"senderName": who, "text": text, "timestamp": _ms(at), "type": "text", "media": []}
        for who, text, at in reversed(turns)
    ]
    return {"participants": ["Zoë", "Ben"], "threadName": "Zoë_1", "messages": messages}


def google_chat(turns: Sequence[Turn]) -> Any:
    return {
        "messages": [
            {
                "creator": {"name": who, "user_type": "Human"},
                "created_date": f"{at:%A, %B} {at.day}, {at:%Y at %I:%M:%S %p} UTC",
                "text": text,
            }
            for who, text, at in turns
        ]
    }


def whatsapp(turns: Sequence[Turn]) -> str:
    return "".join(f"[{at:%d.%m.%y, %H:%M:%S}] {who}: {text}\n" for who, text, at in turns)


def kakaotalk(turns: Sequence[Turn]) -> str:
    return "".join(
        f"{at.year}. {at.month}. {at.day}. {_half(at)} {at:%I:%M}, {who} : {text}\n"
        for who, text, at in turns
    )


def kakaotalk_of_computers(turns: Sequence[Turn]) -> str:
    lines = [
        f"--------------- {at.year}년 {at.month}월 {at.day}일 일요일 ---------------\n"
        f"[{who}] [{_half(at)} {at:%I:%M}] {text}\n"
        for who, text, at in turns
    ]
    return "Kim 님과 카카오톡 대화\n\n" + "".join(lines)


def line(turns: Sequence[Turn]) -> str:
    lines = [f"{at:%Y/%m/%d(%a)}\n{at:%H:%M}\t{who}\t{text}\n" for who, text, at in turns]
    return "[LINE] Chat history with Kim\nSaved on: 2026/03/02 09:00\n\n" + "".join(lines)


def table(turns: Sequence[Turn]) -> str:
    written = io.StringIO()
    rows = [[f"{at:%d/%m/%Y %H:%M}", who, text] for who, text, at in turns]
    csv.writer(written, delimiter=";").writerows([["Datum", "Absender", "Nachricht"], *rows])
    return written.getvalue()


#: Name of the format → how it is written.
WRITERS: list[tuple[str, Callable[[Sequence[Turn]], Any]]] = [
    ("slack", slack),
    ("discord", discord),
    ("telegram", telegram),
    ("telegram", telegram_of_all),
    ("messenger", messenger_older),
    ("messenger", messenger_newer),
    ("google-chat", google_chat),
    ("whatsapp", whatsapp),
    ("kakaotalk", kakaotalk),
    ("kakaotalk", kakaotalk_of_computers),
    ("line", line),
    ("csv", table),
]


def _garbled(text: str) -> str:
    return text.encode().decode("latin-1")


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _half(at: datetime) -> str:
    return "오후" if at.hour >= 12 else "오전"
