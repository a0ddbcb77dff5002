"""`meridia remember`, `update` and `history`: one memory, its corrections, and all its versions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.types import Acknowledgement
from ...service import documents
from ...service.parameters import RememberParameters, UpdateParameters, UpsertParameters
from ..options import SharedOptions, command, pairs_option, standard_input, take_memory
from ..parameters import options_of
from ..render import console, moment, paged_command, print_answer, table

_meta_option = pairs_option("--meta", "metadata", "Metadata, which --where filters by.")


@command()
@click.argument("text")
@options_of(UpsertParameters, "role")
@options_of(RememberParameters, "person session at id")
@_meta_option
@options_of(RememberParameters, "tool error")
@click.option("--upsert", is_flag=True, help="With --id: other content is its next version.")
def remember_command(
    shared: SharedOptions, text: str, id: str | None, error: bool, upsert: bool, **given: Any
) -> None:
    """Remember one message, result or note.

    TEXT may be - for standard input.
    """
    if upsert and (id is None or error):
        raise InvalidInput("--upsert needs --id, and takes no --error")
    with shared.memory(writes=True) as memory:
        content = standard_input() if text == "-" else text
        if upsert:
            answer = memory.upsert(str(id), content, **given)
        else:
            given["role"] = given["role"] or "user"
            answer = memory.remember(content, id=id, error=error, **given)
    _show_answer(shared, answer)


@command()
@click.argument("words", nargs=-1, required=True, metavar="ADDRESS TEXT")
@options_of(UpdateParameters, "at id")
@_meta_option
def update_command(
    shared: SharedOptions, words: tuple[str, ...], id: str | None, **given: Any
) -> None:
    """Correct a memory: from now on another text is found in its place.

    ADDRESS is @N, an id, or `last 3` for the third memory of the newest recall. TEXT may be - for
    standard input. `meridia history` shows every version.
    """
    with shared.memory() as memory:
        here, address, texts = take_memory(memory, words, shared)
        if len(texts) != 1:
            raise InvalidInput("write the address, then the new text in quotation marks")
        text = standard_input() if texts[0] == "-" else texts[0]
        answer = here.update(address, text, version_id=id, **given)
    _show_answer(shared, answer)


@paged_command()
@click.argument("words", nargs=-1, required=True, metavar="ADDRESS")
def history_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Show every version of a memory, oldest first.

    ADDRESS is @N, an id, or `last 3` for the third memory of the newest recall.
    """
    with shared.memory() as memory:
        here, address, rest = take_memory(memory, words, shared)
        if rest:
            raise InvalidInput(f"give one address: remove {' '.join(rest)!r}")
        versions = here.history(address)
    rows = [[f"@{m.seq}", moment(m.at), m.who, m.text] for m in versions]
    print_answer(
        shared,
        lambda: [documents.version(memory) for memory in versions],
        lambda: table(["address", "at", "who", "text"], rows),
    )


def _show_answer(shared: SharedOptions, answer: Acknowledgement) -> None:
    why = "  (forgotten: it stays out)" if answer.forgotten else ""
    said = f"@{answer.seq}  {str(answer).removeprefix(f'[{answer.address}] ')}{why}"
    print_answer(shared, lambda: asdict(answer), lambda: console.print(said, markup=False))
