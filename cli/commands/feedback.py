"""`meridia feedback`, `ideas`, `forget` and `receipt`: what a person decides about memories."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from ...core.calls.cleaning import read_json_object
from ...core.errors import Damaged, InvalidInput, NotFound
from ...core.text import counted, shorten
from ...ingest.ideas import Idea, IdeaState
from ...memory import Memory
from ...service.parameters import FeedbackParameters, ForgetParameters
from ..options import SharedOptions, command, take_address
from ..parameters import options_of, where_option
from ..render import (
    Columns,
    at,
    console,
    moment,
    paged_command,
    print_answer,
    print_documents,
    print_json,
    remark,
    table,
    terminal_text,
)

if TYPE_CHECKING:
    from ...ingest.forgetting.forgetting_service import ForgettingResult
    from ...memory import Memory

_VERDICTS = ("useful", "stale", "wrong")


@paged_command()
@click.argument("words", nargs=-1, metavar="[ID] [useful|stale|wrong]")
@options_of(FeedbackParameters, "rating note undo")
@click.option("--report", is_flag=True, help="Show hit rates and ratings by mode.")
@click.option("--list", "listed", is_flag=True, help="Show the newest feedback.")
def feedback_command(
    shared: SharedOptions,
    words: tuple[str, ...],
    report: bool,
    listed: bool,
    undo: bool,
    **given: Any,
) -> None:
    """Give feedback on a memory, recall or pack, or undo it.

    ID is the address or id of a memory, or the id of a recall or pack; `last` is the newest
    recall, `last 3` its third memory. Feedback changes later rankings, within the limit
    recall.feedback_max.
    """
    with shared.memory() as memory:
        if report or listed:
            _print_feedback(memory, report, shared)
            return
        if not words:
            raise InvalidInput(
                "the ID is missing: write `meridia feedback ID useful`, --list or --report"
            )
        address, rest = take_address(words)
        if len(rest) > 1:
            raise InvalidInput(f"give one verdict: remove {' '.join(rest[1:])!r}")
        verdict = rest[0] if rest else None
        done = _do(memory, address, {"verdict": verdict, **given}, undo)
    target = " ".join(words[: len(words) - len(rest)])
    said = f"noted for {target}; take it back: meridia feedback {target} --undo"
    shown = terminal_text(f"undone for {target}" if undo else said)
    print_answer(shared, lambda: done, lambda: console.print(shown))


def _do(memory: Memory, address: str, given: Mapping[str, Any], undo: bool) -> dict[str, Any]:
    verdict = given["verdict"]
    if undo:
        if any(given.values()):
            raise InvalidInput("--undo takes only an ID")
        return {"undone": memory.feedback.undo(address)}
    if verdict is not None and verdict not in _VERDICTS:
        raise InvalidInput(
            f"verdict {verdict!r} does not exist: choose from {', '.join(_VERDICTS)}"
        )
    return {"feedback": memory.feedback(address, **given)}


def _print_feedback(memory: Memory, report: bool, shared: SharedOptions) -> None:
    given = memory.feedback.rates() if report else memory.feedback.newest()
    columns = _RATES if report else _GIVEN
    print_documents(shared, [one.as_json() for one in given], columns, "no feedback yet")


def _written(name: str, form: str) -> Callable[[Mapping[str, Any]], str]:
    """Return a column: a number in a form of its own."""
    return lambda row: "–" if row[name] is None else format(row[name], form)


_RATES: Columns = [
    *("mode", "observed", "shown", "referenced"),
    ("hit rate", _written("hit_rate", ".0%")),
    ("rating", _written("rating", ".1f")),
    *_VERDICTS,
]
_GIVEN: Columns = [
    *("id", ("about", "reconstitution_id")),
    ("mode", lambda row: row["mode"] or "memory"),
    ("when", at("ts")),
    ("verdict", lambda row: f"{row['verdict'] or '–'}{' (undone)' * row['taken_back']}"),
    *(("rating", "user_rating"), ("hit rate", "auto_score"), ("note", "notes")),
]


@paged_command()
@click.argument(
    "action", type=click.Choice(["list", "propose", "approve", "reject"]), default="list"
)
@click.argument("id", required=False)
@click.option("--all", "every", is_flag=True, help="Include ideas that were approved or rejected.")
def ideas_command(shared: SharedOptions, action: str, id: str | None, every: bool) -> None:
    """List pairs of memories that may belong together, and decide.

    They are proposed while the service is idle (daydream.enabled), or by `propose`. `approve` adds
    an association to the graph; `reject` removes the pair from the list.

    \b
    Examples:
      meridia ideas propose
      meridia ideas approve idea_5e1c7b20a94d3f1886c2ab07
    """  # noqa: D301 - click takes the \b for "do not wrap"
    if (id is None) != (action in ("list", "propose")):
        expected = "an idea's id" if id is None else "no id"
        raise InvalidInput(f"ideas {action} takes {expected}: `meridia ideas` lists them")
    with shared.memory() as memory:
        if action == "propose":
            memory.enrich()
            ideas = memory.ideas.propose()
        elif action == "list":
            ideas = memory.ideas.listed(None if every else IdeaState.PROPOSED)
        else:
            decide = memory.ideas.approve if action == "approve" else memory.ideas.reject
            ideas = [decide(str(id))]
    if shared.as_json:
        print_json([idea.as_json() for idea in ideas])
    elif ideas:
        for idea in ideas:
            _show_idea(idea)
    else:
        nothing = {"propose": "no pair of memories belongs together"}
        console.print(nothing.get(action, "no ideas: `meridia ideas propose` looks for some"))


def _show_idea(idea: Idea) -> None:
    table(
        [idea.id, f"{idea.state}, insight {idea.insight:.2f}"],
        [[f"@{m.seq} {moment(m.at)}", shorten(m.text, 200)] for m in (idea.earlier, idea.later)],
    )


#: Addresses shown of memories that name a person who is forgotten.
_NAMED_SHOWN = 10


@command()
@options_of(ForgetParameters, "person session")
@click.option(
    "--id",
    "ids",
    metavar="ID",
    multiple=True,
    callback=lambda _, __, ids: list(ids) or None,
    help="A memory: @N, an id, or 'last 3'; may be repeated.",
)
@where_option("By metadata, as in `list`.")
@options_of(ForgetParameters, "kind before")
@click.option("--all", "everything", is_flag=True, help="Everything in the space.")
@click.option("--dry-run", is_flag=True, help="Show what would be erased, and no more.")
@click.option("--yes", is_flag=True, help="Forget without asking.")
@click.option("--receipt", "receipt_file", metavar="FILE", help="Write the receipt to FILE.")
def forget_command(
    shared: SharedOptions,
    everything: bool,
    dry_run: bool,
    yes: bool,
    receipt_file: str | None,
    **given: Any,
) -> int:
    """Forget a person, a session or memories, everywhere and for good.

    Shows what would be erased, and asks; --yes erases it at once, --dry-run does not. Several
    options together select what matches all of them. Nothing brings it back: neither a rebuild nor
    a second import of the same events. The receipt proves what was done: `meridia receipt verify
    FILE`.
    """
    if everything and any(value is not None for value in given.values()):
        raise InvalidInput("--all forgets the whole space: give it alone")
    if receipt_file is not None and Path(receipt_file).exists():
        raise InvalidInput(f"{receipt_file} exists: name a new file for the receipt")
    if dry_run and yes:
        raise InvalidInput("--dry-run forgets nothing: give it without --yes")
    shared.require_journal()
    with shared.memory() as memory:
        result = _forget(memory, everything, given, dry_run=True)
        if not shared.as_json:
            _show(result)
        asks = not (yes or dry_run or shared.as_json) and result.memories
        if asks and not _confirm():
            return 1
        if (yes or asks) and (result.memories or result.entries):
            with _receipt(receipt_file) as file:
                result = _forget(memory, everything, given, dry_run=False)
                if file is not None and result.receipt is not None:
                    file.write(json.dumps(result.receipt, ensure_ascii=False, indent=2) + "\n")
    if shared.as_json:
        print_json(result.as_json())
    elif not result.dry_run:
        _show_done(result, receipt_file)
    return 0


def _confirm() -> bool:
    try:
        return click.confirm("Forget this for good?", err=True)
    except click.Abort as ended:
        if not isinstance(ended.__context__, EOFError):
            raise
        click.echo(err=True)
        raise InvalidInput(
            "no answer, nothing was forgotten: --yes forgets without asking"
        ) from None


def _forget(
    memory: Memory, everything: bool, given: dict[str, Any], *, dry_run: bool
) -> ForgettingResult:
    if everything:
        return memory.forget_space(dry_run=dry_run)
    return memory.forget(**given, dry_run=dry_run)


def _memories(count: int) -> str:
    return counted(count, "memory", "memories")


def _show(result: ForgettingResult) -> None:
    rows = [["journal", kind, count] for kind, count in result.entries.items()]
    rows += [["store", place, count] for place, count in result.places.items()]
    if rows:
        table(["where", "what", "would go"], rows)
    console.print(f"{_memories(result.memories)} of space {result.space}", markup=False)
    if result.named_in:
        console.print(f"named in {_memories(len(result.named_in))} of others, which stay:")
        for address in result.named_in[:_NAMED_SHOWN]:
            console.print(f"  {address}", markup=False)


def _show_done(result: ForgettingResult, receipt_file: str | None) -> None:
    console.print(f"forgotten: {_memories(result.memories)}")
    if receipt_file is not None:
        console.print(f"receipt: {receipt_file}", markup=False)
    for note in result.notes:
        remark(note)


@contextmanager
def _receipt(name: str | None) -> Iterator[TextIO | None]:
    """Give the file of the receipt, if any: it can be written before anything is forgotten."""
    if name is None:
        yield None
        return
    try:
        file = Path(name).open("x", encoding="utf-8")  # noqa: SIM115 - closed below
    except OSError as error:
        raise InvalidInput(
            f"{name} cannot be written ({error.strerror}): nothing was forgotten"
        ) from None
    with file:
        try:
            yield file
        except BaseException:
            Path(name).unlink()
            raise


@command()
@click.argument("action", type=click.Choice(["verify"]))
@click.argument("file")
def receipt_command(shared: SharedOptions, action: str, file: str) -> None:  # noqa: ARG001 - one
    """Check the receipt of a forgetting.

    `meridia receipt verify FILE` says whether this journal made it, whether it was changed since,
    and whether what it names is gone. Exit status 6 if anything is wrong.
    """
    try:
        receipt = read_json_object(Path(file).read_bytes(), file)
    except FileNotFoundError:
        raise NotFound(f"there is no file {file}") from None
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error}") from None
    shared.require_journal()
    with shared.memory(writes=True) as memory:
        problems = memory.upkeep.check_receipt(receipt)
    if shared.as_json:
        print_json({"valid": not problems, "problems": problems})
    elif not problems:
        console.print(
            f"valid: {_memories(receipt['memories'])} forgotten at {receipt['at']}",
            markup=False,
        )
    if problems:
        raise Damaged("the receipt is not valid: " + "; ".join(problems))
