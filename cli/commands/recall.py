"""`meridia recall` and `show`: memories and the reasons for them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import click
from rich.text import Text
from rich.tree import Tree

from ...core.codec import encode
from ...core.entries import MemoryReinforced
from ...core.errors import InvalidInput, NotFound
from ...core.events import captured_of, event_of
from ...core.events import encode as canonical
from ...core.experience import Phenomenology
from ...core.text import shorten
from ...core.time import parse
from ...core.types import EntryKind
from ...core.types import MemoryRecord as Experience
from ...core.vocabulary import RecordStatus
from ...ingest.redaction.scanner import count_marks
from ...memory import Memory
from ...retrieval.ranking.contributions import TraceNode
from ...retrieval.recall_result import Hit, Recall, as_json
from ..options import SharedOptions, conditions, key_values, shared_options
from ..render import console, errors, moment, print_json, table, terminal_text


@click.command()
@click.argument("question")
@click.option("--person", metavar="P", help="Only from this person.")
@click.option("--session", metavar="KEY", help="Only this session.")
@click.option("--kind", metavar="KIND", help="Only this kind, such as tool_result.")
@click.option("--since", metavar="T", help="Only what happened at or after T.")
@click.option("--until", metavar="T", help="Only what happened before T.")
@click.option("--where", multiple=True, metavar="K=V", help="Metadata; also K!=V, K<V, K>=V.")
@click.option("--limit", type=click.IntRange(1, 1000), help="How many memories.  [default: 10]")
@click.option("--as-of", metavar="T", help="As of T: a time, or a journal sequence.")
@click.option("--known-at", metavar="T", help="As recorded at T: a time, or a sequence.")
@click.option(
    "--profile", type=click.Choice(["default", "simple", "reference"]), help="How to rank."
)
@click.option(
    "--policy", type=click.Choice(["spread", "sample", "walk"]), help="The activation policy."
)
@click.option("--hint", "hints", multiple=True, metavar="K=V", help="A hint for recall.rerank.")
@click.option("--restricted", is_flag=True, help="Also memories that are private or confidential.")
@click.option("--explain", is_flag=True, help="Show the trace of each score.")
@click.option("--debug", is_flag=True, help="Log the calculation to stderr, without content.")
@shared_options
def recall_command(
    shared: SharedOptions,
    question: str,
    person: str | None,
    session: str | None,
    kind: str | None,
    since: str | None,
    until: str | None,
    where: tuple[str, ...],
    limit: int | None,
    as_of: str | None,
    known_at: str | None,
    profile: str | None,
    policy: str | None,
    hints: tuple[str, ...],
    restricted: bool,
    explain: bool,
    debug: bool,
) -> int:
    """Recall memories for a question, with an explanation."""
    flags = {
        "recall.profile": profile,
        "recall.policy": policy,
        "recall.debug": debug or None,
        "access.restricted": restricted or None,
    }
    with shared.memory(flags) as memory, _debug_logging(memory.settings.recall.debug):
        answer = memory.recall(
            question,
            limit=limit,
            person=person,
            session=session,
            kind=kind,
            since=parse(since) if since else None,
            until=parse(until) if until else None,
            where=conditions(where) or None,
            as_of=_instant(as_of),
            known_at=_instant(known_at),
            hints=key_values(hints, "--hint") or None,
        )
    if shared.as_json:
        print_json(as_json(answer))
    else:
        show_recall(answer, explain)
    return 0


@contextmanager
def _debug_logging(debug: bool) -> Iterator[None]:
    """Write on standard error what recall logs of itself, one line of JSON an answer."""
    log, handler = logging.getLogger("meridia.recall"), logging.StreamHandler()
    if debug:
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)


def _instant(text: str | None) -> datetime | int | None:
    if text is None:
        return None
    return int(text) if text.isdecimal() else parse(text)


def show_recall(answer: Recall, explain: bool) -> None:
    """Print an answered question: a list, or with `explain` a tree a hit."""
    for note in answer.notes:
        errors.print(note, style="yellow", markup=False)
    if not answer.hits:
        console.print("no memories recalled", style="dim")
        return
    if explain:
        read = "; ".join(f"{kind}: {', '.join(parts)}" for kind, parts in answer.reading.items())
        console.print(
            terminal_text(f"read as {read}" if read else "read as no content words", "dim")
        )
    best = answer.hits[0].score
    for hit in answer.hits:
        console.print(_headline(hit, best))
        console.print(terminal_text(f"   {shorten(hit.text, 400)}"))
        for artifact in hit.memory.artifacts:
            about = f": {artifact.description}" if artifact.description else ""
            console.print(terminal_text(f"   [{artifact.kind}{about}]", "dim"))
        if explain:
            console.print(_tree(hit))
    console.print(Text(f"recall {answer.id}", style="dim"))


def _headline(hit: Hit, best: float) -> Text:
    width = max(1, round(10 * hit.score / best)) if best > 0 and hit.score > 0 else 0
    who = hit.memory.person or hit.memory.kind
    line = Text(f"{hit.rank:2} ")
    line.append("█" * width + "░" * (10 - width), style="cyan")
    line.append(f" {hit.score:6.2f} ", style="bold")
    line.append(terminal_text(f" {who}", "green"))
    where = f"  {moment(hit.memory.at)}  {hit.memory.session or ''}  {hit.memory.uri}"
    return line.append(terminal_text(where, "dim"))


def _tree(hit: Hit) -> Tree:
    tree = Tree(Text(f"score {hit.trace.value:.3f}, the sum of:"), guide_style="dim")
    for branch in hit.trace.children:
        _grow(tree.add(_line(branch)), branch)
    return tree


def _grow(tree: Tree, reason: TraceNode) -> None:
    for child in reason.children:
        _grow(tree.add(_line(child)), child)


def _line(reason: TraceNode) -> Text:
    line = terminal_text(f"{reason.value:+7.3f}  {reason.label}")
    if reason.edge:
        line.append(f"  via {reason.edge}", style="magenta")
    return line


@click.command()
@click.argument("address")
@click.option("--kit", is_flag=True, help="Print its experience kit.")
@shared_options
def show_command(shared: SharedOptions, address: str, kit: bool) -> int:
    """Show one memory by its address or id.

    ADDRESS is meridia://ID, Meridia's id, the caller's id, or @N as in packs.
    --kit prints JSON.
    """
    shared.require_journal()
    with shared.memory(writes=True) as memory:
        here, experience = _find(memory, address, shared)
        kit_document = here.chronicle.kit(experience.id)
        repeats, text = _repeats(here, experience.id), _stored_text(here, experience)
    if kit:
        print_json(encode(kit_document, by_alias=False))
    elif shared.as_json:
        print_json(_shown(experience, kit_document.phenomenology, repeats, text))
    else:
        _show(experience, kit_document.phenomenology, repeats, text)
    return 0


@dataclass(frozen=True, slots=True)
class StoredText:
    """Whether an outline is all that the journal has of a memory, and what was redacted in it."""

    is_outline: bool
    redacted: Mapping[str, int]


def _shown(
    experience: Experience,
    phenomenology: Phenomenology | None,
    repeats: str | None,
    text: StoredText,
) -> dict[str, Any]:
    return {
        "id": experience.id,
        "event_id": experience.event_id,
        "uri": experience.uri,
        "seq": experience.seq,
        "kind": experience.kind,
        "at": experience.at.isoformat(),
        "person": experience.person,
        "session": experience.session,
        "status": experience.status,
        "phenomenology": phenomenology and encode(phenomenology, by_alias=False),
        "repeats": repeats,
        "outline": text.is_outline,
        "redacted": dict(text.redacted),
        "text": experience.text,
        "artifacts": [
            {"kind": a.kind, "uri": a.uri, "description": a.description}
            for a in experience.artifacts
        ],
        "metadata": dict(experience.metadata),
    }


def _show(
    experience: Experience,
    phenomenology: Phenomenology | None,
    repeats: str | None,
    text: StoredText,
) -> None:
    rows: list[list[Any]] = [
        ["address", experience.uri],
        ["event", experience.event_id],
        ["journal", experience.seq],
        ["kind", experience.kind],
        ["at", experience.at],
        ["person", experience.person],
        ["session", experience.session],
        ["status", experience.status],
        *([["phenomenology", _in_words(phenomenology)]] if phenomenology else ()),
        *([["repeats", f"meridia://{repeats}"]] if repeats else ()),
        *([["stored", _outlined(experience)]] if text.is_outline else ()),
        *(
            [["redacted", ", ".join(f"{n} {k}" for k, n in text.redacted.items())]]
            * bool(text.redacted)
        ),
        *([f"{a.kind}", f"{a.uri}  {a.description}"] for a in experience.artifacts),
        *([key, value] for key, value in experience.metadata.items()),
    ]
    table(["", ""], rows)
    console.print(terminal_text(f"\n{experience.text or 'its text is not stored'}"))


def _stored_text(memory: Memory, experience: Experience) -> StoredText:
    (entry,) = memory.parts.journal.by_ids(memory.space, [experience.id])
    is_outline = captured_of(entry).event is None and experience.status != RecordStatus.UPGRADED
    redacted = count_marks(canonical(event_of(entry)))
    return StoredText(is_outline, dict(sorted(redacted.items())))


def _outlined(experience: Experience) -> str:
    if experience.text:
        return "an outline; its whole text stays for ingest.skeleton_days"
    return "an outline; its text was removed after ingest.skeleton_days"


def _repeats(memory: Memory, id: str) -> str | None:
    """Return the memory that this one says again, if it is known to."""
    kind = EntryKind.MEMORY_REINFORCED
    entries = memory.parts.journal.by_keys(memory.space, kind, [id])
    canonical_ids = [
        entry.payload.canonical for entry in entries if isinstance(entry.payload, MemoryReinforced)
    ]
    return canonical_ids[-1] if canonical_ids else None


def _in_words(phenomenology: Phenomenology) -> str:
    """Return how something was lived in one line."""
    parts = []
    if felt := phenomenology.signature:
        words = ", ".join(felt.primary) or "no word for it"
        valence = "" if felt.valence is None else f", valence {felt.valence:+.2f}"
        parts.append(f"{words} (intensity {felt.intensity:.2f}{valence})")
    if phenomenology.engagement:
        parts.append(phenomenology.engagement.value)
    parts += [f"“{shorten(anchor.phrase, 60)}”" for anchor in phenomenology.anchors]
    parts += [f"open: {shorten(question, 80)}" for question in phenomenology.uncertainties]
    return "; ".join(parts)


def _find(memory: Memory, address: str, shared: SharedOptions) -> tuple[Memory, Experience]:
    """Find one; Meridia's own id is found in whichever space it is when none was named.

    Returns the memory looking at that space, too.
    """
    id = address.removeprefix("meridia://").strip("/")
    if not id:
        raise InvalidInput("an address has the form meridia://ID")
    if id.startswith("@") and shared.named_space is None:
        memory = _holding(memory, id)
    space = memory.parts.catalog.space_of(id) if shared.named_space is None else None
    if space is not None:
        memory = memory.in_space(space)
        return memory, memory.get(id)
    if memory.space not in memory.parts.journal.spaces():
        raise NotFound(f"no memory {id!r}: space {memory.space!r} does not exist")
    return memory, memory.get(id)


def _holding(memory: Memory, short: str) -> Memory:
    """Return the memory looking at the space that holds a short address; else as it was."""
    for space in memory.parts.journal.spaces():
        other = memory.in_space(space)
        if other.holds(short):
            return other
    return memory
