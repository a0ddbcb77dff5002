"""`meridia remember`, `update` and `history`: one memory, its corrections, and all its versions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.events import ROLES
from ...core.types import Acknowledgement
from ...service import documents
from ..options import (
    SharedOptions,
    command,
    key_values,
    standard_input,
    take_memory,
    time_of,
)
from ..render import console, moment, paged_command, print_json, table

_ROLES = click.Choice(list(ROLES))


@command()
@click.argument("text")
@click.option("--role", type=_ROLES, help="Who or what it is from.  [default: user]")
@click.option("--person", metavar="P", help="Who says it.")
@click.option("--session", metavar="KEY", help="The session.")
@click.option("--at", metavar="T", help="When it happened.  [default: now]")
@click.option("--id", "id_", metavar="ID", help="Your own id for it.")
@click.option("--meta", multiple=True, metavar="K=V", help="Metadata, which --where filters by.")
@click.option("--tool", metavar="NAME", help="The tool, with --role tool.")
@click.option("--error", is_flag=True, help="The tool failed.")
@click.option("--upsert", is_flag=True, help="With --id: other content is its next version.")
def remember_command(shared: SharedOptions, text: str, **given: Any) -> None:
    """Remember one message, result or note.

    TEXT may be - for standard input.
    """
    fields = {
        "person": given["person"],
        "session": given["session"],
        "at": time_of(given["at"], "--at"),
        "metadata": key_values(given["meta"], "--meta") or None,
        "role": given["role"],
        "tool": given["tool"],
    }
    id, error = given["id_"], given["error"]
    if given["upsert"] and (id is None or error):
        raise InvalidInput("--upsert needs --id, and takes no --error")
    with shared.memory(writes=True) as memory:
        content = standard_input() if text == "-" else text
        if given["upsert"]:
            answer = memory.upsert(id, content, **fields)
        else:
            fields["role"] = fields["role"] or "user"
            answer = memory.remember(content, id=id, error=error, **fields)
    _show_answer(shared, answer)


@command()
@click.argument("words", nargs=-1, required=True, metavar="ADDRESS TEXT")
def update_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Correct a memory: from now on another text is found in its place.

    ADDRESS is @N, an id, or `last 3` for the third memory of the newest recall. TEXT may be - for
    standard input. `meridia history` shows every version.
    """
    with shared.memory() as memory:
        here, address, texts = take_memory(memory, words, shared)
        if len(texts) != 1:
            raise InvalidInput("write the address, then the new text in quotation marks")
        answer = here.update(address, standard_input() if texts[0] == "-" else texts[0])
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
    if shared.as_json:
        print_json([documents.version(memory) for memory in versions])
    else:
        table(
            ["address", "at", "who", "text"],
            [[f"@{m.seq}", moment(m.at), m.who, m.text] for m in versions],
        )


def _show_answer(shared: SharedOptions, answer: Acknowledgement) -> None:
    if shared.as_json:
        print_json(asdict(answer))
    else:
        why = "  (forgotten: it stays out)" if answer.forgotten else ""
        console.print(f"@{answer.seq}  {answer.outcome.word}{why}", markup=False, highlight=False)
