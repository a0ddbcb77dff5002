"""Writes into the tables of docs/ what the code defines: stages, sections, terms, tools, settings.

    python -m docs.tables            write them
    python -m docs.tables --check    exit with 1 when one is not what would be written

A table of the code's follows a line `<!-- table: NAME -->`. The code gives its rows in their order
and their first cells; the cells behind those are written by hand, and stay with their row. A new
row has "?" there until somebody says what it is: that fails the check, as a test does in tidy.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from meridia.core.errors import STATUS
from meridia.core.settings import Settings
from meridia.core.settings_loader import keys, section_of
from meridia.core.vocabulary import Outcome
from meridia.ingest.capture.stages import DECISION_STAGES, PREPARE_STAGES
from meridia.ingest.enrichment.rule_stages import STAGES
from meridia.ingest.importers import format_detection
from meridia.resume.composer import _ABOUT
from meridia.resume.layout import SectionTitle
from meridia.resume.modes import STRATEGIES
from meridia.retrieval.plans.plan import DECAY
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS, RERANK_WEIGHTS
from meridia.service.mcp_tools import chosen_tools
from meridia.service.operations import OPERATIONS
from meridia.service.problems import _OWN, status_of
from meridia.storage.api_keys import Access

FOLDER = Path(__file__).parent
Rows = Sequence[Sequence[str]]
_TABLE = re.compile(r"(<!-- table: ([\w.]+) -->\n)(\|.*\n\|[-| ]+\|\n)((?:\|.*\n)*)")
_UNKNOWN = "?"
#: The families of formats, by the module of their readers.
_FAMILIES = {
    "json_pieces": "Meridia",
    "chats": "chats of people",
    "chat_texts": "chats of people",
    "chat_apps": "chats with models",
    "openai_messages": "chats with models",
    "agents": "agents",
    "langchain": "agents",
    "data_sets": "data sets",
    "memory_stores": "other memories",
}


def _quoted(*names: str) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _stages() -> Rows:
    def shown(stages: Sequence[Callable[..., Any]]) -> str:
        names = (stage.__name__.removeprefix("_").removeprefix("add_") for stage in stages)
        return " → ".join(name.replace("_", " ") for name in names)

    before = shown((*PREPARE_STAGES, *DECISION_STAGES))
    return [("before the acknowledgement", before), ("rules, after it", shown(STAGES))]


def _formats() -> Rows:
    families: dict[str, list[str]] = {}
    path = Path(format_detection.__file__).with_name("formats.toml")
    for name, fields in tomllib.loads(path.read_text("utf-8")).items():
        family = _FAMILIES.get(fields["read"].partition(".")[0], "texts")
        families.setdefault(family, []).append(name)
    return [(family, _quoted(*names)) for family, names in families.items()]


def _sections() -> Rows:
    return [
        (f"{'… ' * (title is SectionTitle.ASKED)}{title}{_ABOUT.get(title, '')}",)
        for title in SectionTitle
    ]


def _modes() -> Rows:
    return [
        (_quoted(mode), "; ".join(strategy.sections) or "none", f"{strategy.tokens:,}")
        for mode, strategy in STRATEGIES.items()
    ]


def _weights() -> Rows:
    return [
        (_quoted(name), f"{getattr(DEFAULT_WEIGHTS, name):g}", f"{getattr(RERANK_WEIGHTS, name):g}")
        for name in DEFAULT_WEIGHTS.__slots__
    ]


def _operations() -> Rows:
    return [
        (
            access.name.lower(),
            _quoted(*(one.path.removeprefix("/v1/") for one in OPERATIONS if one.access is access)),
        )
        for access in Access
    ]


def _settings(section: str) -> Rows:
    """Return a row for each setting of a section, with its default."""
    values = section_of(Settings(), section)
    names = [key.partition(".")[2] for key in keys() if key.startswith(f"{section}.")]
    defaults = ((name, str(getattr(values, name))) for name in names)
    return [
        (_quoted(f"{section}.{name}"), _quoted(value) if value else "–") for name, value in defaults
    ]


ROWS: dict[str, Callable[[], Rows]] = {
    "stages": _stages,
    "outcomes": lambda: [(outcome,) for outcome in Outcome],
    "formats": _formats,
    "sections": _sections,
    "modes": _modes,
    "weights": _weights,
    "decay": lambda: [(kind, f"{one.rate:g}", f"{one.floor:g}") for kind, one in DECAY.items()],
    "tools": lambda: [
        (_quoted(name), tool.access.name.lower())
        for name, tool in chosen_tools(["default"]).items()
    ],
    "operations": _operations,
    "codes": lambda: [
        (_quoted(code), f"{status_of(code)}")
        for code in sorted({*STATUS, *_OWN}, key=lambda code: (status_of(code), code))
    ],
    "settings.graphiti": lambda: _settings("graphiti"),
    "settings.postgres": lambda: _settings("postgres"),
    "settings.reference": lambda: _settings("reference"),
}


def rendered(text: str) -> str:
    """Return a document with its tables as the code defines them."""
    return _TABLE.sub(lambda match: match[1] + match[3] + _body(match[2], match[3], match[4]), text)


def _body(name: str, head: str, body: str) -> str:
    columns = len(_cells(head.splitlines()[0]))
    said = {cells[0]: cells for cells in map(_cells, body.splitlines())}
    lines = []
    for given in ROWS[name]():
        rest = said.get(given[0], [])[len(given) :] or [_UNKNOWN] * (columns - len(given))
        lines.append(f"| {' | '.join([*given, *rest])} |\n")
    return "".join(lines)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r" \|(?= )", line.strip()[1:-1])]


def problems() -> Iterator[str]:
    """Yield what is wrong with the tables: a stale one, an unknown cell, one that is nowhere."""
    named: list[str] = []
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text("utf-8")
        if rendered(text) != text:
            yield f"docs/{path.name} has a table that is out of date: run `make docs`"
        tables = list(_TABLE.finditer(text))
        named += [table[2] for table in tables]
        for table in tables:
            if any(_UNKNOWN in _cells(line) for line in table[4].splitlines()):
                yield f"docs/{path.name}: say what the new row of the table {table[2]} is"
    yield from (f"no document has the table {name}" for name in ROWS if name not in named)


def main() -> None:
    """Write the tables, or compare them."""
    if sys.argv[1:] == ["--check"]:
        sys.exit("\n".join(problems()) or None)
    for path in FOLDER.glob("*.md"):
        text = path.read_text("utf-8")
        if (new := rendered(text)) != text:
            path.write_text(new, "utf-8")


if __name__ == "__main__":
    main()
