"""What the tests of journals write, and how they look at what was written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from meridia.core.types import Acknowledgement, EntryDraft, EntryKind, Seq, Space
from meridia.storage.journal import Journal
from tests.drafts import a_draft

HOME, AWAY = Space("home"), Space("away")
CAPTURED, MET = EntryKind.EXPERIENCE_CAPTURED, EntryKind.PERSON_MET

#: Text that a journal can keep.
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)


def message_draft(
    text: str = "hello", key: str = "", stream: str | None = None, **more: Any
) -> EntryDraft:
    """Return the draft of a captured message."""
    event = {"kind": "user_message", "payload": {"text": text}}
    return a_draft(CAPTURED, key, {"event": event}, stream=stream, **more)


def person_draft(name: str) -> EntryDraft:
    """Return the draft of a derived entry."""
    return a_draft(MET, f"person-{name}", {"person": f"person-{name}", "name": name, "aliases": []})


def facts(journal: Journal, space: Space) -> list[tuple[Any, ...]]:
    """Return everything that is kept of a space, to compare before and after."""
    return [
        (e.seq, e.kind, e.id, e.key, e.stream, e.previous, e.at, e.recorded_at, e.payload, e.hash)
        for e in journal.read(space)
    ]


def findings(journal: Journal, space: Space = HOME) -> list[tuple[int | None, str]]:
    """Return what verification found."""
    return [(finding.seq, finding.problem) for finding in journal.verify(space)]


def small_journal(journal: Journal) -> list[Acknowledgement]:
    """Append six entries: two sessions, one derived entry, and one of a caller without ids."""
    drafts = [
        message_draft("one", "m-1", "s-1"),
        message_draft("two", "m-2", "s-2"),
        person_draft("Dana"),
        message_draft("three", "m-3", "s-1"),
        message_draft("four"),
        message_draft("five", "m-5", "s-1"),
    ]
    return [journal.append(HOME, [draft])[0] for draft in drafts]


def flips(value: str | bytes) -> Iterator[str | bytes]:
    """Yield a value with every single bit of it flipped, where that gives text again."""
    raw = value.encode("utf-8") if isinstance(value, str) else value
    for place in range(len(raw)):
        for bit in range(7 if isinstance(value, str) else 8):
            flipped = bytearray(raw)
            flipped[place] ^= 1 << bit
            yield flipped.decode("utf-8") if isinstance(value, str) else bytes(flipped)


def another(old: Any) -> st.SearchStrategy[Any]:
    """Draw another value of the same kind."""
    if isinstance(old, bytes):
        return st.integers(0, len(old) * 8 - 1).map(
            lambda bit: (int.from_bytes(old, "big") ^ 1 << bit).to_bytes(len(old), "big")
        )
    if old is None:
        return texts
    return (texts | st.sampled_from([old + " ", old[:-1], old.swapcase()])).filter(
        lambda new: new != old
    )


#: What each writer of the tests with several writers appends: its own messages, and shared ones.
OWN, SHARED = 20, 10


def write_all(journal: Journal, name: object) -> list[tuple[int, str]]:
    """Append messages of one's own, and messages that every writer sends."""
    answers = []
    for i in range(OWN):
        answers += journal.append(HOME, [message_draft(f"{name} {i}", f"{name}-{i}", f"s-{name}")])
        if i < SHARED:
            answers += journal.append(HOME, [message_draft(f"all {i}", f"all-{i}", "s-all")])
    return [(answer.seq, answer.event_id) for answer in answers]


#: The same as `_write`, for a process of its own: an expression that opens the journal, a name.
WRITER = f"""
import json, sys
from meridia.core.entries import ExperienceCaptured
from meridia.core.types import EntryDraft, Space
journal = eval(sys.argv[1])
answers = []
def write(text, key, stream):
    event = {{"kind": "user_message", "payload": {{"text": text}}}}
    draft = EntryDraft(key, ExperienceCaptured(event), stream=stream)
    answers.extend(journal.append(Space("home"), [draft]))
for i in range({OWN}):
    write(f"{{sys.argv[2]}} {{i}}", f"{{sys.argv[2]}}-{{i}}", f"s-{{sys.argv[2]}}")
    if i < {SHARED}:
        write(f"all {{i}}", f"all-{{i}}", "s-all")
print(json.dumps([(answer.seq, answer.event_id) for answer in answers]))
"""


def check_written(journal: Journal, answers: Sequence[Sequence[Sequence[Any]]]) -> None:
    """Check that what was acknowledged is there, once, in one chain."""
    entries = journal.read(HOME)
    seq_of = {entry.key: entry.seq for entry in entries}
    assert len(seq_of) == len(entries) == OWN * len(answers) + SHARED
    for of_writer in answers:
        assert [(seq_of[key], key) for _, key in of_writer] == [
            tuple(answer) for answer in of_writer
        ]
    assert findings(journal) == []
    last: dict[str | None, str] = {}
    for entry in entries:
        assert entry.previous == last.get(entry.stream)
        last[entry.stream] = entry.id
    assert [entry.seq for entry in journal.read(HOME, kinds=[CAPTURED])] == sorted(seq_of.values())
    assert journal.head(HOME).seq == Seq(max(seq_of.values()))
