"""Lines of packs that claim something beside the quote: asked for, open, undertaken, hard.

A line is false where no reader labelled its message so. The texts are of three kinds that nothing
learns from: chats of real people and talks with agents, parts of sets that are read from outside
(bench/data/claims.tsv has their ids and labels), and work logs that were written for this project
(bench/data/logs.held.tsv). A label with `?` may be told so, and need not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.baselines import settings
from meridia import Memory
from meridia.resume.layout import SectionTitle
from meridia.resume.pack import Pack

_DATA = Path(__file__).parents[1] / "data"
LABELS, _LOGS = _DATA / "claims.tsv", _DATA / "logs.held.tsv"
_AT, _MINUTE, _TOKENS = datetime(2026, 1, 1, tzinfo=UTC), timedelta(minutes=1), 2000
#: The label that makes a line of each section true.
CLAIMS = {
    SectionTitle.ASKED: "asked",
    SectionTitle.OPEN: "open",
    SectionTitle.EARLIER: "undertaken",
    SectionTitle.HARD: "setback",
}
_KINDS = {"realtalk-dev": "real chats", "beam-dev": "talks with agents"}
LOGS = "work logs"


@dataclass(frozen=True, slots=True)
class LabelledTalk:
    """Messages as `Memory.remember` takes them, and the labels of each by its id."""

    kind: str
    messages: Sequence[dict[str, Any]]
    labels: dict[str, set[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """A message that stands in a section, or should: what it claims, and the words."""

    kind: str
    label: str
    told: bool
    is_so: bool
    text: str


def claims(sets: Path | None = None) -> Iterator[Claim]:
    """Yield what packs claim in all talks, and what they should; `sets` is the folder of sets."""
    for talk in (*logs(), *(set_parts(sets) if sets else ())):
        texts = {message["id"]: message["text"] for message in talk.messages}
        told = told_in(talk)
        for id, label in sorted(told):
            given = talk.labels.get(id, set())
            right = not given.isdisjoint({label, f"{label}?"})
            yield Claim(talk.kind, label, told=True, is_so=right, text=texts[id])
        for id, given in talk.labels.items():
            for label in given & {*CLAIMS.values()}:
                if (id, label) not in told:
                    yield Claim(talk.kind, label, told=False, is_so=True, text=texts[id])


def told_in(talk: LabelledTalk) -> set[tuple[str, str]]:
    """Return the messages and claims of the packs of all its people."""
    people = {message["person"] for message in talk.messages if "person" in message}
    told = set()
    with Memory(None, "talk", settings()) as memory:
        memory.remember_many(talk.messages)
        memory.enrich()
        for person in sorted(people):
            pack = memory.resume(person, tokens=_TOKENS)
            assert isinstance(pack, Pack)
            for section in pack.sections:
                for label in (of for title, of in CLAIMS.items() if section.title.endswith(title)):
                    ids = (line.items[0].memories[0].event_id for line in section.lines)
                    told |= {(id, label) for id in ids}
    return told


def logs() -> Iterator[LabelledTalk]:
    """Yield the work logs."""
    for block in _LOGS.read_text("utf-8").split("# ")[1:]:
        talk = LabelledTalk(LOGS, messages := [])
        for place, line in enumerate(block.splitlines()[1:]):
            session, who, label, text = line.split("\t")
            at = _AT + timedelta(days=int(session)) + place * _MINUTE
            said = {"text": text, "session": session, "at": at, "id": f"{place}"}
            messages.append(said | ({"role": "assistant"} if who == "agent" else {"person": who}))
            talk.labels[f"{place}"] = {label}
        yield talk


def set_parts(folder: Path) -> Iterator[LabelledTalk]:
    """Yield the parts of sets that are labelled."""
    rows = [line.split("\t") for line in LABELS.read_text("utf-8").splitlines()]
    for place, group in groupby(rows, key=lambda row: row[0]):
        (_, part, _), *labelled = group
        name, space = place.split("/")
        spaces = json.loads((folder / f"{name}.json").read_text("utf-8"))["spaces"]
        memories = next(each["memories"] for each in spaces if each["id"] == space)
        ids = [each["id"] for each in memories]
        first, last = map(ids.index, part.split(".."))
        talk = LabelledTalk(_KINDS[name], [*map(_said, memories[first : last + 1])])
        for _, id, label in labelled:
            talk.labels.setdefault(id, set()).add(label)
        yield talk


def _said(row: dict[str, Any]) -> dict[str, Any]:
    said = {name: row[name] for name in ("text", "session", "role")}
    said |= {"at": datetime.fromisoformat(row["at"]), "id": row["id"]}
    return said | ({"person": row["person"]} if row["role"] == "user" else {})
