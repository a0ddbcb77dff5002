"""An export of any size is read in the memory of a small one: measured on 24 MB of each kind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

#: How much is written, and by how much a process may grow that reads it.
FILE_BYTES = 24_000_000
GROWTH_KB_MAX = 12_000
READING = """
import pathlib, resource, sys
from meridia.ingest.importers.import_reader import read
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
small, large = map(pathlib.Path, sys.argv[1:])
def count(path):
    with read(path) as records:
        events = sum(record.event is not None for record in records)
    assert records.report.refused == 0
    return events
count(small)
before = peak()
print(count(large), peak() - before)
"""
WORDS = "The heron stands at the pond and waits for the tide. " * 40
DAY_S = 86_400


def whatsapp() -> Iterator[str]:
    for number in range(10**9):
        yield f"{1 + number % 28:02}.03.26, 10:00 - {'Dana' if number % 2 else 'Kim'}: {WORDS}\n"


def telegram() -> Iterator[str]:
    yield '{"name": "Kim", "type": "personal_chat", "id": 1, "messages": ['
    for number in range(10**9):
        fields = {"id": number, "type": "message", "date_unixtime": str(DAY_S * 20_000 + number)}
        comma = "," if number else ""
        yield comma + json.dumps({**fields, "from": "Kim", "from_id": "u1", "text": WORDS})


def mailbox() -> Iterator[str]:
    for number in range(10**9):
        yield (
            f"From kim@x.org Sun Mar  1 10:00:00 2026\nMessage-ID: <m{number}@x.org>\n"
            f"From: Kim <kim@x.org>\nSubject: x\n\n{WORDS}\n\n"
        )


def document() -> Iterator[str]:
    for number in range(10**9):
        yield f"{number} {WORDS}\n\n"


def subtitles() -> Iterator[str]:
    yield "WEBVTT\n\n"
    for number in range(10**9):
        at = f"{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000"
        yield f"{at} --> {at}\n<v {'Dana' if number % 2 else 'Kim'}>{WORDS}\n\n"


def openai_lines() -> Iterator[str]:
    for number in range(10**9):
        message = {"role": "user", "content": WORDS, "timestamp": DAY_S * 20_000 + number}
        yield json.dumps({"id": f"c{number}", "messages": [message]}) + "\n"


def write(path: Path, pieces: Iterator[str], bytes_min: int, end: str) -> None:
    with path.open("w") as file:
        size = 0
        for piece in pieces:
            size += file.write(piece)
            if size > bytes_min:
                break
        file.write(end)


OTHERS = (telegram, mailbox, document, subtitles)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "written",
    [
        # Lines of JSON every time; the other readers in a thorough run.
        openai_lines,
        pytest.param(whatsapp, marks=pytest.mark.thorough),
        *(pytest.param(w, marks=pytest.mark.thorough) for w in OTHERS),
    ],
)
def test_a_large_export_is_read_in_the_memory_of_a_small_one(
    tmp_path: Path, written: Callable[[], Iterator[str]]
) -> None:
    end = "]}" if written is telegram else ""
    write(tmp_path / "small", written(), 100_000, end)
    write(tmp_path / "large", written(), FILE_BYTES, end)
    command = [sys.executable, "-c", READING, tmp_path / "small", tmp_path / "large"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    events, growth_kb = map(int, done.stdout.split())
    assert events > FILE_BYTES / 2 / len(WORDS)
    assert growth_kb < GROWTH_KB_MAX
