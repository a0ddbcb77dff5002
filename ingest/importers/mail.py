"""Mail: single messages (.eml) and mailboxes (mbox), in any charset.

A thread is a session. Everybody who writes is a person, by the name they use. What they quote of
others is left out and counted: it is imported where it was written. A mail that is HTML only is
read as its text; attachments are artifacts by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from html import unescape

from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import ConversationReader, MessagePosition, content_id, stem
from .import_record import (
    EMPTY,
    ImportRecord,
    ImportSource,
    reject,
    skip,
    too_large,
)
from .timestamps import parse_timestamp

#: What the library of mails raises over what others wrote.
_UNREADABLE = MessageError, ValueError, LookupError, AttributeError, TypeError, RecursionError
#: More of a header is not decoded: that takes the square of its length.
_HEADER_CHARS_MAX = 20_000
_FROM_LINE = re.compile(rb"From \S+.*\d\d:\d\d")
_ESCAPED_FROM = re.compile(r"^>(>*From )", re.MULTILINE)
_ID = re.compile(r"<([^<>\s]+)>")
_QUOTED = re.compile(r"[ \t]*>")
#: What stands before a quotation: a line that ends in a colon, or two.
_INTRODUCTION = re.compile(r".{3,200}:[ \t]*$")
_MARKUP = re.compile(
    r"""<!--|<(?P<end>/)?(?P<name>[a-z][a-z0-9]*)[^<>"']*+(?:(?:"[^"]*+"|'[^']*+')[^<>"']*+){0,99}+>"""
    r"|<[!?/][^<>]*+>",
    re.IGNORECASE,
)
_BLOCKS = frozenset("p div br li tr h1 h2 h3 h4 h5 h6 blockquote table ul ol hr".split())
_HIDDEN = frozenset(("style", "script", "head", "title"))
_HEADER = re.compile(r"(?P<name>[A-Za-z][\w-]*):[ \t]?")
#: Headers that programs write, not people: one of them, or an address with a name, is needed.
_OF_PROGRAMS = re.compile(
    r"^(?:message-id|mime-version|received|return-path|content-type|delivered-to|x-[\w-]+):",
    re.IGNORECASE | re.MULTILINE,
)
_NAMED_SENDER = re.compile(
    r"^from:(?=[^<>\n]*\w)[^<>\n]*+<[^<>@\s]++@[^<>\s]+>", re.IGNORECASE | re.MULTILINE
)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a mail, by its Message-ID, or else "<file>/<digest>"."""
    for where, body, size in _mails(source):
        if size > source.bytes_max:
            yield reject(where, too_large(size, source.bytes_max))
            continue
        try:
            yield from _mail(source, where, body)
        except _UNREADABLE as error:
            yield reject(where, f"is not a readable mail ({error}): correct or remove it")


def _mails(source: ImportSource) -> Iterator[tuple[str, bytes, int]]:
    """Cut a mailbox at its From lines; a file that has none at its beginning is one mail."""
    number, lines, size = 0, bytearray(), 0
    is_mailbox, blank = None, True
    while line := source.readline(1_000_000):
        begins = blank and _FROM_LINE.match(line) is not None
        is_mailbox = begins if is_mailbox is None else is_mailbox
        if begins and is_mailbox:
            if size:
                yield f"{source.name} mail {number}", bytes(lines), size
            number, size = number + 1, 0
            lines.clear()
        else:
            size += len(line)
            if size <= source.bytes_max:
                lines += line
        blank = not line.strip()
    if size:
        yield f"{source.name} mail {max(number, 1)}", bytes(lines), size


def _mail(source: ImportSource, where: str, body: bytes) -> Iterator[ImportRecord]:
    mail = message_from_bytes(body, policy=policy.compat32)
    own = _ids(mail.get("Message-ID"))
    before = [*_ids(mail.get("References")), *_ids(mail.get("In-Reply-To"))]
    subject = _header(mail, "Subject")
    texts, files = _contents(mail)
    text, quoted = _without_quotations(_ESCAPED_FROM.sub(r"\1", "\n".join(texts)))
    digest = content_id(subject, text, str(mail.get("Date")))
    id = own[0] if own else f"{stem(source)}/{digest}"
    conversation = ConversationReader("mail", (before or [id])[0][:256])
    if quoted:
        yield skip(where, "quotations of other mails")
    if not text and not files:
        yield skip(where, EMPTY)
        return
    about: dict[str, Json] = {"subject": subject} if subject else {}
    if receivers := _people(mail, "To", "Cc"):
        about["to"] = [name for name, _ in receivers]
    place = MessagePosition(where, id[:512], _time(mail), about)
    sender = next((name for name, _ in _people(mail, "From", "Sender")), None)
    head = [] if before or not subject else [subject]
    content = [*head, *([text] if text else []), *files]
    yield from conversation.message(place, EventKind.USER_MESSAGE, content, person=sender)


def _contents(mail: Message) -> tuple[list[str], list[Json]]:
    """Return the texts of a mail, and its attachments as parts; of two forms the plain one."""
    unformatted: list[str] = []
    rich: list[str] = []
    files: list[Json] = []
    for section in mail.walk():
        kind = section.get_content_type()
        name = section.get_filename()
        if section.is_multipart():
            continue
        if name or section.get_content_disposition() == "attachment":
            title = str(make_header(decode_header(name))) if name else kind
            media = "image" if kind.startswith("image") else "file"
            files.append({"type": media, "filename": title[:512]})
        elif kind == "text/plain":
            unformatted.append(_decoded(section))
        elif kind == "text/html":
            rich.append(_text_of_html(_decoded(section)))
    return (unformatted if any(text.strip() for text in unformatted) else rich), files


def _decoded(section: Message) -> str:
    payload = section.get_payload(decode=True)
    body = payload if isinstance(payload, bytes) else b""
    for charset in (section.get_content_charset(), "utf-8", "cp1252"):
        try:
            return body.decode(charset or "utf-8").replace("\r\n", "\n").replace("\0", "")
        except (LookupError, ValueError):
            continue
    return body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\0", "")


def _without_quotations(text: str) -> tuple[str, int]:
    """Return what the writer wrote, and how many lines they quote."""
    lines = text.split("\n")
    left: list[str] = []
    quoted = 0
    for line in lines:
        if not _QUOTED.match(line):
            left.append(line)
            continue
        if not quoted or (left and left[-1] != ""):
            _drop_introduction(left)
        quoted += 1
    signature = next((at for at, line in enumerate(left) if line.rstrip("\r") == "-- "), None)
    return "\n".join(left[:signature]).strip(), quoted


def _drop_introduction(left: list[str]) -> None:
    """Take away the words that lead to a quotation: "On Monday Kim wrote:", on up to two lines."""
    while left and not left[-1].strip():
        left.pop()
    if left and _INTRODUCTION.match(left[-1]):
        last = left.pop()
        if left and left[-1].strip() and not re.search(r"[\d@]", last):
            left.pop()
    left.append("")


def _header(mail: Message, name: str) -> str:
    raw = mail.get(name)
    if raw is None:
        return ""
    text = str(raw)[:_HEADER_CHARS_MAX]
    with suppress(ValueError, LookupError):
        text = str(make_header(decode_header(text)))
    clean = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return " ".join(clean.split())


def _people(mail: Message, *names: str) -> list[tuple[str, str]]:
    """Return name and address of everybody in some headers; without a name, the address is it."""
    headers = [_header(mail, name) for name in names]
    return [
        ((name or address)[:256], address)
        for name, address in getaddresses([header for header in headers if header])
        if name or address
    ]


def _time(mail: Message) -> str | None:
    for raw in (mail.get("Date"), (mail.get("Received") or "").rpartition(";")[2]):
        if raw:
            try:
                at = parsedate_to_datetime(str(raw))
                return parse_timestamp(at.isoformat())
            except (TypeError, ValueError, IndexError):
                continue
    return None


def _ids(header: object) -> list[str]:
    return _ID.findall(str(header)) if header else []


def _text_of_html(page: str) -> str:
    """Return the words of a page, a line a block; quotations are marked as in plain mails."""
    pieces: list[str] = []
    hidden = quoted = at = 0
    while at < len(page):
        markup = _MARKUP.search(page, at)
        if hidden <= 0:
            words = page[at : markup.start()] if markup else page[at:]
            pieces.append(re.sub(r"\s+", " ", unescape(words)))
        if markup is None:
            break
        at = markup.end()
        if markup[0] == "<!--":
            closing = page.find("-->", at)
            at = closing + len("-->") if closing >= 0 else len(page)
            continue
        name, step = (markup["name"] or "").lower(), -1 if markup["end"] else 1
        hidden += step * (name in _HIDDEN)
        quoted = max(quoted + step * (name == "blockquote"), 0)
        if name in _BLOCKS:
            pieces.append("\n> " if quoted else "\n")
    lines = [line.strip() for line in "".join(pieces).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line != ">"))


def recognises_text(head: str) -> bool:
    """Return whether a text begins as a message or a mailbox."""
    if re.match(r"From \S+ .*\d\d:\d\d", head):
        return True
    headers = head.partition("\n\n")[0].replace("\r", "")
    lines = [line for line in headers.split("\n") if line and not line.startswith((" ", "\t"))]
    names = {match["name"].lower() for line in lines if (match := _HEADER.match(line))}
    if len(names) < 2 or not all(_HEADER.match(line) for line in lines):
        return False
    by_program = _OF_PROGRAMS.search(headers) or _NAMED_SENDER.search(headers)
    return bool({"from", "sender"} & names) and by_program is not None
