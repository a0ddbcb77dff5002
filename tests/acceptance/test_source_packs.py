"""Features 27 to 32, 51 to 62 and 104 to 107 as somebody sees them who types commands.

Ines and an agent in an invented pottery: packs, what helped, and what is off until asked for.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from tests.cli.command import Command, Done

#: The units that these go through have tests of their own.
pytestmark = pytest.mark.thorough

FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)
MODES = {
    "session_bootstrap": 2000,
    "topic_reentry": 2000,
    "relationship_resumption": 2000,
    "reflection": 3000,
    "crisis": 4000,
    "core_summary": 900,
}
TALK = (
    ("Ines", "I am so frustrated: the celadon glaze crawled on three bowls again."),
    (None, "Wash the bisque first; I will look up the celadon recipe tomorrow."),
    ("Ines", "The kiln controller shows an E5 error. Who repairs kilns in Ghent?"),
    (None, "I will ring Timber about the kiln controller."),
)
THINGS = "mug bowl plate jug vase tile teapot saucer lid tray".split()
COLUMNS = {"id", "reconstitution_id", "ts", "mode", "records_injected", "records_referenced"}
COLUMNS |= {"anchors_hit", "user_rating", "auto_score", "notes"}


def events() -> list[dict[str, Any]]:
    """Return six sessions, a day between two; the first four talk about the same things."""
    result, at = [], FIRST

    def add(session: str, person: str | None, text: str) -> None:
        nonlocal at
        at += timedelta(minutes=1)
        who = {"person": person} if person else {}
        kind = "user_message" if person else "assistant_message"
        event = {"kind": kind, "ts": at.isoformat(), "session": {"key": session}}
        result.append(event | who | {"payload": {"text": text}})

    for day in range(4):
        for person, text in TALK:
            add(f"s{day}", person, f"{text} It was firing {day}.")
        end = {"kind": "session_boundary", "session": {"key": f"s{day}"}, "ts": at.isoformat()}
        result.append(end | {"payload": {"boundary": "end"}})
        at += timedelta(days=1)
    for thing in THINGS:
        add("s4", "Ines", f"I glazed a {thing} with tenmoku and put it on the {thing} shelf.")
    return result


@pytest.fixture(scope="module")
def ask(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Give a way to run commands over the pottery's journal, with variables."""
    db: Path = tmp_path_factory.mktemp("pottery") / "agent.db"

    def run(*arguments: object, stdin: str = "", **settings: str) -> Done:
        env = {f"MERIDIA_{name}": value for name, value in settings.items()}
        return meridia(*arguments, "--json", "--db", db, stdin=stdin, env=env)

    assert run("capture", stdin="\n".join(map(json.dumps, events()))).status == 0
    assert run("enrich").status == 0
    return run


def test_row_32_a_session_of_three_or_more_has_one_episode(ask):
    episodes = ask("episodes").json
    assert len({one["session"] for one in episodes}) == len(episodes) >= 4
    assert all(len(one["sources"]) >= 3 for one in episodes)


def test_row_27_a_pack_has_its_parts_and_says_what_it_took(ask):
    pack = ask("resume", "Ines", "--tokens", 400).json
    parts = {"summary", "approach_guidance", "anchors", "open_uncertainties", "next_actions"}
    assert parts | {"citations", "meta"} <= set(pack)
    meta = pack["meta"]
    assert {"record_count", "session_count", "time_range", "sources", "truncated"} <= set(meta)
    assert set(meta["sources"]) == {"canonical", "graph", "vector"}
    assert meta["tokens"] <= meta["tokens_max"] == 400
    assert meta["truncated"] is True
    assert len(pack["text"]) <= 4 * 400
    assert all(one["uri"].startswith("meridia://") for one in pack["citations"])


def test_rows_28_and_29_structured_has_sections_and_prose_needs_no_model(ask):
    text = ask("resume", "Ines").json["text"]
    assert text.count("\n## ") >= 2
    prose = ask("reconstitute", "--person", "Ines", "--prose").json["prose"]
    assert prose["by"] == "rule"
    assert re.search(r"@\d+", prose["text"])


def test_rows_30_and_36_nothing_is_null_and_quality_has_four_measures(ask, meridia, tmp_path):
    Memory.open(tmp_path / "new.db").close()
    nothing = meridia("reconstitute", "--json", "--db", tmp_path / "new.db")
    assert (nothing.status, nothing.out.strip()) == (0, "null")
    quality = ask("resume", "Ines").json["quality"]
    names = {"budget_use", "source_diversity", "anchor_coverage", "phenomenology_coverage"}
    assert set(quality) == names
    assert all(0 <= value <= 1 for value in quality.values())


def test_rows_51_to_56_each_mode_has_its_budget_and_keeps_it(ask):
    modes = {one["mode"]: one["tokens"] for one in ask("reconstitute", "--modes").json}
    assert modes == MODES
    then = (FIRST + timedelta(days=4, hours=2)).isoformat()
    for mode, budget in MODES.items():
        options = ("--query", "celadon") if mode == "topic_reentry" else ("--person", "Ines")
        options = () if mode in {"session_bootstrap", "crisis", "core_summary"} else options
        pack = ask("reconstitute", "--mode", mode, *options, "--as-of", then).json
        assert (pack["mode"], pack["meta"]["tokens_max"]) == (mode, budget)
        assert pack["meta"]["tokens"] <= budget
        assert pack["citations"]


def test_row_57_the_mode_is_found_from_the_request_or_the_time_that_went_by(ask):
    def mode(*options: str) -> str:
        return str(ask("reconstitute", *options).json["mode"])

    assert mode("--person", "Ines") == "relationship_resumption"
    assert mode("--query", "celadon") == "topic_reentry"
    assert mode("--as-of", (FIRST + timedelta(days=5)).isoformat()) == "session_bootstrap"
    assert mode("--as-of", (FIRST + timedelta(days=60)).isoformat()) == "crisis"


def test_rows_58_to_61_what_an_agent_took_up_is_counted_when_the_session_ends(ask):
    pack = ask("resume", "Ines").json["pack"]
    said = ("Good to see you, Ines.", "Shall we wash the bisque before the celadon glaze?")
    now = datetime.now(UTC)
    session = {"session": {"key": "s9"}}
    given = [{"kind": "user_message", "person": "Ines", "payload": {"text": "Hello, I am back."}}]
    given += [{"kind": "assistant_message", "payload": {"text": text}} for text in said]
    given += [{"kind": "session_boundary", "payload": {"boundary": "end"}}]
    stamped = [
        one | session | {"ts": (now + timedelta(seconds=place)).isoformat()}
        for place, one in enumerate(given)
    ]
    ask("capture", stdin="\n".join(map(json.dumps, stamped)))
    ask("enrich")
    (row,) = [one for one in ask("feedback", "--list").json if one["reconstitution_id"] == pack]
    assert set(row) >= COLUMNS
    assert row["mode"] == "relationship_resumption"
    assert row["records_injected"] >= row["records_referenced"] > 0
    assert row["auto_score"] == pytest.approx(row["records_referenced"] / row["records_injected"])
    assert "style continuity" in (row["notes"] or "")


def test_rows_60_and_62_a_verdict_moves_later_rankings_within_a_limit_and_back(ask):
    def score() -> tuple[str, float]:
        hit = ask("recall", "Who repairs kilns?", "--limit", 3).json["hits"][-1]
        return hit["id"], hit["score"]

    id, before = score()
    assert ask("feedback", id, "useful", "--rating", 5).status == 0
    after = {h["id"]: h["score"] for h in ask("recall", "Who repairs kilns?").json["hits"]}[id]
    assert before < after <= before + 1
    assert ask("feedback", id, "--undo").status == 0
    assert score() == (id, before)
    assert ask("feedback", id, "useful", "--rating", 6).status == 2


def test_row_104_the_working_set_is_off_and_lifts_what_is_like_the_session(ask):
    question, current = "Which one was it?", ("--current-session", "s4")
    off = ask("recall", question, *current)
    assert "working set" not in " ".join(off.json["notes"])
    on = ask("recall", question, *current, RECALL_WORKING_SET="0.3")
    assert "the working set of session s4 counts: 10 memories" in " ".join(on.json["notes"])


def test_row_105_lateral_thinking_stands_beside_an_answer_that_stays_as_it_was(ask):
    then = (FIRST + timedelta(days=5)).isoformat()  # later all of it has faded
    question = ("recall", "Which glaze crawled?", "--limit", 3, "--as-of", then)
    plain = ask(*question).json
    assert "lateral" not in plain
    for _ in range(8):
        with_it = ask(*question, RECALL_LATERAL="1").json
        assert [(h["id"], h["score"]) for h in with_it["hits"]] == [
            (h["id"], h["score"]) for h in plain["hits"]
        ]
        if with_it.get("lateral"):
            break
    (found,) = with_it["lateral"]
    assert found["id"] not in {hit["id"] for hit in plain["hits"]}


def test_row_106_ideas_are_nothing_until_somebody_approves_them(ask):
    def related() -> int:
        return int(ask("query", "MATCH ()-[r:RELATED]->() RETURN count(r) AS n").json["rows"][0][0])

    ask("enrich")
    before, listed = related(), ask("ideas").json
    assert listed == []
    ask("ideas", "propose", DAYDREAM_INSIGHT_MIN="0.1", DAYDREAM_MEMORIES_MIN="1")
    ideas = ask("ideas").json
    assert ideas
    assert related() == before
    assert ask("ideas", "approve", ideas[0]["idea"]).status == 0
    assert related() == before + 1


def test_row_107_the_core_summary_stays_until_ten_more_memories_are_there(ask):
    def summary() -> str:
        return str(ask("reconstitute", "--mode", "core_summary").json["text"])

    before = summary()
    assert ask("remember", "The tenmoku is used up.", "--person", "Ines").status == 0
    assert summary() == before
    pack = ask("reconstitute", "--mode", "core_summary").json
    assert 0 < len(pack["citations"]) <= 20
    for number in range(10):
        ask("remember", f"Order {number}: a crate of rutile from Limoges.", "--person", "Ines")
    assert summary() != before
