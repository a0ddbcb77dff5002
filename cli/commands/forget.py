"""`meridia forget` and `receipt`: preview a forgetting, do it, and check its receipt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from ...core.calls.cleaning import read_json_object
from ...core.errors import Damaged, InvalidInput, NotFound
from ...core.text import counted
from ...service.parameters import ForgetParameters
from ..options import SharedOptions, command
from ..parameters import options_of, where_option
from ..render import console, print_json, remark, table

if TYPE_CHECKING:
    from ...ingest.forgetting.forgetting_service import ForgettingResult
    from ...memory import Memory

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
