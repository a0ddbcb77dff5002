"""Subtitles"""

from __future__ import annotations

import io
import time
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_reader import read

TURNS = st.lists(
    st.tuples(
        st.sampled_from(["Dana", "Kim Lee"]),
        st.text("abc äß.,!?", min_size=1).map(lambda text: f"x {text.strip()}".strip()),
    ),
    min_size=4,
    max_size=12,
)


def messages(text: str) -> list[tuple[Any, ...]]:
    with read(io.BytesIO(text.encode())) as records:
        assert records.format == "subtitles"
        return [(r.event.person, r.event.payload["text"]) for r in records if r.event]


def joined(turns: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return turns with those of one speaker that follow one another as one, repeats once."""
    result: list[tuple[str, list[str]]] = []
    for name, text in turns:
        if not result or result[-1][0] != name:
            result.append((name, []))
        if result[-1][1][-1:] != [text]:
            result[-1][1].append(text)
    return [(name, "\n".join(texts)) for name, texts in result]


def clock(second: int, mark: str) -> str:
    return f"0{timedelta(seconds=second)}{mark}000"


@pytest.mark.parametrize("form", ["voice", "label", "srt"])
@given(turns=TURNS)
def test_every_form_gives_the_same_speakers_and_texts(
    form: str, turns: list[tuple[str, str]]
) -> None:
    turns = [("Dana", "x"), ("Kim Lee", "x"), *turns, ("Dana", "x"), ("Kim Lee", "x")]
    body = "" if form == "srt" else "WEBVTT - a meeting\n\nNOTE made by a machine\n\n"
    for number, (name, text) in enumerate(turns):
        line = f"<v {name}>{text}</v>" if form == "voice" else f"{name}: {text}"
        mark, settings = (",", "") if form == "srt" else (".", " align:start position:10%")
        times = f"{clock(number, mark)} --> {clock(number + 1, mark)}{settings}"
        body += f"{number + 1}\n{times}\n{line}\n\n"
    assert messages(body) == joined(turns)


def test_without_speakers_it_is_a_text_and_tags_are_no_words() -> None:
    cues = "00:01.000 --> 00:02.000\n<c.yellow>We <i>sail</i> &amp; row.</c>\nToday: rain.\n"
    assert messages(f"WEBVTT\n\n{cues}\n") == [(None, "We sail & row.\nToday: rain.")]


def test_the_time_from_the_beginning_is_kept_and_no_time_is_guessed() -> None:
    body = b"1\n00:00:05,000 --> 00:00:07,000\nHello there\n"
    with read(io.BytesIO(body)) as records:
        (record,) = records
    assert record.event is not None
    assert record.event.ts is None
    assert record.event.metadata["subtitles"] == {"from_start": "00:00:05.000"}
    assert records.report.no_time == 1


def test_the_time_for_many_speakers_is_in_proportion_to_them() -> None:
    cues = (
        f"{n}\n00:{n // 60 % 60:02}:{n % 60:02},000 --> 00:59:59,000\nSpeaker{n}: Here.\n"
        for n in range(8_000)
    )
    started = time.process_time()
    assert list(read(io.BytesIO("\n".join(cues).encode()), "subtitles"))
    assert time.process_time() - started < 3.0  # each one looked for among all: over 5 s
