"""`meridia recall` and `show`: memories and the reasons for them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.experience import Phenomenology
from ...core.text import shorten
from ...core.types import MemoryRecord as Experience
from ...retrieval.recall_result import as_json
from ...service.documents import MemoryDetails, details_of
from ...service.parameters import RecallParameters
from ..options import SharedOptions, pairs_option, take_memory, wait_option
from ..parameters import filter_options, options_of
from ..recall_view import Detail, show_recall
from ..render import console, paged_command, print_answer, print_json, table, terminal_text


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
