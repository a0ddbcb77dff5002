"""Recall at the edges: an answer or a clear message, through the command and in a program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from meridia import Memory
from meridia.core.settings import Settings
from tests.fakes import WAITING

SCRIPTS = {
    "chinese": ("我昨天在湖边看见一只白鹭。", "白鹭"),
    "arabic": ("رأيت مالك الحزين عند البحيرة أمس.", "البحيرة"),
    "devanagari": ("मैंने कल झील के पास एक बगुला देखा।", "झील"),
    "emoji": ("🎉🎂 for Mira 🐶", "🎂"),
}
QUESTIONS = {
    "empty": "",
    "blank": " \t\n ",
    "stop words": "what is it that they were to be",
    "punctuation": "?!… ()\"'* - : ^ NEAR AND OR NOT",
    "unknown person": "What did Zebulon say about the heron?",
    "long": "heron " * 17_000,
    "null": "a heron\x00 by the pond",
} | {name: asked for name, (_, asked) in SCRIPTS.items()}


@pytest.fixture(scope="module")
def pond(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory(tmp_path_factory.mktemp("pond") / "pond.db", "default", WAITING) as memory:
        memory.remember("A heron came to the pond.", person="Dana", session="a")
        for name, (text, _) in SCRIPTS.items():
            memory.remember(text, person="Mira", session=name, id=name)
        memory.enrich()
        yield memory


@pytest.mark.parametrize("name", QUESTIONS)
def test_any_text_is_a_question_and_can_be_asked_again(pond: Memory, name: str):
    recall = pond.recall(QUESTIONS[name])
    assert recall.hits or recall.notes
    assert json.loads(json.dumps([hit.score for hit in recall.hits])) == [
        hit.score for hit in recall.hits
    ]
    assert pond.reasons.replay(recall.id).differences == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_word_of_any_script_finds_what_has_it(pond: Memory, name: str):
    assert pond.recall(SCRIPTS[name][1]).hits[0].event_id == name


def test_an_empty_question_says_that_there_is_nothing_to_look_for(pond: Memory):
    assert "the question is empty: there is nothing to look for" in pond.recall("").notes


@pytest.mark.parametrize("limit", [1, 1000])
def test_as_many_as_there_are_come_back(pond: Memory, limit: int):
    assert len(pond.recall("heron pond", limit=limit).hits) <= min(limit, 5)


def test_one_memory_is_found():
    with Memory(None, "one", WAITING) as memory:
        memory.remember("A heron came to the pond.", person="Dana")
        recall = memory.recall("heron")
        assert [hit.rank for hit in recall.hits] == [1]
        assert memory.reasons.replay(recall.id).identical


def test_a_space_without_memories_says_so():
    with Memory(None, "none", Settings()) as memory:
        recall = memory.recall("heron")
    assert (recall.hits, recall.notes) == ([], ["there are no memories in this space yet"])


def test_an_unknown_person_has_said_nothing(pond: Memory):
    recall = pond.recall("heron", person="Zebulon")
    assert recall.hits == []


def test_as_of_before_the_first_memory_says_when_the_first_one_is(pond: Memory):
    for bounds in ({"as_of": datetime(1999, 1, 1, tzinfo=UTC)}, {"known_at": 0}, {"as_of": 0}):
        recall = pond.recall("heron", **bounds)
        assert recall.hits == []
        assert any("nothing had happened or was known by then" in n for n in recall.notes)


def test_both_clocks_bound_an_answer_together(tmp_path: Path):
    with Memory(tmp_path / "a.db", "default", WAITING) as memory:
        memory.remember("A heron in spring", at=datetime(2026, 3, 1, tzinfo=UTC), id="spring")
        memory.remember("A heron in autumn", at=datetime(2025, 10, 1, tzinfo=UTC), id="autumn")
        late = memory.remember("A heron long ago", at=datetime(2020, 1, 1, tzinfo=UTC), id="late")
        then = {"as_of": datetime(2026, 1, 1, tzinfo=UTC), "known_at": late.seq - 1}
        recall = memory.recall("heron", **then)
        assert {hit.event_id for hit in recall.hits} == {"autumn"}
        assert any("the rarity of words is today's" in note for note in recall.notes)
        written = memory.parts.journal.read(memory.space)[1].recorded_at
        by_time = memory.recall("heron", known_at=written)
        assert {hit.event_id for hit in by_time.hits} == {"spring", "autumn"}
        assert memory.reasons.replay(by_time.id).identical
        assert memory.recall("heron", known_at=datetime.now(UTC)).notes == []


def test_the_command_answers_or_says_why_not(meridia, db):
    event = json.dumps({"id": "h", "kind": "user_message", "payload": {"text": "A heron came."}})
    missing = meridia("recall", "heron", "--db", db)
    assert missing.status == 3
    assert "there is no journal" in missing.err
    assert meridia("capture", "--db", db, stdin=event).status == 0
    for name in ("empty", "punctuation", "long", "emoji"):
        done = meridia("recall", QUESTIONS[name], "--db", db, "--json")
        assert done.status == 0, done.err
        assert done.json["hits"] or done.json["notes"]
    early = meridia("recall", "heron", "--db", db, "--known-at", "1999-01-01")
    assert early.status == 0
    assert "nothing had happened or was known by then" in early.err
    for limit in ("1", "1000"):
        assert meridia("recall", "heron", "--db", db, "--limit", limit, "--json").json["hits"]
    assert meridia("recall", "heron", "--db", db, "--limit", "1001").status == 2
    unknown = meridia("recall", "heron", "--db", db, "--space", "nowhere")
    assert (unknown.status, "does not exist" in unknown.err) == (3, True)
