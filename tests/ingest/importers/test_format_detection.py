"""Format detection"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import meridia.ingest.importers.format_detection as detection
from meridia.core.errors import InvalidInput, NotFound, Refused
from meridia.ingest.importers.format_detection import FORMATS, detect, formats
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportFormat
from tests.ingest.importers.samples import DATA, SAMPLES, TEXT_SAMPLES

#: How else content of a format may begin.
OPENINGS = [
    ('{"type": "summary", "summary": "x", "leafUuid": "u"}', "claude-code"),
    ('{"type": "user", "message": {"role": "user"}, "uuid": "u", "sessionId": "s"}', "claude-code"),
    ('{"type": "system", "content": "x", "sessionId": "s", "uuid": "u"}', "claude-code"),
    ('{"loglines": [{"type": "user", "message": {"content": "x"}}]}', "claude-code"),
    ('{"role": "user", "message": {"content": [{"type": "text", "text": "x"}]}}', "cursor"),
    ('[{"role": "user", "content": "x"}]', "openai-chat"),
    ('[{"id": "m", "role": "user", "parts": [{"type": "text", "text": "x"}]}]', "vercel-ai"),
    ('[{"parts": [{"part_kind": "text", "content": "x"}], "kind": "response"}]', "pydantic-ai"),
    ('[{"role": "model", "parts": [{"text": "x"}]}]', "gemini"),
    ('[{"sessionId": "s", "messageId": 0, "type": "user", "message": "x"}]', "gemini"),
    ('{"id": "s", "timestamp": "x", "instructions": null, "git": {}}', "codex"),
    ('[{"id": "m", "date": "x", "message_type": "user_message", "content": "x"}]', "letta"),
    ('{"facts": [{"uuid": "f", "fact": "x"}]}', "zep"),
    ('{"type": "relation", "from": "a", "to": "b", "relationType": "c"}', "memory-graph"),
    ('[{"type": "human", "content": "x", "id": "h"}]', "langchain"),
    ('[{"role": "assistant", "tool_calls": []}]', "openai-chat"),
    ('{"messages": [{"content": "x", "role": "user"}]}', "openai-chat"),
    ('{"id": "c", "choices": [{"message": {"role": "assistant"}}]}', "openai-chat"),
    ('{"object": "response", "conversation": {"id": "c"}, "output": []}', "openai-responses"),
    ('{"output": [{"type": "reasoning", "id": "r", "summary": []}]}', "openai-responses"),
    ('{"input": [{"role": "user", "content": "x"}]}', "openai-responses"),
    ('{"object": "list", "data": [{"type": "message", "role": "user"}]}', "openai-responses"),
    ('[{"type": "message", "role": "user", "content": []}]', "openai-responses"),
    ('[{"type": "function_call", "call_id": "c", "name": "f"}]', "openai-responses"),
    ('[{"type": "reasoning", "id": "r", "summary": []}]', "openai-responses"),
    ('[{"type": "web_search_call", "id": "w", "status": "completed"}]', "openai-responses"),
    ('[{"type": "human", "data": {"content": "x", "type": "human"}}]', "langchain"),
    ('[{"type": "chat", "content": "x", "role": "user", "response_metadata": {}}]', "langchain"),
    (
        '[{"type": "tool", "content": "x", "id": "t", "status": "x", "additional_kwargs": {}}]',
        "langchain",
    ),
    ('{"messages": [{"lc": 1, "type": "constructor", "id": [], "kwargs": {}}]}', "langchain"),
    ('{"messages": [{"type": "human", "data": {"content": "x"}}]}', "langchain"),
    ('{"messages": [{"type": "human", "content": "x", "id": "h"}]}', "langchain"),
    ('{"values": {"messages": []}, "next": [], "config": {}}', "langchain"),
    ('{"v": 1, "ts": "x", "channel_values": {"messages": []}}', "langchain"),
    ('{"history": [{"role": "system", "message_type": "system_prompt"}]}', "swe-agent"),
    ('{"attempts": [{"trajectory": [], "history": [], "info": {}}]}', "swe-agent"),
    ('[{"id": "m", "memory": "x", "user_id": "u", "metadata": {}}]', "mem0"),
    ('{"memories": [{"memory": "x"}]}', "mem0"),
    ('[{"uuid": "e", "name": "x", "content": "x", "group_id": "g"}]', "graphiti"),
    ('[{"name": "x", "content": "x", "reference_time": "x", "source": "text"}]', "graphiti"),
    ('{"message": "found", "episodes": [{"uuid": "e", "content": "x"}]}', "graphiti"),
    ('[{"conversation": {"session_2": []}, "sample_id": "x"}]', "locomo"),
    ('[{"title": "x", "create_time": 1.5, "mapping": {"a": {"message": null}}}]', "chatgpt"),
    ('[{"uuid": "u", "name": "x", "account": {}, "chat_messages": []}]', "claude"),
    ('{"conversations": [{"role": "user", "content": "x"}]}', "sharegpt"),
    ('[{"id": "x", "items": [{"from": "human", "value": "x"}]}]', "sharegpt"),
    ('[{"type": "message", "subtype": "channel_join", "ts": "1.2", "user": "U"}]', "slack"),
    ('{"about": "x", "personal_information": {}, "chats": {}}', "telegram"),
    ('{"name": "x", "id": 1, "messages": [{"actor_id": "u", "date": "x"}]}', "telegram"),
    ('{"guild": {}, "channel": {}, "messages": []}', "discord"),
    ("[1/3/26, 9:05:12 PM] Dana: hi\n", "whatsapp"),
    ("Dana: hi\nRobin: hello\n", "text"),
    ("Dear diary:\nnothing happened\n", "document"),
    ("# Boat\n\nThe engine leaks.\n", "markdown"),
    ("---\ntitle: x\npermalink: y\n---\n- [idea] x\n", "basic-memory"),
    ("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n", "subtitles"),
    ("1\n00:00:01,000 --> 00:00:02,000\nHi\n", "subtitles"),
    ("From dana@x Sun Mar  1 10:00:00 2026\nFrom: d@x\nSubject: x\n\nHi\n", "mail"),
    ("Message-ID: <a@x>\nFrom: d@x\n\nHi\n", "mail"),
    ("## User\n\nhi\n\n## Assistant\n\nhello\n", "text"),
    ('speaker,text\nDana,"x"\n', "csv"),
    ("role\tcontent\nuser\thi\n", "csv"),
]
GOOD = b'{"kind": "user_message", "payload": {"text": "kept"}}\n'


def test_every_format_has_one_name_and_one_line() -> None:
    assert next(iter(formats())) == "native"
    assert len(formats()) == len(FORMATS)
    assert all(line and "\n" not in line for line in formats().values())


@pytest.mark.parametrize(("file", "name"), SAMPLES)
def test_a_golden_file_is_recognised_whole_and_compacted(file: str, name: str) -> None:
    body = (DATA / file).read_bytes()
    assert detect(body) == name
    assert detect(b"\xef\xbb\xbf" + body) == name
    assert detect(b"".join(body.split(b"\n"))) == name


@pytest.mark.parametrize(("file", "name"), TEXT_SAMPLES)
def test_a_text_is_recognised_whatever_its_line_ends(file: str, name: str) -> None:
    body = (DATA / file).read_bytes()
    assert detect(body) == detect(body.replace(b"\n", b"\r\n")) == name


@pytest.mark.parametrize(
    "head",
    [
        b"Dear diary:\nnothing happened\n",
        b"Shopping list\nBread: two\nMilk: one\n",
        b"# Notes\n\n- seal: cracked\n- pump: leaks\n",
        b"https://example.org/a: b\nhttp: c\n",
    ],
)
def test_a_text_that_nobody_says_is_no_dialogue(head: bytes) -> None:
    assert detect(head) in ("document", "markdown")


@pytest.mark.parametrize("head", [b"date,mood\n2026-03-01,cross\n", b"a;b\n1;2\n", b"?", b"[1]"])
def test_a_table_of_something_else_and_data_are_no_documents(head: bytes) -> None:
    with pytest.raises(InvalidInput, match="has no known format"):
        detect(head)


@pytest.mark.parametrize("other", FORMATS, ids=lambda existing: existing.name)
def test_content_of_a_format_is_recognised_as_no_other(
    other: ImportFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [((DATA / file).read_bytes(), name) for file, name in SAMPLES + TEXT_SAMPLES]
    openings = [(opening.encode(), name) for opening, name in OPENINGS]
    # Whoever is asked first has it, so a format that claims too much shows when it is first.
    monkeypatch.setattr(detection, "FORMATS", (other, *FORMATS))
    for body, name in files + openings:
        assert detect(body) == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"", "native"),
        (b" \n\n", "native"),
        (b"a torn line\n" + GOOD, "native"),
        (b'{"kind": "user_message", "payl\n', "native"),
        (b'{"metadata": {"traj": 1, "s": "\\"qa\\": {"}, "kind": "user_message"}', "native"),
        (b'{"k\\u0069nd": "user_message"}', "native"),
        (b'[{"qa": [{"question": "' + b"w" * 65_000, "locomo"),
        (b'[{"task_id": 1, "reward": 0, "info": {"kind": 1', "tau-bench"),
        (b'{"trial": 0, "traj": []}\n{"trial": 1, "traj": []}\n', "tau-bench"),
    ],
)
def test_content_decides_by_the_top_level_keys_that_the_head_shows(head: bytes, name: str) -> None:
    assert detect(head) == name


@pytest.mark.parametrize("head", [b"[]", b"[1, 2]", b'{"role": "user"}', b'[{"a": {"kind": 1}}]'])
def test_unknown_content_is_refused_with_the_known_formats_and_the_way_out(head: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"--help.*--format"):
        detect(head)


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"\x1f\x8b\x08", "gzip"),
        (b"PK\x03\x04", "zip"),
        (b'{"meridia_archive":1,"spaces":[]}\n{"at":"2026-01-01"}\n', "meridia restore FILE"),
    ],
)
def test_what_is_no_text_is_named(head: bytes, what: str) -> None:
    with pytest.raises(InvalidInput, match=what):
        detect(head)


@given(st.binary() | st.text('{}[]":\\,k \n').map(str.encode))
def test_any_head_is_recognised_or_refused(head: bytes) -> None:
    with suppress(InvalidInput):
        assert detect(head) in formats()


@pytest.mark.timeout(2)
@pytest.mark.parametrize("head", [b'{"' + b'\\"' * 32_000, b"{" * 32_000 + b":" * 32_000])
def test_a_long_head_is_searched_once(head: bytes) -> None:
    with pytest.raises(InvalidInput):
        detect(head)


def test_progress_reaches_the_size_of_the_file() -> None:
    path = DATA / "chat.jsonl"
    with read(path) as reading:
        assert (reading.format, reading.bytes_total) == ("native", path.stat().st_size)
        progress = [reading.bytes_read for _ in reading]
    assert progress == sorted(set(progress))
    assert progress[-1] == reading.bytes_total


def test_a_stream_is_read_without_a_size_and_left_open(
    trickle: Callable[[bytes, int], io.BufferedReader],
) -> None:
    stream = trickle(GOOD * 3, 10)
    reading = read(stream)
    assert reading.bytes_total is None
    assert [record.where for record in reading] == [f"standard input line {n}" for n in (1, 2, 3)]
    assert reading.bytes_read == len(GOOD * 3)
    assert not stream.closed


def test_a_live_pipe_is_recognised_by_its_first_line() -> None:
    receiving, sending = os.pipe()
    os.write(sending, GOOD)
    with os.fdopen(receiving, "rb") as stream:
        reading = read(stream)
        assert next(reading).event is not None
        os.close(sending)
        assert list(reading) == []


def test_a_named_format_overrides_what_the_content_says() -> None:
    (first, *_) = read(DATA / "locomo.json", "tau-bench")
    assert first.where == "locomo.json item 1"
    assert "task_id is null or missing" in str(first.problem)


def test_a_format_nobody_knows_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="'xml' is not known: use native, "):
        read(DATA / "chat.jsonl", "xml")


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert list(read(tmp_path / "empty")) == []


def test_an_unknown_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "mood.json").write_text('{"mood": "cross"}')
    with pytest.raises(InvalidInput, match=r"^mood\.json has no known format"):
        read(tmp_path / "mood.json")


def test_a_file_that_cannot_be_opened_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        read(tmp_path / "nothing")
    with pytest.raises(InvalidInput, match="nothing could be read: it holds no file"):
        list(read(tmp_path))
    with pytest.raises(InvalidInput, match="cannot be opened"):
        read(tmp_path / ("x" * 300))


def test_a_file_without_permission_is_refused() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        secret = Path(folder, "secret")
        secret.write_bytes(GOOD)
        secret.chmod(0)
        with as_nobody_special(), pytest.raises(Refused, match="permissions"):
            read(secret)


@contextmanager
def as_nobody_special() -> Iterator[None]:
    """Lay down the superuser's rights, who may read everything."""
    user = os.geteuid()
    os.seteuid(user or 65534)
    try:
        yield
    finally:
        os.seteuid(user)
