"""One id, many versions: upsert, the current one, and ids that are used after a forgetting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Conflict, InvalidInput, Memory, NotFound


@pytest.fixture
def memory():
    with Memory.open() as memory:
        yield memory


def test_upsert_remembers_then_acknowledges_then_corrects(memory):
    first = memory.upsert("k", "Eats everything.", role="note", metadata={"stars": 1, "old": True})
    same = memory.upsert("k", "Eats everything.")
    second = memory.upsert("k", "Vegetarian.", metadata={"stars": 3})
    assert (first.outcome, same.outcome) == ("captured", "redelivered")
    assert (same.id, same.event_id, second.event_id) == (first.id, "k", "k")
    got = memory.get("k")
    assert (got.text, got.event_id, got.kind, got.id) == (
        "Vegetarian.",
        "k",
        "manual_capture",
        second.id,
    )
    assert got.metadata == memory.recall("vegetarian")[0].metadata == {"stars": 3}
    assert got.corrects == first.id
    assert [m.event_id for m in memory.list().memories] == ["k"]
    assert [hit.event_id for hit in memory.recall("vegetarian").hits] == ["k"]
    assert [v.text for v in memory.history("k")] == ["Eats everything.", "Vegetarian."]


def test_upsert_keeps_what_is_not_given_and_notices_what_is(memory):
    memory.upsert("k", "I sail.", person="Dana", session="s1")
    assert memory.upsert("k", "I sail.", person="Dana").outcome == "redelivered"
    assert memory.upsert("k", "I sail.", person="Kim").outcome != "redelivered"
    assert (memory.get("k").person, memory.get("k").session) == ("Kim", "s1")


def test_what_is_redacted_is_compared_as_it_is_stored(memory):
    secret = "The password is hunter2hunter2, sk-ant-api03-" + "a1B2" * 24
    memory.upsert("k", secret)
    assert memory.upsert("k", secret).outcome == "redelivered"
    assert len(memory.history("k")) == 1


def test_an_address_is_no_id_to_begin_with(memory):
    for address in ("@12", "meridia://x"):
        with pytest.raises(InvalidInput, match="is an address"):
            memory.upsert(address, "text")


def test_remember_with_other_content_stays_a_conflict(memory):
    memory.remember("I sail.", id="k")
    memory.upsert("k", "I row.")
    with pytest.raises(Conflict, match="upsert"):
        memory.remember("I swim.", id="k")
    assert memory.remember("I sail.", id="k").outcome == "redelivered"
    assert memory.get("k").text == "I row."


def test_an_id_leads_to_what_stands_and_an_address_to_one_version(memory):
    first = memory.remember("One is here.", id="k")
    second = memory.update("k", "Two is here.", version_id="k-2")
    third = memory.update("k-2", "Three is here.")
    for id in ("k", "k-2", first.id, second.id, third.id):
        assert memory.get(id).text == "Three is here."
    assert memory.get("k").event_id == "k"
    for version, later in ((first, second.seq), (second, third.seq), (third, None)):
        for address in (f"@{version.seq}", f"meridia://{version.id}"):
            assert memory.get(address).seq == version.seq
            assert memory.get(address).superseded_by == later
        assert [v.seq for v in memory.history(f"@{version.seq}")] == [
            first.seq,
            second.seq,
            third.seq,
        ]


def test_an_id_that_was_forgotten_can_be_used_for_something_new(memory):
    memory.remember("The door code is 4711.", id="k", person="Dana")
    memory.forget(ids=["k"])
    with pytest.raises(NotFound, match="was forgotten"):
        memory.get("k")
    again = memory.remember("The door code is 4711.", id="k", person="Dana")
    assert (again.outcome, again.forgotten) == ("redelivered", True)
    with pytest.raises(NotFound):
        memory.get("k")
    new = memory.remember("The door is blue.", id="k", person="Dana")
    assert (new.outcome, new.event_id, new.forgotten) == ("captured", "k", False)
    assert memory.get("k").text == "The door is blue."
    assert memory.get("k").event_id == memory.list().memories[0].event_id == "k"
    assert memory.remember("The door is blue.", id="k", person="Dana").id == new.id
    assert memory.remember("The door code is 4711.", id="k", person="Dana").forgotten
    with pytest.raises(Conflict):
        memory.remember("The door is red.", id="k", person="Dana")
    assert [event["id"] for event in memory.upkeep.export_events()] == ["k"]
    memory.forget(ids=["k"])
    assert not memory.remember("The door is green.", id="k").forgotten
    assert memory.get("k").text == "The door is green."
    assert memory.upkeep.verify() == []


def test_what_is_known_of_a_forgotten_event_is_no_content(tmp_path: Path):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.remember("Zanzibar", role="note", id="k")
        memory.remember("Zanzibar", role="note", id="other")
        result = memory.forget_space()
        assert memory.upkeep.check_receipt(result.receipt) == []
        (entry,) = memory.parts.journal.of_kind(memory.space, "Forgotten")
        events = entry.payload.events
        assert len(set(events.fingerprints.values())) == 2
        assert all(len(each) == 32 for each in events.fingerprints.values())
    for file in tmp_path.iterdir():
        assert b"Zanzibar" not in file.read_bytes()


def test_an_archive_of_the_journal_knows_what_was_forgotten(tmp_path: Path):
    from meridia import restore

    with Memory.open(tmp_path / "a.db") as memory:
        memory.remember("Vegetarian.", role="note", id="k")
        memory.forget(ids=["k"])
        (tmp_path / "a.jsonl").write_text("\n".join(memory.upkeep.export()) + "\n")
    restore(tmp_path / "a.jsonl", tmp_path / "b.db")
    with Memory.open(tmp_path / "b.db") as memory:
        assert memory.remember("Vegetarian.", role="note", id="k").forgotten
        assert memory.remember("Vegan.", role="note", id="k").outcome == "captured"


@given(
    st.lists(st.sampled_from(["put a", "put b", "remember a", "remember b", "forget"]), max_size=9)
)
def test_whatever_is_done_an_id_says_what_was_said_last_or_nothing(steps):
    with Memory.open() as memory:
        stands: str | None = None
        forgotten: set[str] = set()
        for step in steps:
            verb, _, value = step.partition(" ")
            text = f"the value is {value}"
            if verb == "put":
                memory.upsert("k", text, role="note")
                stands = text
            elif verb == "remember" and stands is None:
                answer = memory.remember(text, role="note", id="k")
                assert answer.forgotten == (text in forgotten)
                stands = None if answer.forgotten else text
            elif verb == "forget" and stands is not None:
                forgotten |= {version.text for version in memory.history("k")[:1]}
                memory.forget(ids=["k"])
                stands = None
            assert [m.text for m in memory.list().memories] == ([stands] if stands else [])
            assert memory.holds("k") == (stands is not None)
        assert memory.upkeep.verify() == []
        json.dumps(list(memory.upkeep.export()))


def test_journals_of_before_list_versions_under_the_id_of_the_first(tmp_path: Path):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.remember("One is here.", id="k")
        memory.update("k", "Two is here.")
        memory.update("k", "Three is here.", version_id="k-3")
        memory.update("k", "Four is here.")
        memory.remember("Another one.", id="other")
        listed = [m.event_id for m in memory.history("k")]
        with memory.parts.database.writing() as connection:
            # As it was written before: each under its own id.
            later = [int(m.seq) for m in memory.history("k")][1::2]
            for seq in later:
                connection.execute("UPDATE experience SET event_id = id WHERE seq = ?", (seq,))
            for table in ("name", "merge", "identity", "change"):
                connection.execute(f"DROP TABLE person_{table}")
            connection.execute("DROP INDEX fact_entry_by_end")
            connection.execute("ALTER TABLE fact_entry DROP COLUMN by_fact")
            connection.execute("ALTER TABLE entity DROP COLUMN first_seq")
            connection.execute("DELETE FROM migration WHERE name >= '0016'")
            connection.execute("PRAGMA user_version = 15")
    with Memory.open(path) as memory:
        assert [m.event_id for m in memory.history("k")] == listed == ["k", "k", "k-3", "k-3"]
        assert memory.get("k").text == "Four is here."
        assert memory.get("other").event_id == "other"


@given(st.lists(st.integers(0, 3), max_size=9))
def test_a_correction_sent_again_is_the_same_one_whatever_came_between(sent):
    with Memory.open(enrich="manual") as memory:
        memory.remember("the boat is red", role="note", id="k", metadata={"said": "first"})
        known: set[int] = set()
        for number in sent:
            said = {"said": number} if number % 2 else None
            answer = memory.update("k", f"{number}", version_id=f"v{number}", metadata=said)
            assert (answer.outcome == "redelivered") == (number in known)
            known.add(number)
        assert len(memory.history("k")) == 1 + len(known)
        with pytest.raises(Conflict, match="memory itself"):
            memory.update("k", "another", version_id="k")
        for number in known:
            with pytest.raises(Conflict, match="other content"):
                memory.update("k", "another", version_id=f"v{number}")
