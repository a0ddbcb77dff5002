"""Writes docs/reference.md, the reference of the command line, from the commands themselves.

    python -m docs.reference            write it
    python -m docs.reference --check    exit with 1 when it is not what would be written

Run from the root of the repository. Nothing is described here that `--help` does not say.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from meridia.cli.main import cli
from meridia.core.settings import Settings
from meridia.core.settings_loader import keys, section_of, variable

REFERENCE = Path(__file__).with_name("reference.md")
_OPENING = """\
# Reference of the command line

Written by `make docs` from what `--help` says; `make check` fails when it is out of date. The
shapes of `--json` are in [json.md](json.md). `meridia help all` lists the commands by group.

Your shell completes commands and options after this line in its start file:

    eval "$(_MERIDIA_COMPLETE=bash_source meridia)"      # bash: ~/.bashrc
    eval "$(_MERIDIA_COMPLETE=zsh_source meridia)"       # zsh: ~/.zshrc
    _MERIDIA_COMPLETE=fish_source meridia | source       # fish: ~/.config/fish/config.fish
"""
_EXITS = """\
## Exit statuses

| status | meaning |
|---|---|
| 0 | done; an empty answer is an answer |
| 1 | failed, or some of the input was refused; the rest was stored |
| 2 | usage: the input is wrong, and the message says what and where |
| 3 | a named thing does not exist |
| 4 | refused: understood, but not allowed |
| 5 | a dependency is down or busy |
| 6 | damage found |
"""


def main() -> None:
    """Write the reference, or compare it."""
    parser = argparse.ArgumentParser(description=inspect.getdoc(sys.modules[__name__]))
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    wanted = reference()
    if not check:
        REFERENCE.write_text(wanted, "utf-8")
        return
    current = REFERENCE.read_text("utf-8") if REFERENCE.exists() else ""
    if current != wanted:
        difference = difflib.unified_diff(
            current.splitlines(), wanted.splitlines(), "docs/reference.md", "commands", lineterm=""
        )
        sys.exit("\n".join([*difference, "docs/reference.md is out of date: run `make docs`"]))


def reference() -> str:
    """Return the whole reference as Markdown."""
    context = click.Context(cli, info_name="meridia")
    shared = _shared(context)
    parts = [_OPENING, _exits_and_shared(context)]
    parts += [_command(*context_and_command, shared) for context_and_command in commands(context)]
    return "\n".join([*parts, _settings()])


def commands(context: click.Context) -> Iterator[tuple[click.Context, click.Command]]:
    """Yield every command with its context, in the order of `meridia --help`."""
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{name} is listed and does not exist"
        own = click.Context(command, parent=context, info_name=name)
        yield own, command
        if isinstance(command, click.Group):
            yield from commands(own)


def _shared(context: click.Context) -> set[str]:
    """Return the names of the options that every command takes."""
    return {
        name
        for parameter in context.command.get_params(context)
        for name in parameter.opts
        if name not in {"--version", "--help"}
    }


def _exits_and_shared(context: click.Context) -> str:
    options = _options(context, context.command.get_params(context))
    before = "## Options of every command\n\nGive them before or after the command's name."
    return f"{before}\n\n{options}\n{_EXITS}"


def _command(context: click.Context, command: click.Command, shared: set[str]) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines = [f"## `{context.command_path}`", "", f"    {usage}", "", *_prose(command.help or "")]
    own = [
        parameter
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and not {"--help", *shared} & set(parameter.opts)
    ]
    if own:
        lines += ["", _options(context, own).rstrip()]
    if command.epilog:
        lines += ["", command.epilog]
    return "\n".join([*lines, ""])


def _prose(help_text: str) -> list[str]:
    """Return a help text as Markdown; a block that click must not wrap becomes code."""
    lines, verbatim = [], False
    for line in inspect.cleandoc(help_text).splitlines():
        if line == "\b":
            verbatim = True
            continue
        verbatim = verbatim and bool(line)
        if verbatim and not line.startswith(" "):
            lines += [line, ""]
        else:
            lines.append(f"  {line}" if verbatim else line)
    return lines


def _options(context: click.Context, parameters: Sequence[click.Parameter]) -> str:
    rows = ["| option | meaning |", "|---|---|"]
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is not None:
            name, meaning = (" ".join(cell.replace("|", "\\|").split()) for cell in record)
            rows.append(f"| `{name}` | {meaning} |")
    return "\n".join([*rows, ""])


def _settings() -> str:
    """Return every setting with its default and environment variable."""
    rows = [
        "## Settings",
        "",
        "A setting comes from its default, the settings file (TOML, one table for each section),",
        "the environment, or an option of the command; a later source overrides an earlier one.",
        "`meridia config` shows the source of each value. Any other variable that begins with",
        "`MERIDIA_` is ignored, and named on standard error with the most similar setting.",
        "",
        "| setting | default | environment | meaning |",
        "|---|---|---|---|",
    ]
    defaults = Settings()
    for key in keys():
        name = key.partition(".")[2]
        section = section_of(defaults, key.partition(".")[0])
        value, field = getattr(section, name), type(section).model_fields[name]
        rows.append(f"| `{key}` | `{value}` | `{variable(key)}` | {field.description} |")
    return "\n".join([*rows, ""])


if __name__ == "__main__":
    main()
