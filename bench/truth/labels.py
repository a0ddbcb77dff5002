"""What readers labelled by hand, and in which half it is; labels/README.md has the columns.

A label belongs to a source: a conversation (`conv-26`), a run (`a12`) or a coding session (`c1`).
Rules are written from one half of the sources; the other half is only scored.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.packs import normalised_ids
from bench.work import CODING
from meridia.core.errors import InvalidInput

FOLDER = Path(__file__).parent / "labels"
VERDICTS = "verdicts.tsv"
RULES, CHECK = "rules", "check"
HALVES = (RULES, CHECK)
#: The columns of each kind after its name; a column that is empty at the end may be left out.
COLUMNS: Mapping[str, Sequence[str]] = {
    "news": ("id", "grade", "tone"),
    "event": ("id", "messages"),
    "feeling": ("id", "words"),
    "notfeeling": ("id",),
    "promise": ("id", "type", "state", "closed", "deed"),
    "question": ("id",),
    "fact": ("id", "subject", "predicate", "object"),
    "name": ("id", "type", "surface"),
    "topic": ("id", "phrase"),
    "title": ("id", "title"),
    "goal": ("id", "message", "words"),
    "outcome": ("id", "outcome", "message"),
    "failed": ("id", "what"),
    "notfailed": ("id",),
    "fix": ("id", "fix", "differs"),
    "nofix": ("id",),
    "decided": ("id", "words"),
    "lesson": ("id", "words"),
    "person": ("id", "name", "user"),
    "formula": ("id",),
}
_RULES_CONVERSATIONS = frozenset({"conv-26", "conv-42"})
_RULES_RUNS, _RULES_CODING = range(30), range(1, 4)
_NUMBERED = re.compile(r"([ac])(\d+)\b")


@dataclass(frozen=True, slots=True)
class Label:
    """One line of a reader; `values` by the names of `COLUMNS`."""

    source: str
    kind: str
    values: Mapping[str, str]

    @property
    def id(self) -> str:
        """The message it stands at; of some kinds the session, the run or the event."""
        return self.values["id"]

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    @property
    def list_of_words(self) -> list[str]:
        """The words of a feeling, best first."""
        return [word.strip() for word in self["words"].split(",")]

    @property
    def messages(self) -> set[str]:
        """The messages that tell an event, perhaps none."""
        return normalised_ids(set(self["messages"].split(",")) - {"-", ""})


@dataclass(slots=True)
class Labels:
    """The labels of one source, by kind and place."""

    source: str
    _by_kind: dict[str, list[Label]] = field(default_factory=lambda: defaultdict(list))

    def add(self, label: Label) -> None:
        """Take in one more."""
        self._by_kind[label.kind].append(label)

    def of(self, kind: str) -> Sequence[Label]:
        """Return the labels of a kind in their order."""
        return self._by_kind.get(kind, ())

    def at(self, id: str, *kinds: str) -> list[Label]:
        """Return the labels of some kinds that stand at a message."""
        return [label for kind in kinds for label in self.of(kind) if label.id == id]

    def __iter__(self) -> Iterator[Label]:
        return (label for labels in self._by_kind.values() for label in labels)


#: Judged one by one where no label decides: (place, subject, predicate, object) → whether right.
Verdicts = Mapping[tuple[str, str, str, str], bool]


def half_of(source: str) -> str:
    """Return in which half a source is."""
    if numbered := _NUMBERED.fullmatch(source):
        inside = _RULES_RUNS if numbered[1] == "a" else _RULES_CODING
        return RULES if int(numbered[2]) in inside else CHECK
    return RULES if source in _RULES_CONVERSATIONS else CHECK


def read_labels(folder: Path = FOLDER) -> dict[str, Labels]:
    """Return the labels of a folder's files by source; `InvalidInput` names a bad line."""
    by_source: dict[str, Labels] = {}
    for path in sorted(folder.glob("*.tsv")):
        if path.name == VERDICTS:
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line.strip():
                label = _label(path.stem, line, f"{path.name}:{number}")
                by_source.setdefault(label.source, Labels(label.source)).add(label)
    return by_source


def read_verdicts(path: Path = FOLDER / VERDICTS) -> Verdicts:
    """Return what was judged one by one; nothing where there is no such file."""
    verdicts: dict[tuple[str, str, str, str], bool] = {}
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        place, subject, predicate, object, verdict = line.split("\t")
        if verdict not in {"right", "wrong"}:
            raise InvalidInput(f"{path.name}: {verdict!r} is no verdict: right or wrong")
        verdicts[place, subject, predicate, object] = verdict == "right"
    return verdicts


def coding_sessions(path: Path = CODING) -> dict[str, str]:
    """Return by session of the coding set the source (`c1`) that its ids name."""
    events = map(json.loads, path.read_text("utf-8").splitlines())
    return {event["session"]["key"]: event["id"].partition("-")[0] for event in events}


def run_of(message: str, sessions: Mapping[str, str]) -> str:
    """Return the run of a message's id (`a12:7`, `c1-03`), of a run or of a session."""
    if message in sessions:
        return sessions[message]
    numbered = _NUMBERED.match(message)
    if numbered is None:
        raise InvalidInput(f"{message!r} is no message and no run")
    return numbered[0]


def _label(stem: str, line: str, where: str) -> Label:
    kind, *cells = line.rstrip("\n").split("\t")
    columns: Collection[str] = COLUMNS.get(kind, ())
    if not columns or len(cells) > len(columns) or not cells:
        raise InvalidInput(f"{where}: {len(cells)} cells after {kind!r}: {', '.join(columns)}")
    cells += [""] * (len(columns) - len(cells))
    values = dict(zip(columns, cells, strict=True))
    if stem.startswith("runs"):
        return Label(run_of(values["id"], coding_sessions()), kind, values)
    (values["id"],) = normalised_ids([values["id"]])
    return Label(stem, kind, values)
