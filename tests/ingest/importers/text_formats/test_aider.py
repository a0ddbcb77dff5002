"""Aider's histories: who asks and who answers, whatever stands in fences and reports."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.format_detection import detect
from meridia.ingest.importers.import_reader import read

WORDS = st.text("abc äß.!?", min_size=1).map(lambda text: f"x {text}".strip())
TURNS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5)


@given(runs=st.lists(TURNS, min_size=1, max_size=3))
def test_each_start_is_a_session_and_each_turn_is_said_by_its_speaker(
    runs: list[list[tuple[str, str]]],
) -> None:
    text, expected = "", []
    for number, turns in enumerate(runs):
        text += f"\n# aider chat started at 2026-03-0{number + 1} 10:00:00\n\n> Added a.py  \n\n"
        for asked, answered in turns:
            code = "```\n#### no words\n> nor a report\n```"
            text += f"#### /add b.py  \n> Added b.py  \n\n#### {asked}  \n#### and more  \n\n"
            text += f"{answered}\n\n{code}\n\n> Tokens: 2k sent.  \n\n"
            day = f"2026-03-0{number + 1}"
            expected += [
                (day, "user_message", f"{asked}\nand more"),
                (day, "assistant_message", f"{answered}\n\n{code}"),
            ]
    with read(io.BytesIO(text.encode())) as records:
        events = [record.event for record in records if record.event]
    assert detect(text.encode()) == "aider"
    found = [(str(e.ts)[:10], e.kind.value, str(e.payload["text"])) for e in events]
    assert found == expected
