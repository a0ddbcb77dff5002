"""`meridia demo`: the main operations on a conversation that ships with the project."""

from __future__ import annotations

import shlex
import tempfile
from importlib import resources
from pathlib import Path

import click
from rich.rule import Rule
from rich.text import Text

from ...core.errors import InvalidInput
from ...core.time import parse
from ...core.types import Space
from ...memory import Memory
from ...resume.pack import Pack
from ..options import SharedOptions, command
from ..recall_view import show_recall
from ..render import console, print_json, progress
from .packs import show_pack
from .query import show_rows

_SPACE = Space("demo")
_QUESTION = "Did Oskar ever send the sail maker's address?"
_PERSON = "Dana"
#: The day after the conversation: what is open then is open, and not long overdue.
_AFTER = "2026-06-02"
_CYPHER = """MATCH (s:Session)<-[:IN_SESSION]-(e:Experience)-[:ABOUT]->(c:Concept)
RETURN c.word AS topic, count(DISTINCT s) AS sessions, count(e) AS memories
ORDER BY sessions DESC, memories DESC, topic LIMIT 8"""


@command()
@click.option("--keep", metavar="FILE", help="Write the demo's journal to this file.")
def demo_command(shared: SharedOptions, keep: str | None) -> None:
    """Show Meridia with a sample conversation, in a minute.

    Imports a small conversation into a journal of its own (your own journal is not touched),
    recalls with traces, resumes a person, queries the graph, and lists the next commands.
    """
    if keep and Path(keep).exists():
        raise InvalidInput(f"{keep} exists already: name a new file for the demo")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(keep) if keep else Path(folder) / "demo.db"
        settings = shared.load({"graph.engine": "embedded"}).settings
        with Memory.open(path, _SPACE, settings, enrich="manual") as memory:
            _show(memory, keep, shared.as_json)
            return


def _show(memory: Memory, keep: str | None, as_json: bool) -> None:
    conversation = resources.files(__package__ or "").joinpath("..", "data", "demo.jsonl")
    with resources.as_file(conversation) as file:
        summary = memory.import_file(file, "native")
    with progress("enriching") as move:
        memory.enrich(move)
    recall = memory.recall(_QUESTION, limit=3)
    pack = memory.resume(_PERSON, as_of=parse(_AFTER))
    rows = memory.query(_CYPHER)
    if as_json:
        captured = summary.total()
        print_json({"captured": captured, "recalled": [hit.event_id for hit in recall.hits]})
        return
    _step(f"1. {summary.total()} events of seven sessions are in the journal")
    _step(f"2. meridia recall {_QUESTION!r} --explain")
    show_recall(recall, "places")
    _step(f"3. meridia resume {_PERSON} --as-of {_AFTER}")
    if isinstance(pack, Pack):
        show_pack(pack)
    _step("4. meridia query '…'")
    console.print(Text(_CYPHER, style="cyan"))
    show_rows(rows)
    _step("Try next")
    if keep:
        where = f"--db {shlex.quote(keep)} --space {_SPACE}"
        question = "'Did Oskar ever send the address?'"
        for line in (f"recall {question} --explain", "shell"):
            console.print(f"  meridia {where} {line}", soft_wrap=True, markup=False)
    else:
        console.print("  meridia demo --keep demo.db      the same, with its journal in a file")
    console.print("  meridia import chat.jsonl        your own conversations")
    console.print("  meridia recall 'what you want to know' --explain")
    console.print("  meridia --help                   everything else")


def _step(title: str) -> None:
    console.print()
    console.print(Rule(title, align="left", style="dim"))
