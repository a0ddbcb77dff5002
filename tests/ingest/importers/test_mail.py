"""Mail"""

from __future__ import annotations

import io
import mailbox
import time
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia.core.events import Event
from meridia.ingest.importers.import_reader import ImportReader, read

AT = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
TEXTS = st.text("abc äßé€\nF", min_size=1, max_size=80).map(lambda t: f"x{t}From y".strip())


def mail(text: str, number: int = 1, sender: str = "Dana Holm <dana@example.org>") -> EmailMessage:
    message = EmailMessage()
    message["From"] = sender
    message["To"] = "Kim <kim@example.org>"
    message["Subject"] = "The töre"
    message["Date"] = format_datetime(AT)
    message["Message-ID"] = f"<m{number}@example.org>"
    message.set_content(text)
    return message


def reading(*mails: EmailMessage | bytes) -> ImportReader:
    bodies = [m if isinstance(m, bytes) else m.as_bytes() for m in mails]
    return read(io.BytesIO(bodies[0]))


def one(message: EmailMessage | bytes) -> Event:
    (record,) = reading(message)
    assert record.event is not None
    return record.event


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=1, max_size=5))
def test_a_mailbox_gives_its_senders_texts_and_times(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "box"
    path.unlink(missing_ok=True)
    box = mailbox.mbox(path)
    for number, text in enumerate(texts):
        reply = mail(text, number)
        reply["References"] = "<first@example.org>"
        box.add(reply)
    box.close()
    events = [record.event for record in read(path) if record.event]
    assert [event.payload["text"] for event in events] == [text.strip() for text in texts]
    assert {(e.person, e.ts, e.session and e.session.key) for e in events} == {
        ("Dana Holm", AT, "first@example.org")
    }
    assert [event.id for event in events] == [f"m{n}@example.org" for n in range(len(texts))]


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "cp1252", "koi8-r"])
def test_a_text_in_any_charset_is_read(charset: str) -> None:
    text = "Привет" if charset == "koi8-r" else "Zoë crème"
    head = "From: Dana <d@x.org>\nSubject: x\nMIME-Version: 1.0\nMessage-ID: <a@x>\n"
    head += f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
    assert one(head.encode() + text.encode(charset)).payload["text"] == f"x\n{text}"


def test_what_is_quoted_is_left_out_with_its_introduction_and_counted() -> None:
    message = mail("Yes, Tuesday.\n\nOn 2 Mar 2026 Kim wrote:\n> When?\n> Why?\n\n-- \nDana\n")
    message["In-Reply-To"] = "<m0@example.org>"
    with reading(message) as records:
        (record,) = records
    assert record.event is not None
    assert record.event.payload["text"] == "Yes, Tuesday."
    assert records.report.skipped["quotations of other mails"] == 1


def test_answers_between_quotations_stay_in_their_order() -> None:
    message = mail("Kim wrote:\n> When?\nOn Tuesday.\n> Where?\nAt the quay.\n")
    message["In-Reply-To"] = "<m0@example.org>"
    assert [*filter(None, one(message).payload["text"].split("\n"))] == [
        *("On Tuesday.", "At the quay.")
    ]


def test_a_page_is_read_as_its_text_and_attachments_by_name() -> None:
    message = mail("")
    message.clear_content()
    page = "<html><head><style>p {}</style></head><body><p>Hi&nbsp;<b>Kim</b>,</p><p>Come!</p>"
    message.set_content(page + "<blockquote>When?</blockquote></body></html>", subtype="html")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="mäst.png")
    event = one(message)
    assert event.payload["text"].split() == ["The", "töre", "Hi", "Kim,", "Come!"]
    assert (event.artifacts[0].kind, event.artifacts[0].uri) == ("image", "mäst.png")


def test_of_two_forms_the_plain_one_is_read_and_the_subject_opens_a_thread() -> None:
    message = mail("The plain words.\n")
    message.add_alternative("<p>The rich words.</p>", subtype="html")
    event = one(message)
    assert event.payload["text"] == "The töre\nThe plain words."
    about: dict[str, Any] = event.metadata["mail"]
    assert about == {"subject": "The töre", "to": ["Kim"]}


def test_headers_that_nobody_sent_are_a_text() -> None:
    assert reading(b"From: kim@example.org\nSubject: The tent\n\nTorn.\n").format == "document"
    assert reading(b"From: Kim <kim@example.org>\nSubject: The tent\n\nTorn.\n").format == "mail"


_HEAD = b"From: Kim <k@x.example>\nTo: Lee <l@x.example>\nMessage-ID: <a@b>\nSubject: hi\n"
_HTML = _HEAD + b"Content-Type: text/html\n\n"


@pytest.mark.parametrize(
    "body",
    [
        _HEAD
        + b"".join(b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" for _ in range(3000)),
        _HEAD + b"Content-Type: message/rfc822\n\n" * 3000,
        _HEAD.replace(b"Lee", b"(" * 50_000) + b"\nhello",
        _HEAD.replace(b"hi", b"=?utf-8?q?a?= " * 8_000) + b"\nhello",
        b"from: " + b"a" * 60_000 + b"\nsubject: x\n\nhello",
        *(
            _HTML + sign * 20_000
            for sign in (b"<!", b"<a ", b"<!--", b'<a b="', b"<![", b"&#", b"</")
        ),
    ],
)
def test_a_hostile_mail_is_read_or_refused_in_a_moment(body: bytes) -> None:
    started = time.process_time()
    records = list(read(io.BytesIO(body), "mail" if body.startswith(_HEAD) else None))
    assert all(record.event or record.problem for record in records)
    assert time.process_time() - started < 1.5  # some took a minute


def test_the_words_of_a_page_are_read_without_its_marks() -> None:
    page = (
        "<html><head><title>no</title><style>p > a { x: y }</style></head><body><!-- a > b -->"
        '<p>Tom &amp; <a title="x > y" href=z>Kim</a> say 1 &lt; 2</p><br/>'
        "<blockquote>quoted</blockquote><!-- never closed <p>gone</p>"
    )
    body = _HTML + page.encode()
    texts = [record.event.payload for record in read(io.BytesIO(body), "mail") if record.event]
    assert "Tom & Kim say 1 < 2" in str(texts)
    assert not any(word in str(texts) for word in ("no", "gone", "quoted", "x: y", "a > b"))
