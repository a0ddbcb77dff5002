"""State and integrity of a journal, and its copies.

`meridia spaces`, `status`, `verify`, `rebuild`, `trace`; `backup`, `restore`,
`export`; `follow` and `move`, where replicas share one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ...core.errors import Damaged, InvalidInput, Refused
from ...core.text import escaped, json_line
from ...core.types import Space
from ...core.vocabulary import outcomes_in_words
from ...graph import drawing
from ...graph.digest import Digest
from ...graph.maintenance import Status, verify_spaces
from ...memory import Memory
from ...service import documents
from ...storage.copies.backup import CopiedJournal, restore, set_aside
from ...storage.postgres.following import move_in
from ...storage.sinks.sink_state import SinkStatus
from ...storage.store import IngestCounts
from ...storage.upkeep import chosen_spaces, erased_count
from ..options import SharedOptions, command, engine_option
from ..render import (
    Columns,
    console,
    errors,
    outline_note,
    paged_command,
    print_answer,
    print_documents,
    print_json,
    progress,
    remark,
    table,
)


@paged_command()
def spaces_command(shared: SharedOptions) -> None:
    """List all spaces of the journal."""
    with shared.memory(writes=shared.has_journal()) as memory:
        rows = [
            {
                "space": space,
                "experiences": sum(memory.parts.catalog.kinds(space).values()),
                "seq": memory.parts.journal.head(space).seq,
            }
            for space in memory.parts.journal.spaces()
        ]
    print_documents(shared, rows, ["space", "experiences", ("last sequence", "seq")])


@paged_command()
@engine_option
@click.option("--facets", is_flag=True, help="Also count the memories that have each facet.")
def status_command(shared: SharedOptions, engine: str | None, facets: bool) -> None:
    """Show the contents of a space and how far each projection is behind.

    Without --space, all spaces. `behind` counts the journal entries that a projection lacks.
    Facets are used by recall.rerank: count them before you tune it.
    """
    exists = shared.has_journal()
    with shared.memory({"graph.engine": engine}, writes=exists) as memory:
        spaces = chosen_spaces(memory.parts, shared.named_space) if exists else []
        statuses = [memory.in_space(space).status(graph=True) for space in spaces]
        filled = [memory.in_space(space).facets().filled for space in spaces if facets]
    if shared.as_json:
        more = [{"facets": dict(counts)} for counts in filled] or [{}] * len(statuses)
        print_json([documents.status(s) | facet for s, facet in zip(statuses, more, strict=True)])
        return
    if not statuses:
        console.print("no space holds anything yet", style="dim")
        return
    _show_status(statuses)
    if filled:
        rows = [[facet, *(counts[facet] for counts in filled)] for facet in filled[0]]
        console.print()
        table(["memories with", *(s.space for s in statuses)], rows)
    outline = outline_note(memory.settings.ingest.skeleton_days)
    notes = [*(note for s in statuses for note in s.notes), *([outline] if outline else [])]
    notes += [
        f"{sink.name}: {sink.error or 'the settings do not name it any more'}"
        for s in statuses
        for sink in s.sinks
        if sink.error or not sink.is_configured
    ]
    for note in dict.fromkeys(notes):
        remark(note)


_KINDS = {
    "user_message": "messages of people",
    "assistant_message": "messages of agents",
    "tool_result": "results of tools",
    "session_boundary": "ends of sessions",
    "manual_capture": "notes",
    "manual_ingest": "documents",
}
_DERIVED = {
    "Episode": "episodes",
    "Fact": "facts",
    "Entity": "names",
    "Artifact": "files and links",
    "Transition": "changes of feeling or topic",
}


def _show_status(statuses: Sequence[Status]) -> None:
    """Print one space in sentences, several as a line each."""
    if len(statuses) == 1:
        table(["", ""], _facts(statuses[0]))
        return
    rows = [
        [s.space, sum(s.experiences.values()), int(s.seq), _behind(s), _problems(s) or "none"]
        for s in statuses
    ]
    table(["space", "memories", "journal", "behind", "problems"], rows)
    click.echo(f"more of one space: meridia status --space {statuses[0].space}", err=True)


def _facts(status: Status) -> list[list[str]]:
    """Return what a space holds, in few rows: what there is none of is left out."""
    tally = status.tally
    kinds = {_KINDS.get(kind, kind): n for kind, n in status.experiences.items()}
    derived = {name: tally.nodes.get(label, 0) for label, name in _DERIVED.items()}
    events = outcomes_in_words(tally.outcomes)
    facts = {
        "space": f"{status.space}, {int(status.seq):,} entries in its journal",
        "memories": f"{sum(kinds.values()):,} ({_counts(kinds)})" if kinds else "none yet",
        "events": f"{sum(events.values()):,} ({_counts(events)})" if events else "",
        "found": _counts(derived),
        "outlines": _outlines(tally) if tally.outlines else "",
        "redacted": _counts(tally.redacted),
        "sinks": "; ".join(map(_sink, status.sinks)),
        "behind": _behind(status),
        "problems": _problems(status),
    }
    return [[name, text] for name, text in facts.items() if text]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)


def _behind(status: Status) -> str:
    """Return how many entries of the journal each projection has not taken in yet."""
    behind = {name: status.lag(name) for name in status.cursors}
    parts = [f"{name} by {count:,}" for name, count in behind.items() if count]
    return ", ".join(parts) or "nothing"


def _problems(status: Status) -> str:
    """Return what enrichment failed at."""
    dead, waiting = status.tally.dead, status.tally.waiting
    parts = [f"{dead:,} given up (meridia enrich --dead)"] * bool(dead)
    return ", ".join([*parts, *[f"{waiting:,} to be tried again"] * bool(waiting)])


def _sink(sink: SinkStatus) -> str:
    """Return what a sink lacks."""
    lacks = {"behind": sink.lag, "not forgotten": sink.forgettings, "failures": sink.failures}
    return f"{sink.name} ({_counts(lacks) or 'up to date'})"


def _outlines(tally: IngestCounts) -> str:
    return (
        f"{tally.outlines:,} without their text, {tally.held:,} to be (ingest.skeleton_days); "
        f"{round(tally.outline_bytes):,} bytes each"
    )


@command()
@click.option("--quick", is_flag=True, help="Check only the journal, not its lists.")
def verify_command(shared: SharedOptions, quick: bool) -> None:
    """Check the journal, and the lists derived from it, for damage.

    Checks the file itself, every hash of the journal's chain and every payload that was not
    forgotten. Then lists, full text and edges are rebuilt in a copy of the file and compared; the
    copy needs as much room as the journal. Without --space, all spaces. Exit status 6 if there is
    damage; `meridia rebuild` repairs the lists.
    """
    shared.require_journal()
    report: list[documents.Document] = []
    with shared.memory(writes=True) as memory:
        spaces = chosen_spaces(memory.parts, shared.named_space)
        for space, problems in verify_spaces(memory.parts, spaces, quick=quick).items():
            findings = [{"seq": finding.seq, "problem": finding.problem} for finding in problems]
            head = memory.parts.journal.head(space)
            report.append(
                {
                    "space": space,
                    "seq": head.seq,
                    "head": head.hash.hex(),
                    "forgotten": erased_count(memory.parts, space),
                    "findings": findings,
                }
            )
    damaged = any(row["findings"] for row in report)
    columns: Columns = [
        "space",
        ("last sequence", "seq"),
        ("head of chain", lambda row: row["head"][:16]),
        "forgotten",
        ("state", lambda row: "damaged" if row["findings"] else "whole"),
    ]
    print_documents(shared, report, columns)
    for row in () if shared.as_json else report:
        for finding in row["findings"]:
            where = f"entry {finding['seq']}: " if finding["seq"] else ""
            errors.print(f"{row['space']}: {where}{finding['problem']}", style="red", markup=False)
    if damaged:
        raise Damaged(
            "damage found: `meridia rebuild` repairs lists, full text and edges; for anything else "
            "restore a backup, or set this file aside and start a new one"
        )


@command()
@click.option("--verify", "verify_", is_flag=True, help="Compare digests before and after.")
@click.option("--yes", is_flag=True, help="Also remove what others added in Neo4j.")
@engine_option
def rebuild_command(shared: SharedOptions, verify_: bool, yes: bool, engine: str | None) -> None:
    """Delete every projection and build it again from the journal.

    These are the list of experiences, full-text search, adjacency and the graph; no model is
    asked. --verify compares the graph's digests before and after: exit status 6 if they differ.
    Without --space, all spaces. If others added relationships, labels or properties to the graph's
    nodes in Neo4j, the command names them and changes nothing; --yes removes them.
    """
    shared.require_journal()
    with shared.memory({"graph.engine": engine}, writes=True) as memory:
        rows = [
            _rebuild(memory.in_space(space), space, verify_, yes)
            for space in chosen_spaces(memory.parts, shared.named_space)
        ]
    same = all(row["identical"] != "NO" for row in rows)
    digest = ("digest", lambda row: row["digest"][:16])
    print_documents(shared, rows, ["space", "engine", "nodes", "edges", digest, "identical"])
    if not same:
        raise Damaged("a rebuilt graph differs from the one before: please report this")


def _rebuild(memory: Memory, space: Space, compare: bool, additions: bool) -> dict[str, object]:
    before = _digest_before(memory, additions) if compare else None
    with progress(f"rebuilding {space}") as move:
        memory.upkeep.rebuild(move, additions=additions)
    after = memory.graph.digest()
    memory.graph.release()
    return {
        "space": space,
        "engine": memory.settings.graph.engine,
        "nodes": sum(after.nodes.values()),
        "edges": sum(after.edges.values()),
        "digest": after.hash,
        "identical": _identical(before, after) if compare else None,
    }


def _digest_before(memory: Memory, additions: bool) -> Digest | None:
    """Return the digest; None for a graph of another journal that may be replaced."""
    try:
        return memory.graph.digest()
    except Refused:
        if additions:
            return None
        raise


def _identical(before: Digest | None, after: Digest) -> str:
    if before is None:
        return "no graph of this journal before"
    return "yes" if before.hash == after.hash else "NO"


@command()
@click.option(
    "--after",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    help="Only decisions after this number.",
)
def trace_command(shared: SharedOptions, after: int) -> None:
    """Export the trace stream, one JSON object on each line.

    It says what was captured, refused and recalled, and when, without content.
    """
    with shared.memory() as memory:
        for decision in memory.parts.trace.read(memory.space, after):
            sys.stdout.write(json_line(decision.as_json()) + "\n")


@command()
@click.argument("file", type=click.Path(path_type=Path))
def backup_command(shared: SharedOptions, file: Path) -> None:
    """Write a checked copy of the journal, with all its spaces, to a new FILE.

    Others may read and write meanwhile. The copy has everything that was acknowledged before the
    command began. It does not include the graph, which is rebuilt from the journal.
    """
    shared.require_journal()
    with shared.memory(writes=True) as memory, progress("copying", shared.as_json) as move:
        copied = memory.upkeep.backup(file, move)
    _show_copied(shared, copied)


@command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Rename the existing journal first.")
def restore_command(shared: SharedOptions, source: Path, replace: bool) -> None:
    """Restore the journal from a backup or an archive (`meridia export`), after checking it.

    It is written to --db, or to the default place. An existing journal is never overwritten.
    """
    with progress("restoring", shared.as_json) as move:
        settings = shared.load().settings
        copied = restore(source, shared.database, replace=replace, settings=settings, progress=move)
    _show_copied(shared, copied)
    if copied.replaced:
        errors.print(f"the previous journal is now {copied.replaced}", markup=False)


@command()
@click.option("--events", is_flag=True, help="Write only events, as `meridia import` reads them.")
@click.option("--person", metavar="NAME", help="With --events: those of NAME.")
@click.option("--session", metavar="KEY", help="With --events: those of a session.")
@click.option(
    "--graph",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the graph of the space to FILE.graphml, FILE.gexf or FILE.cypher instead.",
)
@click.option(
    "--around", metavar="NAME", multiple=True, help="With --graph: only what is near this node."
)
@click.option(
    "--hops", type=click.IntRange(0, 9), default=2, help="With --around: how many edges away."
)
def export_command(
    shared: SharedOptions,
    events: bool,
    person: str | None,
    session: str | None,
    graph: Path | None,
    around: tuple[str, ...],
    hops: int,
) -> None:
    """Print the journal as JSON lines: an archive that `meridia restore` reads.

    Without --space, all spaces. --events writes only the captured events of one space, one on each
    line, without derived data. --graph writes the graph for Gephi, yEd, Cytoscape or Neo4j.
    """
    if (person or session) and not events:
        raise InvalidInput("--person and --session choose events: add --events")
    shared.require_journal()
    with shared.memory(writes=True) as memory:
        if graph is not None:
            drawn = memory.graph.networkx(around or None, hops)
            drawing.write(drawn, graph)
            size = {"nodes": drawn.number_of_nodes(), "edges": drawn.number_of_edges()}
            told = ", ".join(f"{number:,} {name}" for name, number in size.items())
            print_answer(
                shared,
                lambda: {"file": str(graph), **size},
                lambda: console.print(f"{graph}: {told}", markup=False, soft_wrap=True),
            )
            return
        if events:
            for event in memory.upkeep.export_events(person, session):
                sys.stdout.write(json_line(event) + "\n")
            return
        for line in memory.upkeep.export(chosen_spaces(memory.parts, shared.named_space)):
            sys.stdout.write(escaped(line) + "\n")


@command()
@click.option("--again", is_flag=True, help="Make the file anew; that of before is set aside.")
@click.option("--forget", metavar="NAME", help="Wait no more for a replica that is gone.")
def follow_command(shared: SharedOptions, again: bool, forget: str | None) -> None:
    """Take in what other replicas wrote to the shared journal, and show who follows it.

    The journal is the PostgreSQL that `journal.url` names; --db is this replica's file.
    """
    if not shared.load().settings.journal.url:
        raise InvalidInput("journal.url is not set: no journal is shared (docs/replicas.md)")
    if again and shared.database.exists():
        aside = set_aside(shared.database)
        errors.print(f"the file of before is {aside}: delete it", markup=False, soft_wrap=True)
    with shared.memory(writes=True) as memory:
        file = memory.parts
        if forget is not None:
            file.forget_replica(forget)
        head, replicas = file.shared_head(), file.replicas()
    if shared.as_json:
        print_json({"head": head, "replicas": [each.as_json(head) for each in replicas]})
        return
    rows = [[r.name, r.seq, head - r.seq, r.cleaned, r.seen_at] for r in replicas]
    table(["replica", "sequence", "behind", "forgettings done until", "seen"], rows)
    console.print(f"the journal ends at {head:,}", markup=False)


@command()
@click.option("--to", "to", metavar="URL|FILE", required=True, help="Where the journal goes.")
def move_command(shared: SharedOptions, to: str) -> None:
    """Move the journal of --db into an empty PostgreSQL, or a shared one into a FILE.

    Chains stay as they are. Into PostgreSQL, --db becomes the first replica's file: set
    `journal.url` for whoever uses it. Into a FILE, replicas go on until you unset it.
    """
    settings = shared.load().settings
    if "://" in to:
        shared.require_journal()
        with progress("moving", shared.as_json):
            heads = move_in(shared.database, settings, to)
        size = shared.database.stat().st_size
        _show_copied(shared, CopiedJournal(shared.database, size, heads))
        errors.print("moved: set journal.url before anything is written again", markup=False)
        return
    if not settings.journal.url:
        raise InvalidInput("the journal is a file already: `meridia backup` copies it")
    with shared.memory(writes=True) as memory, progress("copying", shared.as_json) as done:
        copied = memory.upkeep.backup(Path(to), done)
    _show_copied(shared, copied)


def _show_copied(shared: SharedOptions, copied: CopiedJournal) -> None:
    """Show what a copy holds."""
    if shared.as_json:
        spaces = [
            {"space": space, "seq": head.seq, "head": head.hash.hex()}
            for space, head in copied.heads.items()
        ]
        about = {"file": str(copied.path), "bytes": copied.size}
        replaced = copied.replaced and str(copied.replaced)
        print_json({**about, "replaced": replaced, "spaces": spaces})
        return
    rows = [[space, head.seq, head.hash.hex()[:16]] for space, head in copied.heads.items()]
    table(["space", "last sequence", "head of chain"], rows)
    console.print(f"{copied.path}: {copied.size:,} bytes, whole", markup=False, soft_wrap=True)
