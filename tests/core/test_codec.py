"""The codec: what the journal has is read and written again, byte for byte."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import (
    check_same_content,
    decode,
    decode_entry,
    decode_text,
    encode,
    encode_text,
    pack,
    stored_event,
    unpack,
)
from meridia.core.entries import (
    DecisionRecord,
    EntitiesUnmerged,
    EpisodeSynthesised,
    ExperienceCaptured,
    ExperienceEnriched,
)
from meridia.core.errors import Conflict, Damaged, InvalidInput
from meridia.core.experience import Phenomenology
from meridia.core.types import EntryKind, Space
from meridia.core.vocabulary import Engagement
from tests.fakes import private_journal
from tests.histories import every_kind

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abé"), inner, max_size=3),
    max_leaves=8,
)
HOME = Space("home")
GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.sqlite.gz"))
BODIES = "SELECT kind, {} FROM entry JOIN payload USING (seq)"


def bodies_read_and_written(rows):
    """Check every body; return the kinds that there were."""
    for kind, body in rows:
        assert encode_text(decode_entry(EntryKind(kind), body)) == body
    return {kind for kind, _ in rows}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_old_journals_are_written_again_byte_for_byte(path, tmp_path):
    file = tmp_path / "golden.db"
    file.write_bytes(gzip.decompress(path.read_bytes()))
    connection = sqlite3.connect(file)
    rows = connection.execute(BODIES.format("body")).fetchall()
    connection.close()
    assert bodies_read_and_written([(kind, unpack(body)) for kind, body in rows])


def test_every_kind_of_entry_is_written_again_byte_for_byte():
    with private_journal() as file:
        every_kind(file.journal, HOME)
        rows = file.database.connection.execute(BODIES.format("unpack(body)")).fetchall()
    missing = {*EntryKind} - bodies_read_and_written(rows)
    assert not missing, f"{missing}: add it to _OF_KIND in tests/histories.py"


@pytest.mark.parametrize("number", ["1", "1.0", "0.25", "0"])
def test_a_number_stays_as_it_was_written(number):
    body = f'{{"decision":{{"significance":{number},"status":"evaluated"}}}}'
    assert encode_text(decode_text(ExperienceCaptured, body)) == body


@given(ANYTHING)
def test_an_event_keeps_fields_that_nobody_knows(anything):
    event = {"kind": "user_message", "payload": {"text": "x"}, "more": anything}
    captured = ExperienceCaptured(event)
    assert stored_event(encode_text(captured)) == event
    assert decode(ExperienceCaptured, encode(captured)) == captured


def test_an_event_may_nest_deeply():
    event = {"kind": "note", "payload": {}}
    for _ in range(400):
        event = {"kind": "note", "payload": event}
    captured = ExperienceCaptured(event)
    assert decode_text(ExperienceCaptured, encode_text(captured)) == captured


def test_without_aliases_keys_are_the_names_of_the_fields():
    felt = Phenomenology(engagement=Engagement.ENGAGED)
    assert encode(felt) == {"engagementQuality": "engaged"}
    assert encode(felt, by_alias=False) == {"engagement": "engaged"}


@pytest.mark.parametrize(
    ("type", "value", "complaint"),
    [
        (ExperienceCaptured, {"event": 3}, "ExperienceCaptured.event: "),
        (DecisionRecord, {"significance": True, "status": "noise"}, "significance"),
        (DecisionRecord, {"significance": 1, "status": "lost"}, "status: Input should be 'skel"),
        (ExperienceEnriched, {}, "ExperienceEnriched.experience: Field required"),
        (EpisodeSynthesised, {"episode": "e"}, "EpisodeSynthesised.from: Field required"),
    ],
)
def test_a_wrong_field_is_named(type, value, complaint):
    with pytest.raises(InvalidInput, match=complaint):
        decode(type, value)


@pytest.mark.parametrize("text", ["{", 7, b"\xff", None])  # a flipped byte changes a text's type
def test_text_that_is_no_json_is_refused(text):
    with pytest.raises(Damaged, match="not JSON"):
        decode_text(ExperienceCaptured, text)


@given(st.text())
def test_a_text_comes_back_as_it_was_and_is_never_longer(text: str):
    packed = pack(text)
    assert unpack(packed) == text
    assert isinstance(packed, str) or len(packed) < len(text.encode())


def test_what_repeats_and_again_takes_little_room():
    factor = ["temporal", 0.5, 0.1, 0.05, "no time is given"]
    text = json.dumps({"significance": 0.4, "factors": [factor] * 5}, separators=(",", ":"))
    assert len(pack(text)) < len(text) / 4


def test_nothing_is_nothing_and_other_bytes_are_refused():
    assert unpack(None) is None
    with pytest.raises(ValueError, match="cannot be read"):
        unpack(b"no deflate")


def test_what_was_packed_by_an_earlier_version_is_read_for_ever():
    packed = bytes.fromhex("c399c66b910b935a00")
    assert unpack(packed) == '{"by":"rule","concepts":{},"people":[]}'


SAID = {"id": "e", "kind": "user_message", "payload": {"text": "A heron."}}


def test_what_was_decided_about_an_event_is_no_part_of_its_content():
    stored, again = ExperienceCaptured(SAID), ExperienceCaptured(SAID, duplicate_of="another")
    check_same_content("e", stored, again, "home")
    with pytest.raises(Conflict, match="event id 'e' is already taken in space 'home'"):
        check_same_content("e", stored, ExperienceCaptured({**SAID, "person": "Dana"}), "home")


def test_an_event_that_was_stored_with_the_codes_of_a_terminal_is_the_same_without():
    stored, again = (
        ExperienceCaptured({**SAID, "payload": {"text": text}})
        for text in ("\x1b[31mFAILED\x1b[0m", "FAILED")
    )
    check_same_content("e", stored, again, "home")


def test_any_other_entry_is_compared_whole():
    check_same_content("k", EntitiesUnmerged("a", by="user"), EntitiesUnmerged("a", by="user"), "s")
    with pytest.raises(Conflict, match="id 'k' is already taken"):
        check_same_content(
            "k", EntitiesUnmerged("a", by="user"), EntitiesUnmerged("b", by="user"), "s"
        )
