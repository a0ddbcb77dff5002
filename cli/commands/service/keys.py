"""`meridia keys`: the keys of those who call the service."""

from __future__ import annotations

from typing import TextIO

import click

from ....core.errors import NotFound
from ....storage.api_keys import EVERY_SPACE, Access
from ....storage.postgres.following import open_journal
from ...options import SharedOptions, command
from ...render import print_documents, print_json

_ACCESS = click.Choice([access.name.lower() for access in Access])


@command()
@click.argument("action", type=click.Choice(["list", "create", "revoke"]), default="list")
@click.argument("id", metavar="[ID]", required=False)
@click.option(
    "--access", type=_ACCESS, default="write", show_default=True, help="What the key allows."
)
@click.option("--for", "spaces", metavar="SPACE", multiple=True, help="A space; may be repeated.")
@click.option("--every-space", is_flag=True, help="All spaces, including later ones.")
@click.option("--label", metavar="TEXT", default="", help="What it is for.")
@click.option(
    "--given", metavar="FILE", type=click.File(), help="A key that was made elsewhere; - reads it."
)
def keys_command(
    shared: SharedOptions,
    action: str,
    id: str | None,
    access: str,
    spaces: tuple[str, ...],
    every_space: bool,
    label: str,
    given: TextIO | None,
) -> None:
    """List, create or revoke the keys of the service.

    A key gives read, write or admin access (which includes forgetting) to its spaces (default:
    --space). It is shown once: only a hash is stored. Revoking takes effect at once. With --given,
    the journals of several replicas take one key; given again, it opens what is named then.

    \b
    Examples:
      meridia keys create --for work --access write --label "laptop"
      meridia keys revoke 3f2a90c81b5d
    """  # noqa: D301 - click takes the \b for "do not wrap"
    if (id is None) == (action == "revoke"):
        wanted = "needs the id of a key" if action == "revoke" else "takes no id"
        raise click.UsageError(f"`keys {action}` {wanted}")
    if action != "create" and not shared.database.exists():
        raise NotFound(f"there is no journal at {shared.database}: `meridia init` makes one")
    store = open_journal(shared.database, shared.load().settings)
    try:
        if action == "create":
            named = spaces or (shared.named_space or "default",)
            chosen = (EVERY_SPACE,) if every_space else named
            taken = given.read().strip() if given else None
            key, text = store.api_keys.create(Access[access.upper()], chosen, label, taken)
            if shared.as_json:
                print_json(key.as_json() | ({} if taken else {"key": text}))
            elif taken:
                click.echo(f"key {key.id} is taken", err=True)
            else:
                click.echo(text)
                click.echo(f"key {key.id}: it is shown only now", err=True)
        elif action == "revoke":
            store.api_keys.revoke(str(id))
            click.echo(f"key {id} is revoked", err=True)
        else:
            rows = [key.as_json() for key in store.api_keys.list_all()]
            columns = ["id", "label", "access", "spaces", "created", "revoked"]
            print_documents(shared, rows, columns)
    finally:
        store.close()
