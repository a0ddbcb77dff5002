"""Ways to hand bytes to a reader: at once, in small blocks, or from a golden file."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord
from tests.ingest.importers.samples import DATA

Streams = Callable[[bytes, int], io.BufferedReader]


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes at a time, as a slow pipe does."""

    def __init__(self, body: bytes, block: int) -> None:
        super().__init__()
        self._body, self._block = io.BytesIO(body), block

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        fragment = self._body.read(min(self._block, len(buffer)))
        buffer[: len(fragment)] = fragment
        return len(fragment)


def shown(record: ImportRecord) -> dict[str, Any]:
    """Return a record as plain JSON, without what is not set."""
    event = record.event and record.event.as_json()
    fields = {
        "where": record.where,
        "space": record.space,
        "event": event,
        "problem": record.problem,
    }
    return {name: value for name, value in fields.items() if value is not None}


@pytest.fixture(scope="session")
def trickle() -> Streams:
    """Make a binary stream out of bytes that come a block at a time."""
    return lambda body, block: io.BufferedReader(Trickle(body, block))


@pytest.fixture
def golden() -> Callable[[str], tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Return what a golden file is read as, and what it should be read as."""

    def compare(name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        path = DATA / name
        expected = (DATA / f"{path.stem}.expected.jsonl").read_text("utf-8").splitlines()
        return [shown(record) for record in read(path)], [json.loads(line) for line in expected]

    return compare
