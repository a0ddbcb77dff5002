"""Captured for good: one outcome for each event, nothing secret anywhere, skeletons that are small.

These tests look at the whole journal that capture and enrichment leave behind.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.codec import encode_text
from meridia.core.errors import Conflict, InvalidInput, MeridiaError
from meridia.core.events import parse_event
from meridia.core.types import EntryKind, Outcome
from meridia.core.vocabulary import Relationship
from meridia.ingest.capture.commit import CaptureRules
from meridia.ingest.capture.service import CaptureService
from meridia.ingest.curation import CurationService
from meridia.ingest.importers.import_record import ImportRecord
from tests.drafts import recorded
from tests.fakes import FakeEmbedder
from tests.ingest.ingest_events import EVENTS, agent, boundary, result, user
from tests.ingest.ingest_world import HOME, WEEK, World, a_world, dump, outcomes
from tests.planted_secrets import LETTERS

CALLS = ["get_user_details", "search_direct_flight", "get_reservation_details", "think"]


def booking(number: int, draw: random.Random) -> list[dict[str, Any]]:
    """Return a session of a customer who books a flight: talk, looks, one change."""
    session = {"session": {"key": f"airline-{number}"}}
    events = [user("Hi, I want to change my flight.", None, **session)]
    for _ in range(draw.randrange(6, 14)):
        args = {
            "user_id": f"user_{draw.randrange(10**6)}",
            "date": "2024-05-1" + draw.choice("567"),
        }
        rows = [
            {"flight_number": f"HAT{draw.randrange(999)}", "price": draw.randrange(90, 700)}
            for _ in range(draw.randrange(1, 9))
        ]
        failed = draw.random() < 0.15
        output = "Error: user not found" if failed else json.dumps(rows)
        events.append(result(draw.choice(CALLS), args, output, None, failed, **session))
        if draw.random() < 0.4:
            events.append(agent("I found these flights; which one is it?", None, **session))
            events.append(user(f"Number {draw.randrange(99)}, please.", None, **session))
    events.append(result("book_reservation", {"n": number}, "done", None, **session))
    events.append({**boundary(), **session})
    return [{**event, "id": f"b{number}-{place}"} for place, event in enumerate(events)]


def counted(world: World) -> dict[str, int]:
    """Return what the status says became of every event."""
    counts = world.file.space(HOME).tally()
    return {outcome: number for outcome, number in counts.outcomes.items() if number}


def detail(world: World, id: str) -> dict[str, Any]:
    """Return what the trace says of the first decision about an event."""
    return next(dict(line.detail) for line in world.file.trace.read(HOME) if line.subject == id)


# One outcome for each event (D33)

DELIVERIES = st.lists(
    st.one_of(
        EVENTS,
        st.sampled_from(
            [
                user("x" * 3000),
                user("The same words as before.", id="same"),
                user("Other words than before.", id="same"),
                user("The mast is up and the sails are new.", person="Dana"),
            ]
        ),
    ),
    max_size=15,
)


@given(DELIVERIES)
def test_d33_every_event_has_exactly_one_outcome_and_they_sum_up(events):
    with a_world(rules=CaptureRules(event_bytes_max=2500)) as world:
        world.take(user("Some first words"))
        answers = world.capture.capture_events(HOME, [parse_event(event) for event in events])
        assert len(answers) == len(events)
        expected: dict[str, int] = {"captured": 1}
        for outcome in outcomes(answers):
            expected[outcome.value] = expected.get(outcome.value, 0) + 1
        assert counted(world) == expected
        acknowledged = [a for a in answers if not isinstance(a, MeridiaError)]
        for answer in acknowledged:
            if answer.outcome is not Outcome.REDELIVERED:
                row = "SELECT outcome FROM experience WHERE id = ?"
                assert world.rows(row, answer.id) == [(answer.outcome.value,)]


def test_d33_records_that_cannot_be_read_are_counted_too(world):
    records = [
        ImportRecord("line 1", None, "is no JSON"),
        ImportRecord("line 2", parse_event(user("Some words", id="a")), None),
        ImportRecord("line 3", parse_event(user("Some words", id="a")), None),
        ImportRecord("line 4", parse_event(user("Other words", id="a")), None),
    ]
    summary = world.capture.stream(records, lambda _: HOME)
    assert summary.outcomes[HOME] == {"refused": 2, "captured": 1, "redelivered": 1}
    assert counted(world) == {"refused": 2, "captured": 1, "redelivered": 1}


# Duplicates (row 100)


def test_row_100_the_same_words_of_the_same_speaker_are_a_duplicate_under_their_own_id(world):
    first, again, other = world.live(
        user("The mast is up and the sails are new.", 0, id="a", person="Dana"),
        user("The mast is up and the sails are new.", 9, id="b", person="dana"),
        user("The mast is up and the sails are new.", 9, id="c", person="Ravi"),
    )
    assert outcomes([first, again, other]) == ["captured", "duplicate", "captured"]
    assert world.file.catalog.find(HOME, "b").text == "The mast is up and the sails are new."
    reinforced = world.payloads_of(EntryKind.MEMORY_REINFORCED)
    exact = [payload for payload in reinforced if payload["reason"] == "exact"]
    assert exact == [
        {"experience": again.id, "canonical": first.id, "reason": "exact", "similarity": 1.0}
    ]


def test_row_100_short_texts_are_never_duplicates(world):
    answers = world.live(*[agent("ok, thanks!", place) for place in range(3)])
    assert {answer.outcome for answer in answers} == {Outcome.TEXT_ONLY}
    assert world.payloads_of(EntryKind.MEMORY_REINFORCED) == []


def test_a_repeated_result_is_kept_as_a_skeleton_that_names_the_first(world):
    booked = result("book_flight", {"id": "F1"}, "booked: deploy to production", 0)
    first, again = world.take({**booked, "id": "a"}, {**booked, "id": "b"})
    assert outcomes([first, again]) == ["captured", "duplicate"]
    payload = world.payload(again.id)
    assert payload["duplicate_of"] == first.id
    assert payload["event"]["tool"] == {"name": "book_flight", "isError": False}
    assert payload["decision"]["status"] == "skeleton"


# Decisions and their traces


def test_row_6_the_trace_has_the_arithmetic_of_every_decision_and_no_content(world):
    (answer,) = world.take(
        result("bash", {"cmd": "make the keel"}, "error: no oak left", 0, failed=True)
    )
    trace_detail = detail(world, answer.id)
    total = sum(contribution for _, _, _, contribution, _ in trace_detail["factors"])
    assert total == pytest.approx(trace_detail["significance"], abs=1e-6)
    assert trace_detail["significance"] >= 0.55
    assert (trace_detail["mode"], trace_detail["outcome"], trace_detail["should_capture"]) == (
        "full",
        "captured",
        True,
    )
    assert "oak" not in json.dumps(trace_detail)


def test_row_6_capture_skip_gate_denial_and_error_are_traced():
    important = {"metadata": {"important": True}, "session": {"key": "s1"}}
    with a_world(rules=CaptureRules(event_bytes_max=2500)) as world:
        world.take(
            result("bash", {"n": 1}, "a", 0, **important),
            result("bash", {"n": 2}, "b", 60, **important),
            result("read", {"n": 3}, "c", 61, session={"key": "s1"}),
        )
        with pytest.raises(InvalidInput):
            world.take(user("x", artifacts=[{"uri": f"{n:0600}.md"} for n in range(5)]))
        lines = list(world.file.trace.read(HOME))
    words = [line.decision for line in lines if line.kind == "event"]
    assert words == ["capture", "gate_deny", "skip", "error"]
    assert lines[1].detail["limited"]["reason"] == "min_interval"
    assert lines[3].detail == {"error": "InvalidInput", "outcome": "refused"}


def test_what_was_sent_again_is_traced_as_nothing_else(world):
    (first,) = world.take(user("The mast is up and the sails are new.", id="a"))
    world.take(user("The mast is up and the sails are new.", id="a"))
    lines = list(world.file.trace.read(HOME))
    assert [line.decision for line in lines] == ["capture", "redelivered"]
    assert lines[1].subject == first.id
    assert lines[1].detail == {"outcome": "redelivered"}, "it is no double of itself"


def test_row_50_a_first_meeting_is_captured_although_its_score_is_low(world):
    first, second = world.take(
        user("hm", 0, person="Dana", session={"key": "s1"}),
        user("hm", 5, person="Dana", session={"key": "s1"}),
    )
    assert outcomes([first, second]) == ["captured", "text_only"]
    trace_detail = detail(world, first.id)
    assert trace_detail["significance"] < trace_detail["threshold"]
    assert trace_detail["reason"] == "first meeting with this person"


def test_row_49_a_collaborator_lowers_the_bar_by_a_tenth_and_the_primary_by_more(world):
    world.take(user("Good morning", 0, person="Dana", session={"key": "s1"}))

    def threshold() -> float:
        (answer,) = world.take(result("bash", {}, "done", None, session={"key": "s1"}))
        return float(detail(world, answer.id)["threshold"])

    curation, ordinary = CurationService(world.file, HOME), threshold()
    assert ordinary == 0.5
    curation.set_relationship("Dana", Relationship.COLLABORATOR)
    assert ordinary - threshold() == pytest.approx(0.10)
    curation.set_relationship("dana", Relationship.PRIMARY)
    assert ordinary - threshold() == pytest.approx(0.15)
    curation.set_relationship("dana", Relationship.USER)
    assert threshold() == ordinary
    curation.set_relationship("dana", Relationship.PRIMARY, 0.25)
    assert threshold() == 0.25


# Skeletons (row 41)


def test_row_41_and_d28_skeletons_keep_at_most_256_bytes_on_average():
    draw = random.Random(11)
    with a_world(rules=WEEK) as world:
        for number in range(12):
            world.take(*booking(number, draw))
        entries = world.entries(EntryKind.EXPERIENCE_CAPTURED)
        skeletons = [entry for entry in entries if "event" not in recorded(entry)]
        sizes = [len(encode_text(entry.payload).encode()) for entry in skeletons]
        assert len(skeletons) > 30
        assert sum(sizes) / len(sizes) <= 256
        counts = world.file.space(HOME).tally()
        assert (counts.outlines, counts.held) == (len(skeletons), len(skeletons))
        assert counts.outline_bytes == pytest.approx(sum(sizes) / len(sizes))


# Nothing secret anywhere


def hidden_everywhere(number: int, secret: str) -> list[dict[str, Any]]:
    """Return events that hold one secret wherever a caller can put it."""
    deep = json.dumps({"a": [json.dumps({"note": secret})]})
    return [
        user(f"words {number} {secret}", number, id=f"i-{secret}", person=f"Dana {secret}"),
        user("hi there", number, session={"key": f"s-{secret}", "user": f"Ravi {secret}"}),
        result("bash", {"cmd": f"curl {secret}"}, {"out": [deep]}, number, meta=f"x {secret}"),
        result("bash", {secret: 1}, f"failed with {secret}", number, failed=True),
        user(f"Remember that I live in {secret}.", number, person="Dana", session={"key": "s1"}),
        user("Look", number, artifacts=[{"uri": f"https://x.example/{secret}"}]),
        user("Tagged", number, metadata={"topic": f"the {secret} topic", "trigger": secret}),
        agent(f"Where is {secret}?", number, channel={"id": secret}, more={"x": {"y": secret}}),
    ]


@pytest.mark.parametrize("prefix", ["ghp_", "sk_live_", "glpat-"])
def test_a_planted_secret_is_in_no_table_no_trace_no_error_and_not_in_the_files_bytes(
    tmp_path: Path, prefix: str
):
    draw = random.Random(3)
    length = {"ghp_": 36, "sk_live_": 24, "glpat-": 20}[prefix]
    secrets = [prefix + "a1" + "".join(draw.choices(LETTERS, k=length - 2)) for _ in range(3)]
    errors: list[str] = []
    with a_world(tmp_path / "journal.db", embedder=FakeEmbedder()) as world:
        small = CaptureService(world.file, CaptureRules(event_bytes_max=1024))
        for number, secret in enumerate(secrets):
            events = hidden_everywhere(number, secret)
            world.take(*events)
            for wrong, capture in (
                ({**events[0], "payload": {"text": "other words"}}, world.capture),
                (user("x", id=secret, artifacts=[{"uri": f"{n}.md"} for n in range(99)]), small),
            ):
                with pytest.raises((Conflict, InvalidInput)) as refused:
                    capture.capture_event(HOME, parse_event(wrong))
                errors.append(str(refused.value))
        world.later(days=1)
        world.catch_up()
        tables, asked = dump(world), " ".join(world.embedder.asked)
    stored_bytes = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for secret in secrets:
        for fragment in (secret, secret[len(prefix) :], secret[-12:]):
            assert fragment not in tables
            assert fragment not in asked
            assert fragment not in " ".join(errors)
            assert fragment.encode() not in stored_bytes


def test_no_space_is_made_whose_name_holds_a_secret(tmp_path) -> None:
    token = f"ghp_{'a1B2c3D4e5F6' * 3}"
    with pytest.raises(InvalidInput, match="choose another name") as refused:
        Memory.open(tmp_path / "a.db", space=f"of {token}")
    assert token not in str(refused.value)
    with Memory.open(tmp_path / "a.db") as memory:
        records = [ImportRecord("1", parse_event(user("Hi.")), None)]
        with pytest.raises(InvalidInput, match="choose another name"):
            memory.import_records(records, token)
    assert all(token.encode() not in file.read_bytes() for file in tmp_path.glob("a.db*"))
