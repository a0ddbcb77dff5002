"""The `meridia` command: finds the asked command, loads only that, and turns errors into exits.

Options that every command shares (`--db`, `--space`, `--config`, `--json`) may stand before or
after its name. Loads nothing but click until a command is known.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import signal
import sys
import threading
import tomllib
from pathlib import Path
from types import FrameType
from typing import Any

import click

from .. import __version__
from ..core import errors, text
from .hook_start import read_event, serves_hook

#: Every Ctrl-C that came.
_interrupts: list[int] = []

#: Group → `first` and `more` → command → its module and a line of help: see the file.
GROUPS = tomllib.loads((Path(__file__).parent / "data" / "commands.toml").read_text("utf-8"))
COMMANDS: dict[str, tuple[str, str]] = {
    name: entry
    for parts in GROUPS.values()
    for part in parts.values()
    for name, entry in part.items()
}


class Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of `help all`, not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name == help_command.name:
            return help_command
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f".commands.{COMMANDS[cmd_name][0]}", __package__)
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first commands of each group, without importing any."""
        _write_groups(formatter, every=False)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse arguments that are no text before anything is done with them."""
        texts = []
        for argument in args:
            try:  # bytes of UTF-8, whatever encoding the environment names
                texts.append(os.fsencode(argument).decode("utf-8"))
            except UnicodeError:
                raise click.UsageError(f"argument {argument!a} is not UTF-8 text", ctx) from None
        return super().parse_args(ctx, texts)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that closes the pipe early is no failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _discard_output()
            return 0

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest name for an unknown command."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # noqa: PLC0415 - only for a mistyped command

            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            if near:
                hint = f"{error.message} Did you mean {near[0]!r}?"
                raise click.UsageError(hint, ctx) from None
            raise


def _write_groups(formatter: click.HelpFormatter, *, every: bool) -> None:
    width = max(map(len, COMMANDS))
    for title, parts in GROUPS.items():
        with formatter.section(title):
            names = (*parts["first"], *parts["more"]) if every else parts["first"]
            formatter.write_dl([(name.ljust(width), COMMANDS[name][1]) for name in names])


@click.command("help")
@click.argument("topic", default="")
@click.pass_context
def help_command(ctx: click.Context, topic: str) -> None:
    """Show the help of a command; `meridia help all` lists every command."""
    root = ctx.find_root()
    if topic == "all":
        formatter = ctx.make_formatter()
        _write_groups(formatter, every=True)
        click.echo(formatter.getvalue().strip())
        return
    command = cli.get_command(root, topic) if topic else cli
    if command is None:
        raise click.UsageError(
            f"there is no command {topic!r}: `meridia help all` lists every command"
        )
    own = click.Context(command, parent=root, info_name=topic) if topic else root
    click.echo(command.get_help(own))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"`meridia help all` lists all {len(COMMANDS)} commands.",
)
@click.version_option(__version__, prog_name="meridia")
@click.option("--db", metavar="FILE", help="The journal's file.  [env: MERIDIA_DB]")
@click.option("--space", metavar="NAME", help="The space.  [env: MERIDIA_SPACE; default: default]")
@click.option("--config", metavar="FILE", help="A settings file.  [env: MERIDIA_CONFIG]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.option("--no-pager", is_flag=True, help="Print long output at once, also on a terminal.")
@click.pass_context
def cli(ctx: click.Context, /, **shared: Any) -> None:
    """Meridia is a memory service for AI agents that explains every result.

    First time here: `meridia demo`. Every command has --help.
    """
    ctx.obj = shared


def main() -> None:
    """Run the command line; every error on purpose becomes one line and its exit status."""
    # Most of what is made at the start stays: to look for cycles in it again and again is waste.
    gc.set_threshold(50_000, 20, 20)
    if serves_hook():
        read_event()
        _prepare_streams()
        _run()
        sys.exit(0)
    _prepare_streams()
    _prepare_interrupts()
    sys.exit(_run())


def _run() -> int:
    try:
        result = cli.main(standalone_mode=False)
        # Here a full disk can still be reported; when Python itself flushes, it could not.
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        if _wants_json():
            _show_error("usage", error.format_message(), "")
        else:
            error.show()
        return error.exit_code
    except BrokenPipeError:
        _discard_output()
        return 0
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _tell_interrupt()
    except Exception as error:  # noqa: BLE001 - the edge of the process
        # Drivers of databases make other errors of it: of an interrupt, those are no news.
        return _tell_interrupt() if _interrupts else _exit(error)


def _tell_interrupt() -> int:
    _show_error("interrupted", "interrupted; acknowledged events are stored", "")
    return 130


def _prepare_interrupts() -> None:
    """Note each Ctrl-C, and repeat one that came within a destructor, where Python drops it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _repeat_interrupt


def _interrupt(number: int, frame: FrameType | None) -> None:
    _interrupts.append(number)
    signal.default_int_handler(number, frame)


def _repeat_interrupt(dropped: Any) -> None:
    if isinstance(dropped.exc_value, KeyboardInterrupt) and hasattr(signal, "pthread_kill"):
        again = threading.main_thread().ident, signal.SIGINT
        threading.Timer(0.01, signal.pthread_kill, again).start()
    else:
        sys.__unraisablehook__(dropped)


def _exit(error: Exception) -> int:
    """Print an error raised on purpose and return its exit status; let others be seen whole.

    What the operating system refuses (a full disk, a path that cannot be) is told like our own.
    """
    if not isinstance(error, (errors.MeridiaError, OSError)):
        raise error
    code = error.code if isinstance(error, errors.MeridiaError) else "system"
    _show_error(code, str(error), "meridia: ")
    if isinstance(error, errors.MeridiaError):
        return errors.exit_status(error)
    _discard_output()
    return 1


def _wants_json() -> bool:
    """Say whether errors are for machines: the line that failed may not even have been parsed."""
    words = sys.argv[1:]
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _show_error(code: str, message: str, prefix: str) -> None:
    if _wants_json():
        click.echo(text.json_line({"error": {"code": code, "message": message}}), err=True)
    else:
        click.echo(text.printable(f"{prefix}{message}"), err=True)


def _prepare_streams() -> None:
    """Make the standard streams usable: one that was closed, one that cannot write every sign."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115 - for good
            setattr(sys, name, stream)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _discard_output() -> None:
    """Let what is still buffered go nowhere, so that Python can end in silence."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
