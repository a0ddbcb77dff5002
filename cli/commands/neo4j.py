"""`meridia neo4j`: a real Neo4j on this machine, for whoever has Java and Maven but no Docker."""

from __future__ import annotations

from pathlib import Path

import click
import platformdirs

from ...core.errors import NotFound
from ...graph import local_neo4j
from ..options import SharedOptions, shared_options
from ..render import console, print_json

_HOME = click.option("--home", metavar="FOLDER", help="The folder of its data.")


def _folder(home: str | None) -> Path:
    return Path(home) if home else Path(platformdirs.user_data_dir("meridia")) / "neo4j"


@click.group()
def neo4j_command() -> None:
    """Start and stop a Neo4j server on this machine, without Docker.

    Neo4j Community is started from Maven's jars (about 120 MB, loaded once) as a separate process,
    on the loopback address only.
    """


@neo4j_command.command()
@click.option(
    "--version",
    metavar="V",
    default=local_neo4j.DEFAULT_VERSION,
    show_default=True,
    help="Version of Neo4j: 5.26 or a calendar release.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=7687,
    show_default=True,
    help="Its port; 0 for any free port.",
)
@_HOME
@shared_options
def start(shared: SharedOptions, version: str, port: int, home: str | None) -> int:
    """Start the server, and print the settings for Meridia."""
    server = local_neo4j.start(version, home=_folder(home), port=port)
    _show(shared, server)
    return 0


@neo4j_command.command()
@_HOME
@shared_options
def status(shared: SharedOptions, home: str | None) -> int:
    """Show whether the server runs, and the settings for Meridia."""
    _show(shared, _running(home))
    return 0


@neo4j_command.command()
@_HOME
@shared_options
def stop(shared: SharedOptions, home: str | None) -> int:
    """Stop the server; its data is kept."""
    local_neo4j.stop(_running(home))
    if shared.as_json:
        print_json({"stopped": True})
    else:
        console.print("stopped")
    return 0


def _running(home: str | None) -> local_neo4j.LocalNeo4j:
    server = local_neo4j.find(_folder(home))
    if server is None:
        raise NotFound(f"no Neo4j server runs in {_folder(home)}: `meridia neo4j start` starts one")
    return server


def _show(shared: SharedOptions, server: local_neo4j.LocalNeo4j) -> None:
    if shared.as_json:
        fields = {"uri": server.uri, "user": server.user, "password": server.password}
        print_json(
            fields | {"version": server.version, "home": str(server.home), "pid": server.pid}
        )
        return
    console.print(f"Neo4j {server.version} listens on {server.uri}; set", soft_wrap=True)
    for name, value in (
        ("ENGINE", "neo4j"),
        ("NEO4J_URI", server.uri),
        ("NEO4J_USER", server.user),
        ("NEO4J_PASSWORD", server.password),
    ):
        console.print(f"  export MERIDIA_GRAPH_{name}={value}", soft_wrap=True, markup=False)
