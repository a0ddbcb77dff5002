"""What leaves is redacted whatever the kind of entry, and what may not leave does not."""

from __future__ import annotations

import pytest

from meridia.core.codec import encode
from meridia.core.experience import Anchor, EmotionalSignature, Phenomenology
from meridia.core.types import Entry, EntryKind, Space
from meridia.core.vocabulary import Emotion, Texture
from meridia.ingest.fanout.sink import embedded_text, is_withheld, outward_entries
from meridia.ingest.redaction.sanitise import DEFAULT
from tests.fakes import private_journal
from tests.histories import an_entry, every_kind

MAIL, PHONE, KEY = "dana@example.org", "+49 170 1234567", "sk-proj-abcdefghijklmnopqrstuvwx1234"
PRIVATE = f"Write to {MAIL} or call {PHONE}, the key is {KEY}."


def event(**more: object) -> dict[str, object]:
    return {"id": "a", "kind": "user_message", "payload": {"text": PRIVATE}, **more}


def leaving(*entries: Entry, withheld: frozenset[str] = frozenset()) -> list[Entry]:
    return outward_entries(entries, lambda ids: withheld & set(ids), DEFAULT, "graph")


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (EntryKind.EXPERIENCE_CAPTURED, {"event": event()}),
        (EntryKind.FACT_ASSERTED, {"fact": "f", "object": MAIL, "text": PRIVATE}),
        (EntryKind.EPISODE_SYNTHESISED, {"summary": PRIVATE, "anchors": [PHONE]}),
        (EntryKind.PERSON_MET, {"name": MAIL}),
        (EntryKind.QUESTIONS_ANTICIPATED, {"questions": [PRIVATE]}),
        (EntryKind.EXPERIENCE_ENRICHED, {"topics": {MAIL: PHONE}, "concepts": {"x": MAIL}}),
    ],
)
def test_every_text_of_an_entry_is_redacted(kind, payload):
    (entry,) = leaving(an_entry(kind, payload, provisional=event()))
    text = str(encode(entry.payload))
    assert not [secret for secret in (MAIL, PHONE, KEY) if secret in text]
    assert "[REDACTED" in text
    assert entry.provisional is None


def test_what_holds_nothing_private_leaves_as_it_is():
    with private_journal() as file:
        every_kind(file.journal, Space("home"))
        entries = file.journal.read(Space("home"), 0, 1_000)
    stay = [e for e in entries if e.payload and e.kind is not EntryKind.FORGOTTEN]
    assert [entry.payload for entry in leaving(*entries)] == [entry.payload for entry in stay]


def test_a_restricted_memory_stays_with_all_that_is_said_about_it():
    secret = event(metadata={"visibility": "private"})
    captured = an_entry(EntryKind.EXPERIENCE_CAPTURED, {"event": secret}, id="x")
    about = [
        an_entry(EntryKind.EXPERIENCE_ENRICHED, {"experience": "x"}),
        an_entry(EntryKind.FACT_ASSERTED, {"fact": "f", "experience": "x"}),
        an_entry(EntryKind.EPISODE_SYNTHESISED, {"sources": ["y", "x"]}),
    ]
    assert is_withheld(captured)
    assert leaving(captured, *about, withheld=frozenset({"x"})) == []
    assert len(leaving(captured, *about)) == 4


def test_what_was_erased_is_withheld():
    erased = an_entry(EntryKind.EXPERIENCE_CAPTURED, None)
    assert is_withheld(erased)
    assert leaving(erased) == []


def test_the_embedded_text_is_the_message_or_all_that_is_known_of_it():
    felt = Phenomenology(
        EmotionalSignature((Emotion.CURIOUS,), 0.5, 0.2, Texture.FLOWING),
        anchors=(Anchor("the old harbour", "where it began"),),
        uncertainties=("Will it float?",),
    )
    said = {"kind": "user_message", "payload": {"text": "We mended the boat."}}
    said["metadata"] = {"topic": "a boat"}
    assert embedded_text(said) == "We mended the boat."
    assert embedded_text(said, felt).splitlines() == [
        "a boat",
        "We mended the boat.",
        "the old harbour",
        "Will it float?",
        "flowing",
    ]
