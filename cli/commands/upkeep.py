"""`meridia spaces`, `status`, `verify`, `rebuild`, `trace`: state and integrity of a journal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

import click

from ...core.errors import Damaged, Refused
from ...core.text import json_line
from ...core.types import Outcome, Space
from ...graph.digest import Digest
from ...graph.maintenance import Status, verify_spaces
from ...memory import Memory
from ...service import documents
from ...storage.forgetting.completion import erased_count
from ...storage.ingest_counts import IngestCounts
from ...storage.upkeep import chosen_spaces
from ..options import SharedOptions, engine_option, shared_options
from ..render import console, errors, outline_note, print_json, progress, table


@click.command()
@shared_options
def spaces_command(shared: SharedOptions) -> int:
    """List all spaces of the journal."""
    with shared.memory(writes=shared.has_journal()) as memory:
        rows = [
            [
                space,
                sum(memory.parts.catalog.kinds(space).values()),
                memory.parts.journal.head(space).seq,
            ]
            for space in memory.parts.journal.spaces()
        ]
    if shared.as_json:
        print_json([{"space": s, "experiences": n, "seq": seq} for s, n, seq in rows])
    else:
        table(["space", "experiences", "last sequence"], rows)
    return 0


@click.command()
@engine_option
@click.option("--facets", is_flag=True, help="Also count the memories that have each facet.")
@shared_options
def status_command(shared: SharedOptions, engine: str | None, facets: bool) -> int:
    """Show the contents of a space and the lag of each projection.

    Without --space, all spaces. A projection's lag is the number of journal sequences it is behind.
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
        return 0
    if not statuses:
        console.print("no space holds anything yet", style="dim")
        return 0
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
        errors.print(note, style="yellow", markup=False)
    return 0


_LAGS = ("search", "enrichment", "adjacency", "graph")
#: Of more spaces than these, the table would be too wide.
_SPACES_SHOWN = 6
_ENRICHED_LABELS = {
    "Transition": "transitions",
    "Entity": "entities",
    "Artifact": "artifacts",
    "Fact": "facts",
    "Episode": "episodes",
}


def _show_status(statuses: Sequence[Status]) -> None:
    rows = [
        [
            s.space,
            sum(s.experiences.values()),
            int(s.seq),
            *(s.lag(n) if n in s.cursors else None for n in _LAGS),
        ]
        for s in statuses
    ]
    table(["space", "experiences", "journal", *(f"{name} lag" for name in _LAGS)], rows)
    if len(statuses) > _SPACES_SHOWN:
        click.echo(f"details of one space: meridia status --space {statuses[0].space}", err=True)
        return
    parts: list[tuple[str, Callable[[Status], Mapping[str, int]]]] = [
        ("events", _outcomes),
        ("experiences", lambda s: s.experiences),
        ("judged", lambda s: s.tally.statuses),
        ("enriched", _enriched),
        ("sinks", _sinks),
        ("redacted", lambda s: {"all": sum(s.tally.redacted.values()), **s.tally.redacted}),
    ]
    measures = [
        [f"{title}: {name}", *(read(s).get(name, 0) for s in statuses)]
        for title, read in parts
        for name in dict.fromkeys(name for s in statuses for name in read(s))
    ]
    console.print()
    table(["", *(s.space for s in statuses)], measures)


def _sinks(status: Status) -> dict[str, int]:
    """Return what each sink of a space lacks, and how often it failed in a row."""
    return {
        f"{sink.name} {name}": count
        for sink in status.sinks
        for name, count in (
            ("lag", sink.lag),
            ("forgettings not delivered", sink.forgettings),
            ("failures", sink.failures),
        )
    }


def _outcomes(status: Status) -> dict[str, int]:
    """Return how many events ever came to a space, and what became of them: all seven outcomes."""
    outcomes = status.tally.outcomes
    named = {str(outcome): outcomes.get(outcome, 0) for outcome in Outcome}
    return {"all": sum(outcomes.values()), **named}


def _outlines(tally: IngestCounts) -> dict[str, int]:
    return {
        "outlines": tally.outlines,
        "mean journal bytes of an outline": round(tally.outline_bytes),
        "outlines whose whole text is still held": tally.held,
    }


def _enriched(status: Status) -> dict[str, int]:
    """Return what enrichment found in a space, outlines and dead letters included."""
    tally = status.tally
    return {
        **{name: tally.nodes.get(label, 0) for label, name in _ENRICHED_LABELS.items()},
        **(_outlines(tally) if tally.outlines else {}),
        "dead letters": tally.dead,
        "to be tried again": tally.waiting,
    }


@click.command()
@click.option("--quick", is_flag=True, help="Only the journal, not what is listed from it.")
@shared_options
def verify_command(shared: SharedOptions, quick: bool) -> int:
    """Check the journal, and what is listed from it, for damage.

    The file itself, every hash of the journal's chain and every payload that was not forgotten.
    Then lists, full text and edges are built again in a copy of the file and compared; the copy
    takes as much room as the journal. Without --space, all spaces. Exit status 6 if there is
    damage; `meridia rebuild` mends what is listed.
    """
    shared.require_journal()
    report = []
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
    if shared.as_json:
        print_json(report)
    else:
        rows = [
            [
                r["space"],
                r["seq"],
                str(r["head"])[:16],
                r["forgotten"],
                "damaged" if r["findings"] else "whole",
            ]
            for r in report
        ]
        table(["space", "last sequence", "head of chain", "forgotten", "state"], rows)
        for row in report:
            for finding in row["findings"]:  # type: ignore[attr-defined]
                where = f"entry {finding['seq']}: " if finding["seq"] else ""
                errors.print(
                    f"{row['space']}: {where}{finding['problem']}", style="red", markup=False
                )
    if damaged:
        raise Damaged(
            "damage found: `meridia rebuild` mends lists, full text and edges; for the rest "
            "restore a backup, or keep this file and start a new one"
        )
    return 0


@click.command()
@click.option("--verify", "verify_", is_flag=True, help="Compare digests before and after.")
@click.option("--yes", is_flag=True, help="Also remove what others added in Neo4j.")
@engine_option
@shared_options
def rebuild_command(shared: SharedOptions, verify_: bool, yes: bool, engine: str | None) -> int:
    """Delete every projection and build it again from the journal.

    The list of experiences, full-text search, adjacency and the graph; no model is asked. With
    --verify the graph's digest is computed before and after: exit status 6 if they differ.
    Without --space, all spaces. Where others added relationships, labels or properties to the
    graph's nodes in Neo4j, it says which and changes nothing; --yes removes them.
    """
    shared.require_journal()
    with shared.memory({"graph.engine": engine}, writes=True) as memory:
        rows = [
            _rebuild(memory.in_space(space), space, verify_, yes)
            for space in chosen_spaces(memory.parts, shared.named_space)
        ]
    same = all(row["identical"] != "NO" for row in rows)
    if shared.as_json:
        print_json(rows)
    else:
        columns = ["space", "engine", "nodes", "edges", "digest", "identical"]
        shown = [row | {"digest": str(row["digest"])[:16]} for row in rows]
        table(columns, [[row[column] for column in columns] for row in shown])
    if not same:
        raise Damaged("a rebuilt graph differs from the one before: please report this")
    return 0


def _rebuild(memory: Memory, space: Space, compare: bool, additions: bool) -> dict[str, object]:
    before = _digest_before(memory, additions) if compare else None
    with progress(f"rebuilding {space}") as move:
        memory.rebuild(move, additions=additions)
    after = memory.digest()
    memory.release_graph()
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
        return memory.digest()
    except Refused:
        if additions:
            return None
        raise


def _identical(before: Digest | None, after: Digest) -> str:
    if before is None:
        return "no graph of this journal before"
    return "yes" if before.hash == after.hash else "NO"


@click.command()
@click.option(
    "--after",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    help="Only decisions after this number.",
)
@shared_options
def trace_command(shared: SharedOptions, after: int) -> int:
    """Export the trace stream, one JSON object on each line.

    What was captured, refused and recalled, and when; without content.
    """
    with shared.memory() as memory:
        for decision in memory.parts.trace.read(memory.space, after):
            sys.stdout.write(json_line(decision.as_json()) + "\n")
    return 0
