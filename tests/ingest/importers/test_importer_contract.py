"""What every importer keeps to: golden files, and never an exception for what is in a file."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.ingest.importers.format_detection import FORMATS, detect, formats
from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA, SAMPLES, TEXT_SAMPLES
from tests.ingest.importers.writers import START, WRITERS

NAMES = [existing.name for existing in FORMATS]
TEXTS = {name for _, name in TEXT_SAMPLES}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
each_sample = pytest.mark.parametrize(("file", "name"), SAMPLES + TEXT_SAMPLES)


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in a JSON value: what holds it, and its key or index there."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in keys if isinstance(value, (dict, list)) else ():
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from spots(value[key])


def values_of(file: str) -> list[Any]:
    """Return the JSON values of a sample, torn lines left out."""
    body = (DATA / file).read_text()
    if not file.endswith(".jsonl"):
        return [json.loads(body)]
    values = []
    for line in body.splitlines():
        with suppress(ValueError):
            values.append(json.loads(line))
    return values


def check(body: bytes, name: str) -> int:
    """Read a body as a format: records are events or problems. Return the number of events."""
    events = 0
    for record in read(io.BytesIO(body), name):
        assert (record.event is None) != (record.problem is None)
        record.where.encode()
        str(record.problem).encode()
        if record.event:
            assert record.event.as_json()["payload"]
            events += 1
    return events


@each_sample
def test_a_golden_file_gives_its_events_and_refusals(
    golden: Callable[..., Any], file: str, name: str
) -> None:
    results, expected = golden(file)
    if name == "native":
        # The end of a problem is worded by the library that found it.
        for result, wanted in zip(results, expected, strict=True):
            assert result.pop("problem", "").startswith(wanted.pop("problem", ""))
    assert results == expected


@each_sample
def test_a_golden_file_is_told_with_what_was_left_out(file: str, name: str) -> None:
    with read(DATA / file) as records:
        assert records.format == name
        list(records)
    told = dict(line.split("\t") for line in (DATA / "reports.txt").read_text().splitlines())
    assert records.report.headline() == told[file]


@pytest.mark.parametrize(("name", "write"), WRITERS)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Zoë", "Ben", "Cy Roe"]),
            st.text("abc äß水🙂’.\n", min_size=1).map(lambda text: f"x{text}".rstrip()),
            st.integers(1, 900),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_a_chat_gives_its_people_texts_and_times_in_order(
    name: str, write: Callable[..., Any], given_turns: list[tuple[str, str, int]]
) -> None:
    at, turns = START, []
    for who, text, gap in given_turns:
        at += timedelta(minutes=gap)
        turns.append((who, text, at))
    written = write(turns)
    body = (written if isinstance(written, str) else json.dumps(written)).encode()
    assert detect(body) == name
    events = [record.event for record in read(io.BytesIO(body)) if record.event]
    assert [(e.person, e.payload["text"], e.ts) for e in events] == turns
    assert len({event.id for event in events}) == len(turns)
    assert len({event.session.key for event in events if event.session}) == 1


@pytest.mark.parametrize(("file", "name"), [s for s in SAMPLES if s[0] != "events.json"])
@pytest.mark.parametrize("indent", [None, 1])
def test_what_an_unknown_program_wraps_up_is_read_as_what_it_is(
    file: str, name: str, indent: int | None
) -> None:
    values = values_of(file)
    inside = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    plain = b"\n".join(json.dumps(value).encode() for value in values)
    wrapped = {"version": 2, "saved": {"by": ["it"], "things": inside}, "end": [1]}
    given = read(io.BytesIO(json.dumps(wrapped, indent=indent).encode()))
    told = [
        [r.event and (r.event.person, r.event.payload, r.event.ts) for r in found]
        for found in (given, read(io.BytesIO(plain), name))
    ]
    assert given.format == name
    assert told[0] == told[1]


def test_what_is_cut_short_in_what_an_unknown_program_wraps_up_costs_its_piece() -> None:
    message = {"role": "user", "content": "Buy oats.\nAnd rye."}
    whole = json.dumps({"v": 1, "chats": [{"messages": [message]}] * 3}, indent=2).encode()
    records = list(read(io.BytesIO(whole[:-90])))
    assert [record.event is not None for record in records] == [True, True, False]
    with pytest.raises(InvalidInput, match="no known format"):
        read(io.BytesIO(b'{"v": 1, "chats": [{"a": "b"}]}'))


@pytest.mark.parametrize(("file", "name"), SAMPLES[2:])  # native has properties of its own
@given(data=st.data())
def test_a_sample_with_other_values_in_it_is_read_and_nothing_raises(
    file: str, name: str, data: st.DataObject
) -> None:
    several = copy.deepcopy(values_of(file))
    for _ in range(data.draw(st.integers(1, 4), label="changes")):
        holder, key = data.draw(st.sampled_from(list(spots(several))), label="place")
        elsewhere = st.sampled_from([held[at] for held, at in spots(several)])
        if isinstance(holder, dict) and data.draw(st.booleans(), label="remove"):
            del holder[key]
        else:
            holder[key] = copy.deepcopy(data.draw(JSON | elsewhere, label="value"))
    check(b"\n".join(json.dumps(value).encode() for value in several), name)


@each_sample
@given(data=st.data())
def test_a_sample_that_is_cut_or_overwritten_is_read_and_nothing_raises(
    file: str, name: str, data: st.DataObject
) -> None:
    body = (DATA / file).read_bytes()
    start = data.draw(st.integers(0, len(body)), label="start")
    end = data.draw(st.integers(start, len(body)), label="end")
    damaged = body[:start] + data.draw(st.binary(max_size=8), label="bytes") + body[end:]
    assume(not damaged.startswith(b"PK\x03\x04"))  # what begins like an archive is one
    check(damaged, name)
    with suppress(InvalidInput):
        assert detect(damaged) in formats()


@pytest.mark.parametrize("name", NAMES)
def test_content_of_another_format_is_read_without_raising(name: str) -> None:
    for file, _ in SAMPLES + TEXT_SAMPLES:
        check((DATA / file).read_bytes(), name)


@pytest.mark.parametrize("name", NAMES)
@given(values=st.lists(JSON, max_size=3), body=st.binary())
def test_any_json_and_any_bytes_are_read_without_raising(
    name: str, values: list[Any], body: bytes
) -> None:
    assume(not body.startswith(b"PK"))  # an archive that is damaged is refused whole
    check(b"\n".join(json.dumps(value).encode() for value in values), name)
    assert check(body, name) == 0 or name in TEXTS
