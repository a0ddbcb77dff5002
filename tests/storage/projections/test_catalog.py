"""The list of experiences: found by either id, filtered, paged, and never another space's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.errors import InvalidInput, NotFound
from meridia.core.events import parse_event
from meridia.core.ids import content_hash, owner_id, person_id, session_id
from meridia.core.types import Artifact, EntryKind, Filters, Seq, Space
from meridia.ingest.capture.service import CaptureService
from meridia.ingest.redaction.sanitise import sanitise
from meridia.storage.projections.catalog import find_memory, is_address, last_hit
from meridia.storage.projections.text_traits import Trait
from meridia.storage.store import Store
from tests import histories
from tests.drafts import a_draft
from tests.fakes import numbered, private_journal
from tests.graph.journal_drafts import AWAY, HOME, person_draft
from tests.histories import HistoryEvent

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def capture(file: Store, text: str = "hello", space: Space = HOME, **fields: Any) -> Seq:
    event = parse_event({"kind": "user_message", "payload": {"text": text}} | fields)
    return CaptureService(file).capture_event(space, event).seq


@pytest.fixture
def file(private_file) -> Store:
    return private_file


def matching(file: Store, **filters: Any) -> list[int]:
    """Return what filters leave, after checking that all three readers agree on it."""
    chosen = Filters(**filters)
    seqs = file.catalog.matching(HOME, chosen)
    assert [m.seq for m in file.catalog.page(HOME, chosen, 0, 100).memories] == seqs
    assert sorted(m.seq for m in file.catalog.newest(HOME, chosen, 100)) == seqs
    return seqs


# One experience


def test_a_memory_is_what_was_captured(file):
    capture(
        file,
        "Look at this",
        id="m-1",
        ts="2026-03-01T13:00:00+01:00",
        person="Dana",
        session={"key": "s-9"},
        artifacts=[
            {"uri": "file:a.png", "kind": "image", "description": "a barn", "sha256": "c0"},
            {"uri": "https://b"},
        ],
        metadata={"mood": ["calm"]},
    )
    memory = file.catalog.find(HOME, "m-1")
    assert (memory.event_id, memory.kind, memory.text) == ("m-1", "user_message", "Look at this")
    assert (memory.at, memory.person, memory.session) == (NOON, "Dana", "s-9")
    assert memory.artifacts == (
        Artifact("image", "file:a.png", "a barn", "c0"),
        Artifact("file", "https://b"),
    )
    assert memory.metadata == {"mood": ["calm"]}


def test_a_memory_is_found_by_either_id(file):
    capture(file, "one", id="m-1")
    memory = file.catalog.find(HOME, "m-1")
    assert file.catalog.find(HOME, memory.id) == memory
    assert file.catalog.fetch(HOME, [memory.seq, 99]) == {memory.seq: memory}


def test_an_id_of_something_else_or_of_another_space_is_not_found(file):
    capture(file, id="m-1")
    capture(file, "away", AWAY, id="m-2")
    (derived,) = file.journal.append(HOME, [person_draft("Dana")])
    away = file.catalog.find(AWAY, "m-2")
    for id in ("m-2", away.id, derived.id, "person-Dana", "nobody", "", "%", "m-1\0"):
        with pytest.raises(NotFound, match="no memory"):
            file.catalog.find(HOME, id)
    assert file.catalog.fetch(HOME, [away.seq]) == {}
    assert file.catalog.space_of(away.id) == AWAY
    assert file.catalog.space_of("nobody") is None


def test_an_id_that_is_no_text_is_not_found(file):
    capture(file)
    with pytest.raises((NotFound, InvalidInput)):
        file.catalog.find(HOME, "\udcff")


def test_a_space_that_does_not_exist_is_not_found(file):
    for ask in (
        lambda: file.catalog.find(HOME, "m-1"),
        lambda: file.catalog.page(HOME, Filters(), 0, 1),
        lambda: file.catalog.kinds(HOME),
    ):
        with pytest.raises(NotFound, match="'home' does not exist"):
            ask()


# Filters


def test_each_filter_leaves_what_it_names(file):
    capture_event = capture(file, person="Dana", session={"key": "a"}, ts="2026-03-01T11:00:00Z")
    two = capture(file, person="Bob", session={"key": "a"}, ts="2026-03-01T12:00:00Z")
    three = capture(file, kind="manual_ingest", ts="2026-03-01T13:00:00Z", metadata={"x": 1})
    assert matching(file) == [capture_event, two, three]
    assert matching(file, person=" DANA ") == [capture_event]
    assert matching(file, person="nobody") == []
    assert matching(file, session="a") == [capture_event, two]
    assert matching(file, session="A") == []
    assert matching(file, kind="manual_ingest") == [three]
    assert matching(file, seq_max=two) == [capture_event, two]
    assert matching(file, where={"x": 1}) == [three]
    assert matching(file, person="bob", session="a", until=NOON) == []


def test_times_are_half_open_and_exact_to_the_microsecond(file):
    seqs = [capture(file, ts=(NOON + timedelta(microseconds=i)).isoformat()) for i in range(-1, 2)]
    assert matching(file, since=NOON) == seqs[1:]
    assert matching(file, until=NOON) == seqs[:1]
    assert matching(file, since=NOON, until=NOON + timedelta(microseconds=1)) == [seqs[1]]
    elsewhere = NOON.astimezone(tz=datetime.fromisoformat("2026-01-01T00:00:00+09:00").tzinfo)
    assert matching(file, since=elsewhere) == seqs[1:]


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_characters="\0\x1b", exclude_categories=["Cs"])),
)
_JOINS = {"AND", "OR", "NOT", "NOR"}
labels = st.text(st.characters(exclude_characters='\0\x1b"', exclude_categories=["Cs"]))


@given(st.dictionaries(labels, plain, min_size=1, max_size=3))
def test_an_experience_is_found_by_its_own_metadata(metadata):
    # What is called like a secret is not kept, so nothing is found by it.
    assume(not any(name.startswith("$") or name.upper() in _JOINS for name in metadata))
    assume(sanitise({"metadata": metadata}).fields == {"metadata": metadata})
    with private_journal() as file:
        capture(file, metadata={"other": "x"} | metadata)
        assert file.catalog.matching(HOME, Filters(where=metadata)) == [1]


def test_a_quote_in_the_name_of_metadata_is_just_a_character(file):
    seq = capture(file, metadata={'the "mood"': 1})
    assert matching(file, where={'the "mood"': 1}) == [seq]


def test_metadata_may_be_nested_in_any_order_of_fields(file):
    seq = capture(file, metadata={"place": {"b": 1, "a": [2]}})
    assert matching(file, where={"place": {"eq": {"b": 1, "a": [2]}}}) == [seq]


@pytest.mark.parametrize(
    ("kept", "asked"),
    [("1", 1), (1, "1"), ("x", "X"), ([2], 1), ({"a": 1}, 1), ("", None), (0, None), ("a b", "a")],
)
def test_metadata_of_another_value_or_type_is_another(file, kept, asked):
    capture(file, metadata={"x": kept})
    assert matching(file, where={"x": asked}) == []


@pytest.mark.parametrize(
    ("kept", "asked"), [({"x": True}, {"x": 1}), ({"x": 1}, {"x": True}), ({"y": 1}, {"x": None})]
)
def test_true_is_not_one_and_absent_is_not_null(file, kept, asked):
    capture(file, metadata=kept)
    assert matching(file, where=asked) == []


# Pages and order


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6])
def test_pages_show_everything_once_and_say_when_there_is_no_more(file, limit):
    seqs = [capture(file, str(i), metadata={"even": i % 2 == 0}) for i in range(5)]
    found, after = [], 0
    for _ in range(6):
        page = file.catalog.page(HOME, Filters(), after, limit)
        found += [memory.seq for memory in page.memories]
        if page.next_after is None:
            break
        assert len(page.memories) == limit
        after = page.next_after
    assert found == seqs


def test_a_page_of_nothing_says_that_there_is_more(file):
    capture(file)
    assert file.catalog.page(HOME, Filters(), 0, 0).memories == []


def test_the_newest_are_those_that_happened_last(file):
    for hour, name in ((3, "third"), (1, "first"), (2, "second")):
        capture(file, name, ts=(NOON + hour * HOUR).isoformat())
    texts = [memory.text for memory in file.catalog.newest(HOME, Filters(), 2)]
    assert texts == ["third", "second"]


# Artifacts


def test_the_newest_of_some_sessions_are_of_no_other_and_no_later_than_asked(file):
    for minute, session in enumerate(["a", "b", "a", None, "c"]):
        fields: dict[str, Any] = {} if session is None else {"session": {"key": session}}
        capture(file, f"{session} {minute}", ts=f"2026-03-01T10:0{minute}:00Z", **fields)
    wanted = [session_id(HOME, key) for key in ("a", "c", "nobody")]

    def texts(limit: int = 9, **bounds: Any) -> list[str]:
        found = file.catalog.in_sessions(HOME, wanted, Filters(**bounds), limit)
        return [memory.text for memory in found]

    assert texts() == ["c 4", "a 2", "a 0"]
    assert texts(limit=1) == ["c 4"]
    assert texts(until=datetime(2026, 3, 1, 10, 2, tzinfo=UTC)) == ["a 0"]
    assert texts(seq_max=3) == ["a 2", "a 0"]


def refer(file: Store, minutes: int, *artifacts: dict[str, Any], space: Space = HOME) -> None:
    id = f"e-{minutes}"
    payload = {"experience": id, "concepts": {}, "people": [], "artifacts": list(artifacts)}
    at = NOON + timedelta(minutes=minutes)
    file.journal.append(space, [a_draft(EntryKind.EXPERIENCE_ENRICHED, id, payload, at)])


def test_artifacts_are_told_once_the_latest_first_with_how_many_refer_to_them(file):
    keel, sail = {"uri": "keel.pdf", "kind": "file"}, {"uri": "sail.png", "kind": "image"}
    refer(file, 1, keel)
    refer(file, 2, sail, sail)
    refer(file, 3, keel)
    refer(file, 4)
    refer(file, 5, {"uri": "elsewhere"}, space=AWAY)
    found = file.catalog.artifacts(HOME, 10)
    assert [(capture_event.artifact["uri"], capture_event.memories) for capture_event in found] == [
        ("keel.pdf", 2),
        ("sail.png", 1),
    ]
    assert [capture_event.last for capture_event in found] == [
        NOON + timedelta(minutes=m) for m in (3, 2)
    ]
    assert [capture_event.artifact["uri"] for capture_event in file.catalog.artifacts(HOME, 1)] == [
        "keel.pdf"
    ]


def test_the_same_content_under_two_addresses_is_one_artifact(file):
    refer(file, 1, {"uri": "a.png", "sha256": "aa"})
    refer(file, 2, {"uri": "b.png", "sha256": "aa"}, {"uri": "a.png"})
    assert sorted(capture_event.memories for capture_event in file.catalog.artifacts(HOME, 10)) == [
        1,
        2,
    ]


# Columns


def test_what_recall_keeps_in_memory_is_small_numbers_and_ids(file):
    capture(
        file,
        "Where were you in 2019?",
        person="Dana",
        session={"key": "s"},
        ts="1969-12-31T23:59:59Z",
    )
    capture(file, "", artifacts=[{"uri": "a", "description": "a barn"}], ts="2026-03-01T12:00:00Z")
    first, second = file.catalog.features(HOME, 0, 9)
    asks = Trait.ENDS_AS_QUESTION | Trait.ASKS | Trait.NAMES_A_TIME
    assert first == (1, -1, person_id(HOME, "Dana"), session_id(HOME, "s"), 5, asks)
    caption = Trait.HAS_CAPTION | Trait.UNFIT
    assert second == (2, int(NOON.timestamp()), owner_id(HOME), None, 0, caption)
    assert file.catalog.features(HOME, 1, 9) == [second]
    assert file.catalog.features(HOME, 0, 1) == [first]


@pytest.mark.parametrize("ts", ["0002-01-01T00:00:00Z", "9998-12-31T23:59:59.999999Z"])
def test_the_columns_hold_any_time_that_is_let_in(file, ts):
    capture(file, ts=ts)
    ((_, seconds, *_),) = file.catalog.features(HOME, 0, 9)
    assert abs(seconds - datetime.fromisoformat(ts).timestamp()) <= 1


def test_who_spoke_and_which_sessions_there_were(file):
    for hour, (person, session) in enumerate([("Dana", "a"), ("dana", "b"), ("Bob", "a")]):
        ts = (NOON + hour * HOUR).isoformat()
        capture(file, person=person, session={"key": session}, ts=ts)
    dana, bob = file.catalog.speakers(HOME)
    assert (dana.id, dana.experiences, dana.sessions) == (person_id(HOME, "Dana"), 2, 2)
    assert (dana.first, dana.last, dana.last_seq) == (NOON, NOON + HOUR, 2)
    assert (bob.id, bob.experiences) == (person_id(HOME, "Bob"), 1)
    a, b = file.catalog.sessions(HOME)
    assert (a.id, a.experiences, a.first, a.last) == ("a", 2, NOON, NOON + 2 * HOUR)
    assert (b.id, b.last_seq) == ("b", 2)


def test_experiences_are_counted_by_kind_in_their_own_space(file):
    capture(file)
    capture(file, kind="manual_ingest")
    capture(file, "away", AWAY)
    assert file.catalog.kinds(HOME) == {"manual_ingest": 1, "user_message": 1}


def test_an_erased_memory_is_gone_from_what_is_shown(file):
    capture(file, "secret", id="m-1")
    with file.database.writing() as connection:
        connection.execute("DELETE FROM payload WHERE seq = 1")
    with pytest.raises(NotFound):
        file.catalog.find(HOME, "m-1")
    assert file.catalog.page(HOME, Filters(), 0, 9).memories == []
    assert file.catalog.matching(HOME, Filters()) == []


# What ingest asks


def first(file: Store, text: str, kind: str = "user_message", person: str | None = None):
    who = person_id(HOME, person) if person else None
    who = owner_id(HOME) if person is None and kind == "user_message" else who
    return numbered(file).first_with_text(content_hash(text), kind, who)


def test_the_first_who_said_something_is_found_by_words_kind_and_speaker(file):
    ids = histories.capture(
        file.journal,
        HOME,
        HistoryEvent("hello", "Dana"),
        HistoryEvent("hello", "DANA"),
        HistoryEvent("hello"),
        HistoryEvent("hello", tool="bash"),
        HistoryEvent("Hello", "Dana"),
    )
    assert first(file, "hello", person="dana") == ids[0]
    assert first(file, "hello") == ids[2]
    assert first(file, "bash\nhello", "tool_result") is None
    assert first(file, "hello", "tool_result") == ids[3]
    assert first(file, "Hello", person="Dana") == ids[4]
    assert first(file, "hello", person="Kim") is None
    assert first(file, "hello", "manual_ingest") is None


def test_what_was_said_in_another_space_was_not_said_here(file):
    histories.capture(file.journal, HOME, HistoryEvent("here"))
    histories.capture(file.journal, AWAY, HistoryEvent("there"))
    assert first(file, "there") is None


def test_a_skeleton_said_it_first_until_its_words_are_gone(file):
    skeleton = histories.outline(file.journal, HOME, HistoryEvent("hello"))
    (later,) = histories.capture(file.journal, HOME, HistoryEvent("hello"))
    assert first(file, "hello") == skeleton
    numbered(file).held_events.expire(histories.START + histories.HELD)
    assert first(file, "hello") == later


def test_how_a_run_of_experiences_stands(file):
    ids = histories.capture(
        file.journal, HOME, HistoryEvent("where?"), HistoryEvent("x", tool="bash"), HistoryEvent()
    )
    asks = Trait.ASKS | Trait.ENDS_AS_QUESTION
    assert file.catalog.association_features(HOME, 0, 2) == [
        (1, "user_message", asks),
        (2, "tool_result", 0),
    ]
    assert [row[0] for row in file.catalog.association_features(HOME, 2, 9)] == [3]
    assert file.catalog.ids(HOME, [3, 1]) == [ids[0], ids[2]]


def test_how_the_experiences_of_one_session_stand(file):
    histories.capture(file.journal, HOME, HistoryEvent(session="other"), HistoryEvent(session=None))
    (full,) = histories.capture(file.journal, HOME, HistoryEvent(session="s"))
    skeleton = histories.outline(file.journal, HOME, HistoryEvent(session="s"))
    standing = file.catalog.of_session(HOME, session_id(HOME, "s"))
    assert standing == {full: ("evaluated", None), skeleton: ("skeleton", 0.1)}
    assert file.catalog.of_session(HOME, "nobody") == {}


# What is held


def test_what_is_held_is_seen_by_every_reader(file):
    event = {
        "kind": "user_message",
        "payload": {"text": "whole"},
        "metadata": {"mood": "calm"},
        "artifacts": [{"uri": "a"}],
    }
    outlined = {"hash": "x", "skeleton": {"kind": "user_message", "payload": {}}}
    draft = a_draft(
        EntryKind.EXPERIENCE_CAPTURED,
        "m-1",
        outlined,
        provisional=event,
        provisional_until=histories.START,
    )
    file.journal.append(HOME, [draft])
    memory = file.catalog.find(HOME, "m-1")
    assert (memory.text, memory.metadata) == ("whole", {"mood": "calm"})
    assert memory.artifacts == (Artifact("file", "a"),)
    assert file.catalog.fetch(HOME, [1]) == {1: memory}
    assert file.catalog.newest(HOME, Filters(), 1) == [memory]
    assert matching(file, where={"mood": "calm"}) == [1]
    numbered(file).held_events.expire(histories.START)
    assert (file.catalog.find(HOME, "m-1").text, file.catalog.find(HOME, "m-1").metadata) == (
        "",
        {},
    )
    assert matching(file, where={"mood": "calm"}) == []
    assert matching(file) == [1]


def test_a_time_of_recording_is_the_last_sequence_written_down_by_then(file):
    first, second = capture(file, "one"), capture(file, "two")
    away = capture(file, "three", AWAY)
    at = {entry.seq: entry.recorded_at for entry in file.journal.read(HOME)}
    sequence = file.catalog.sequence
    assert sequence(HOME, at[first]) == first
    assert sequence(HOME, at[second] + HOUR) == second
    assert sequence(HOME, at[first] - timedelta(microseconds=1)) == 0
    assert sequence(AWAY, at[second] + HOUR) == away
    assert (sequence(HOME, 7), sequence(HOME, None)) == (7, None)
    with pytest.raises(InvalidInput, match="timezone"):
        sequence(HOME, datetime(2026, 3, 1))  # noqa: DTZ001


def test_an_own_id_that_looks_like_another_form_comes_first():
    with Memory.open() as memory:
        memory.remember("A first remark.", id="last 1")
        memory.recall("remark")
        assert memory.get("last 1").text == "A first remark."


def test_the_newest_recall_has_as_many_memories_as_it_has():
    with Memory.open() as memory:
        with pytest.raises(NotFound, match="no recall is stored"):
            memory.get("last 1")
        memory.remember("A first remark.")
        memory.recall("remark")
        assert memory.get(" last 1 ").text == "A first remark."
        with pytest.raises(NotFound, match="has 1 memories: there is no number 2"):
            memory.get("last 2")
        with pytest.raises(InvalidInput, match="write `last 1`"):
            memory.get("last")
        assert last_hit(memory.parts.trace, memory.space, 1) == memory.get("@1").uri
        assert find_memory(memory.parts.catalog, memory.parts.trace, memory.space, "@1").seq == 1


def test_what_can_only_be_an_address_is_told_from_an_id():
    assert all(map(is_address, ("@1", "meridia://x", "last", "last 3")))
    assert not any(map(is_address, ("m-1", "last-3", "x@1", "lasting 3")))
