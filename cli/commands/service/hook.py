"""`meridia hook`: what a coding agent calls at its hooks. It answers at once and never fails.

By the time this runs the agent has gone on, unless its session begins: see `hook_start`. Errors go
to a log beside the journal.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from ....core.errors import Conflict
from ....service import agent_hooks
from ...options import SharedOptions, command

_AGENTS = ("claude-code", "codex", "gemini-cli", "cursor")
#: A hook waits no longer for enrichment, seconds.
_WAIT_S = 1.0


@command(context_settings={"ignore_unknown_options": True})
@click.argument("action", default="run", metavar="[install|remove]")
@click.option("--agent", type=click.Choice(_AGENTS), default="claude-code", help="Whose settings.")
@click.option("--user", is_flag=True, help="For all projects of this user, not only this folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change in the settings.")
@click.option("--person", metavar="P", help="Who talks with the agent.")
@click.option("--tokens", type=int, default=1000, help="The budget of the pack for a new session.")
def hook_command(
    shared: SharedOptions,
    action: str,
    agent: str,
    user: bool,
    dry_run: bool,
    person: str | None,
    tokens: int,
) -> None:
    """Serve the hooks of a coding agent, or install them.

    Without an argument, reads a hook's event from standard input: it captures messages and tool
    results, gives a new session the pack it needs to continue, and writes an episode before the
    context is compacted. Always exits with 0; errors go to a log beside the journal.

    `meridia hook install` adds the hooks to the settings of an agent, `remove` removes them.
    """
    if action in {"install", "remove"}:
        folder = Path.home() if user else Path.cwd()
        command = _command(shared, person) if action == "install" else None
        planned = agent_hooks.change(agent, folder, command)
        click.echo(planned.diff() or f"{planned.path}: nothing to change")
        if not dry_run:
            planned.write()
        return
    try:
        _serve(shared, person, tokens)
    except Exception as error:  # noqa: BLE001 - an agent must not fail by its memory
        _log(shared, error)


def _serve(shared: SharedOptions, person: str | None, tokens: int) -> None:
    fields = agent_hooks.fields_of(sys.stdin.buffer.read())
    action = agent_hooks.action_of(fields, datetime.now(UTC), person)
    if action.wants_context:
        if text := _context(shared, person, tokens):
            click.echo(agent_hooks.context_answer(action, text))
    elif action.event is not None:
        with shared.memory(writes=True) as memory:
            with suppress(Conflict):  # a call that was told before, at another time: one event
                memory.capture(action.event)
            if action.event["kind"] == "session_boundary":
                memory.enrich()


def _context(shared: SharedOptions, person: str | None, tokens: int) -> str:
    """Return what a session needs to go on; empty where nothing is known yet."""
    if not shared.database.exists():
        return ""
    with shared.memory({"recall.wait_s": _WAIT_S}, writes=True) as memory:
        made = memory.resume(person, tokens) if person else None
        made = made or memory.reconstitute(tokens=tokens)
        return made.text if made else ""


def _command(shared: SharedOptions, person: str | None) -> str:
    words = [shutil.which("meridia") or sys.argv[0], "hook"]
    for option, value in (
        ("--db", shared.db and str(Path(shared.db).resolve())),
        ("--space", shared.space),
        ("--config", shared.config and str(Path(shared.config).resolve())),
        ("--person", person),
    ):
        words += [option, value] if value else []
    return agent_hooks.installed_command(words)


def _log(shared: SharedOptions, error: Exception) -> None:
    """Add a line to the log beside the journal; it holds no content."""
    line = f"{datetime.now(UTC).isoformat()} {type(error).__name__}: {error}\n"
    with suppress(Exception):
        path = shared.database.with_name(f"{shared.database.name}-hook.log")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(log, line.encode("utf-8", "replace"))
        os.close(log)
