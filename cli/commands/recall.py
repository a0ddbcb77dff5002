"""`meridia recall`, `show`, `why`, `why-not`, `what-if`, `replay`: memories and their reasons."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidInput
from ...core.experience import Phenomenology
from ...core.text import shorten
from ...core.types import MemoryRecord as Experience
from ...retrieval.recall_result import as_json
from ...service import documents
from ...service.documents import MemoryDetails, details_of
from ...service.parameters import RecallParameters
from ...storage.projections.catalog import LAST
from ..options import SharedOptions, command, pairs_option, take_hit, take_memory, wait_option
from ..parameters import filter_options, options_of
from ..recall_view import Detail, show_recall
from ..render import console, paged_command, print_answer, print_json, table, terminal_text

if TYPE_CHECKING:
    from ...retrieval.explain.counterfactual import Counterfactual, WhyNot
    from ...retrieval.explain.recall_explainer import Replay


class ExplainCommand(click.Command):
    """A command whose `--explain` may stand alone or name how much: `--explain=all`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give a bare `--explain` its value; what follows it is the question."""
        return super().parse_args(
            ctx, ["--explain=places" if word == "--explain" else word for word in args]
        )


@paged_command(cls=ExplainCommand)
@click.argument("question")
@filter_options
@options_of(RecallParameters, "limit as_of known_at profile policy random_seed current_session")
@pairs_option("--hint", "hints", "A hint for recall.rerank.")
@click.option("--restricted", is_flag=True, help="Include private and confidential memories.")
@click.option(
    "--explain",
    type=click.Choice(["places", "all"]),
    metavar="[=all]",
    help="Show where each score comes from; with =all, its whole trace.",
)
@wait_option
@click.option("--debug", is_flag=True, help="Log the calculation to stderr, without content.")
def recall_command(
    shared: SharedOptions,
    question: str,
    explain: Detail | None,
    restricted: bool,
    debug: bool,
    **given: Any,
) -> None:
    """Recall memories for a question, with an explanation."""
    settings = {"recall.debug": debug or None, "access.restricted": restricted or None}
    with shared.memory(settings) as memory, _debug_logging(memory.settings.recall.debug):
        answer = memory.recall(question, **given)
        print_answer(shared, lambda: as_json(answer), lambda: show_recall(answer, explain or ""))


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


@paged_command()
@click.argument("words", nargs=-1, required=True, metavar="ADDRESS")
@click.option("--kit", is_flag=True, help="Print its experience kit.")
def show_command(shared: SharedOptions, words: tuple[str, ...], kit: bool) -> None:
    """Show one memory by its address or id.

    ADDRESS is @N as recalls and packs cite it, `last 3` for the third memory of the newest
    recall, meridia://ID, Meridia's id, or the caller's id. --kit prints JSON.
    """
    shared.require_journal()
    with shared.memory(writes=True) as memory:
        here, address, rest = take_memory(memory, words, shared)
        if rest:
            raise InvalidInput(f"give one address: remove {' '.join(rest)!r}")
        details = details_of(here, address)
        if kit:
            print_json(here.chronicle.kit(details.memory.id).as_json())
            return
        others = [details.repeats, details.memory.corrects]
        addresses = {id: f"@{here.get(id).seq}" for id in others if id and here.holds(id)}
    print_answer(shared, details.as_json, lambda: show_memory(details, addresses))


def show_memory(details: MemoryDetails, addresses: Mapping[str, str]) -> None:
    """Print a memory; `addresses` are those of the memories it refers to, by id."""
    experience = details.memory
    rows: list[list[Any]] = [
        ["address", f"@{experience.seq}"],
        *([["id", experience.event_id]] if experience.event_id != experience.id else ()),
        ["from", experience.who],
        ["at", experience.at],
        ["session", experience.session],
        *([["corrected", f"@{experience.superseded_by}"]] if experience.superseded_by else ()),
        *([["corrects", addresses.get(experience.corrects, "–")]] if experience.corrects else ()),
        *([["feeling", felt]] if (felt := _feeling(details.phenomenology)) else ()),
        *([["repeats", addresses.get(details.repeats, "–")]] if details.repeats else ()),
        *([["stored", _outlined(experience)]] if details.is_outline else ()),
        *(
            [["redacted", ", ".join(f"{n} {k}" for k, n in details.redacted.items())]]
            * bool(details.redacted)
        ),
        *([f"{a.kind}", f"{a.uri}  {a.description}"] for a in experience.artifacts),
        *([key, value] for key, value in experience.metadata.items()),
    ]
    table(["", ""], rows)
    console.print(terminal_text(f"\n{experience.text or 'its text is not stored'}"))


def _outlined(experience: Experience) -> str:
    if experience.text:
        return "an outline; its whole text stays for ingest.skeleton_days"
    return "an outline; its text was removed after ingest.skeleton_days"


def _feeling(phenomenology: Phenomenology | None) -> str:
    """Return how something felt in one line; nothing where it felt like nothing."""
    if phenomenology is None:
        return ""
    parts = []
    felt = phenomenology.signature
    if felt and (felt.primary or felt.intensity):
        words = ", ".join(felt.primary) or "no word for it"
        tone = "" if felt.valence is None else f", tone {felt.valence:+.2f}"
        parts.append(f"{words} (strength {felt.intensity:.2f}{tone})")
    if phenomenology.engagement:
        parts.append(phenomenology.engagement.value)
    parts += [f"“{shorten(anchor.phrase, 60)}”" for anchor in phenomenology.anchors]
    parts += [f"open: {shorten(question, 80)}" for question in phenomenology.uncertainties]
    return "; ".join(parts)


#: A smaller effect of an edge on a score is only counted.
_EFFECT_MIN = 0.005


@paged_command()
@click.argument("words", nargs=-1, metavar="[RECALL] [ID]")
def why_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Show an earlier answer with the trace of each score.

    RECALL is the id that `recall --explain` ends with, or `last`, which may be left out before an
    address. With ID, only that memory is shown: its rank in the answer, an address such as @12, or
    an id.
    """
    with shared.memory() as memory:
        recall, address = take_hit(memory, words)
        answer = memory.reasons.recall(recall)
        hits = [documents.hit_at(memory, answer, address)] if address else answer.hits
        shown = replace(answer, hits=hits)
        if shared.as_json:
            print_json(as_json(shown))
        else:
            console.print(terminal_text(answer.question, "bold"))
            show_recall(shown, "all")


@paged_command()
@click.argument("words", nargs=-1, required=True, metavar="[RECALL] ID")
def why_not_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Explain why a memory is not in an earlier answer.

    RECALL is its id or `last`, which may be left out before an address. ID is an address such as
    @12, or an id; a number is a rank in the answer.
    """
    with shared.memory() as memory:
        recall, address = take_hit(memory, words)
        if address is None:
            raise InvalidInput("no memory is named: write `meridia why-not last @12`")
        explanation = memory.reasons.why_not(recall, address)
    print_answer(shared, explanation.as_json, lambda: _show_why_not(explanation))


@paged_command()
@click.argument("words", nargs=-1, metavar="[RECALL] [ID]")
def what_if_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Show the rank of a memory without each edge of its trace.

    RECALL is its id or `last`, which may be left out before an address. ID is its rank in the
    answer (default: 1), an address such as @12, or an id. The question is asked again without each
    edge; the largest effect comes first.
    """
    with shared.memory() as memory:
        recall, given = take_hit(memory, words)
        address = given or "1"
        is_empty = not memory.reasons.record(recall)["hits"] and address == "1"
        counterfactuals = [] if is_empty else memory.reasons.counterfactuals(recall, address)
    counterfactuals.sort(key=effect_of, reverse=True)
    if shared.as_json:
        print_json([counterfactual.as_json() for counterfactual in counterfactuals])
    elif is_empty:
        console.print("the answer has no memories: no edge to leave out", style="dim")
    else:
        show_what_if(counterfactuals)


@command()
@click.argument("recall", default=LAST)
def replay_command(shared: SharedOptions, recall: str) -> int:
    """Ask an earlier question again with the same inputs, and compare.

    RECALL is its id; by default, the newest answer. Exit status 1 if order or scores differ.
    """
    with shared.memory() as memory:
        result = memory.reasons.replay(recall)
    print_answer(shared, result.as_json, lambda: _show_replay(result))
    return 0 if result.identical else 1


def effect_of(counterfactual: Counterfactual) -> float:
    """Return how far an edge moves a score; most of all where it makes a candidate."""
    if counterfactual.score_without is None:
        return math.inf
    return abs(counterfactual.score_without - counterfactual.score)


def show_what_if(counterfactuals: Sequence[Counterfactual]) -> None:
    """Print where a memory would stand without each edge."""
    if not counterfactuals:
        console.print("no edge contributes to its score", style="dim")
        return
    first = counterfactuals[0]
    console.print(terminal_text(f"rank {first.rank}, score {first.score:.3f}", "bold"))
    shown = [edge for edge in counterfactuals if effect_of(edge) >= _EFFECT_MIN]
    if shown:
        table(["without the edge", "rank", "score", "change"], [_row(edge) for edge in shown])
    if less := len(counterfactuals) - len(shown):
        edges = "1 edge changes" if less == 1 else f"{less} edges change"
        console.print(f"{edges} it by less than {_EFFECT_MIN}", style="dim")


def _row(counterfactual: Counterfactual) -> list[Any]:
    if counterfactual.rank_without is None or counterfactual.score_without is None:
        return [counterfactual.description, "no candidate", "–", "–"]
    change = counterfactual.score_without - counterfactual.score
    return [
        counterfactual.description,
        str(counterfactual.rank_without),
        f"{counterfactual.score_without:.3f}",
        f"{change:+.3f}",
    ]


def _show_why_not(explanation: WhyNot) -> None:
    console.print(terminal_text(explanation.cause.value, "bold"))
    for line in explanation.because:
        console.print(terminal_text(line))
    if explanation.lacked:
        rows = [
            [lack.term, *(f"{n:+.3f}" for n in (lack.its, lack.last, lack.its - lack.last))]
            for lack in explanation.lacked
        ]
        table(["term", "its", "the last one's", "difference"], rows)


def _show_replay(result: Replay) -> None:
    if result.identical:
        count = len(result.now)
        console.print(f"identical: {count} memories in the same order, with the same scores")
    else:
        console.print("not the same", style="bold")
    for line in (*result.differences, *result.missing):
        console.print(terminal_text(f"• {line}"))
