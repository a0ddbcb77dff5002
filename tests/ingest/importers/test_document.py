"""Document"""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import Event
from meridia.ingest.importers.import_reader import read

WORDS = st.text("abc äß.,!?", min_size=1).map(lambda text: f"x {text.strip()}".strip())


def events(text: str, name: str = "document") -> list[Event]:
    with read(io.BytesIO(text.encode())) as records:
        assert records.format == name
        return [record.event for record in records if record.event]


def texts(text: str, name: str = "document") -> list[Any]:
    return [event.payload["text"] for event in events(text, name)]


@given(st.lists(st.tuples(st.integers(1, 4), WORDS, WORDS), min_size=1, max_size=8))
def test_every_section_comes_with_the_path_of_its_headings(
    sections: list[tuple[int, str, str]],
) -> None:
    body, path, expected = "", list[tuple[int, str]](), []
    for level, title, text in sections:
        body += f"{'#' * level} {title}\n\n{text}\n\n"
        path = [*(p for p in path if p[0] < level), (level, title)]
        shown = " › ".join(dict.fromkeys(title for _, title in path))
        expected.append(f"{shown}\n{text}")
    assert texts(body, "markdown") == expected


@given(st.lists(WORDS, min_size=1, max_size=60))
def test_a_text_is_cut_into_groups_of_paragraphs_and_nothing_is_lost(
    paragraphs: list[str],
) -> None:
    groups = texts("\n\n".join(["Once upon a time.", *(p * 30 for p in paragraphs)]))
    assert (
        "\n\n".join(groups).split()
        == " ".join(["Once upon a time.", *(p * 30 for p in paragraphs)]).split()
    )
    assert all(len(group) < 1_000 + 30 * max(map(len, paragraphs)) + 100 for group in groups)


def test_a_long_text_without_paragraphs_is_cut_at_its_lines() -> None:
    lines = [f"2026-03-01 server {number} started" for number in range(1_000)]
    groups = texts("\n".join(lines))
    assert "\n".join(groups).split("\n") == lines
    assert max(map(len, groups)) < 4_100


def test_front_matter_gives_title_and_time_and_links_are_written_as_they_read() -> None:
    first, second = events(
        "---\ntitle: Boat\ncreated: 2026-03-01\ntags:\n  - sea\n  - wood\n---\n"
        "Bought from [[Kim Lee|Kim]] at [[Harbour#North]].\n\n## Engine\nLeaks.\n",
        "markdown",
    )
    assert first.payload["text"] == "Boat\nBought from Kim at Harbour."
    assert first.metadata["document"] == {
        "links": ["Kim Lee", "Harbour#North"],
        "tags": ["sea", "wood"],
    }
    assert (second.payload["text"], second.ts) == (
        "Boat › Engine\nLeaks.",
        datetime(2026, 3, 1, tzinfo=UTC),
    )


def test_a_folder_of_notes_has_their_names_and_days_and_its_other_files_are_named(
    tmp_path: Path,
) -> None:
    (tmp_path / "daily").mkdir()
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text("{}")
    (tmp_path / "daily" / "2026_03_02.md").write_text("- sun\n")
    (tmp_path / "daily" / "2026-03-01.md").write_text("- [ ] call the harbour\n\n## Log\nRain.\n")
    (tmp_path / "Boat.md").write_text("Bought in 2019.\n")
    (tmp_path / "mast.png").write_bytes(b"\x89PNG\r\n")
    with read(tmp_path) as records:
        found = {
            record.event.payload["text"]: record.event.ts for record in records if record.event
        }
    assert found == {
        "Boat\nBought in 2019.": None,
        "2026-03-01\n- [ ] call the harbour": datetime(2026, 3, 1, tzinfo=UTC),
        "2026_03_02\n- sun": datetime(2026, 3, 2, tzinfo=UTC),
        "2026-03-01 › Log\nRain.": datetime(2026, 3, 1, tzinfo=UTC),
    }
    assert [line.partition(" ")[0] for line in records.report.unread] == ["mast.png"]


def test_a_heading_in_code_is_none_and_an_underlined_one_is() -> None:
    assert texts("# A\n```sh\n# no heading\n```\n\nB\n===\nText.\n", "markdown") == [
        "A\n```sh\n# no heading\n```",
        "B\nText.",
    ]


def test_notes_of_basic_memory_are_observations_and_relations() -> None:
    assert texts(
        "---\ntitle: Coffee\ntype: note\npermalink: coffee\n---\n# Coffee\n\nHow I brew.\n\n"
        "## Observations\n- [method] 94 degrees #brewing (tested)\n\n"
        "## Relations\n- needs [[Kettle]]\n",
        "basic-memory",
    ) == [
        "Coffee\nHow I brew.",
        "Coffee › Observations\nmethod: 94 degrees #brewing (tested)",
        "Coffee › Relations\nCoffee needs Kettle",
    ]


def test_a_note_that_grew_keeps_the_ids_of_what_it_had() -> None:
    before = {e.id for e in events("# A\nOne.\n\n# B\nTwo.\n", "markdown")}
    after = {e.id for e in events("# A\nOne.\n\n# C\nThree.\n\n# B\nTwo.\n", "markdown")}
    assert before < after
