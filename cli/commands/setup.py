"""`meridia init`, `config` and `doctor`: what is set, and what is there."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable

import click

from ...core.errors import MeridiaError, Unavailable
from ...core.settings import Settings
from ...core.settings_loader import keys, section_of, variable
from ...memory import Memory
from ...models.encoders import encoder_of
from ..options import SharedOptions, shared_options
from ..render import console, print_json, table


@click.command()
@shared_options
def init_command(shared: SharedOptions) -> int:
    """Create a journal and print its path.

    Optional: the first capture creates one too. An existing journal is not changed.
    """
    existed = shared.database.exists()
    with shared.memory(writes=True) as memory:
        path = memory.parts.path
    if shared.as_json:
        print_json({"journal": str(path), "created": not existed})
    else:
        console.print(f"{'exists' if existed else 'created'} {path}", soft_wrap=True, markup=False)
    return 0


@click.command()
@click.option("--set", "only_set", is_flag=True, help="Only values that are not defaults.")
@shared_options
def config_command(shared: SharedOptions, only_set: bool) -> int:
    """Show every setting and where its value comes from.

    Defaults, then the file, then the environment, then the flags of a command; the last one wins.
    """
    loaded = shared.load()
    rows = []
    for key in keys():
        name = key.partition(".")[2]
        section = section_of(loaded.settings, key.partition(".")[0])
        value, about = getattr(section, name), type(section).model_fields[name].description or ""
        if not only_set or loaded.origins[key] != "default":
            rows.append([key, value if isinstance(value, (int, float)) else str(value)])
            rows[-1] += [loaded.origins[key], variable(key), about]
    columns = ["setting", "value", "from", "environment", "meaning"]
    if shared.as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        table(columns, [[row[0], str(row[1]), *row[2:]] for row in rows])
    return 0


@click.command()
@click.option("--engine", type=click.Choice(["embedded", "neo4j"]), help="Which graph engine.")
@shared_options
def doctor_command(shared: SharedOptions, engine: str | None) -> int:
    """Check what Meridia needs on this machine.

    Each line is a check and its result. Exit status 5 if something is missing.
    """
    rows: list[tuple[str, bool, str]] = [
        ("python", True, platform.python_version()),
        ("meridia", True, importlib.metadata.version("meridia")),
    ]
    settings = shared.load({"graph.engine": engine}).settings
    rows.append(_check("journal", lambda: _journal(shared)))
    rows.append(_check("embedder", lambda: _embedder(settings)))
    rows.append(_check(f"graph ({settings.graph.engine})", lambda: _graph(shared, engine)))
    if shared.as_json:
        print_json([{"check": name, "ok": ok, "result": result} for name, ok, result in rows])
    else:
        table(
            ["check", "", "result"], [[name, "ok" if ok else "FAILED", f] for name, ok, f in rows]
        )
    if not all(ok for _, ok, _ in rows):
        raise Unavailable("something that Meridia needs is missing: see above")
    return 0


def _check(name: str, attempt: Callable[[], str]) -> tuple[str, bool, str]:
    try:
        return name, True, attempt()
    except MeridiaError as error:
        return name, False, str(error)


def _journal(shared: SharedOptions) -> str:
    if not shared.database.exists():
        return f"none yet at {shared.database}"
    with shared.memory(writes=True) as memory:
        return f"{shared.database}, {len(memory.parts.journal.spaces())} spaces"


def _embedder(settings: Settings) -> str:
    if not settings.embedding.enabled:
        return "switched off (embedding.enabled)"
    encoder = encoder_of(settings.embedding.model, settings.embedding.threads)
    encoder.embed(["Does it work?"])
    return encoder.model


def _graph(shared: SharedOptions, engine: str | None) -> str:
    with Memory.open(settings=shared.load({"graph.engine": engine}).settings) as memory:
        return f"{memory.graph().name} is available"
