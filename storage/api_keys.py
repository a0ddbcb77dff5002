"""The keys of callers of the service. Of a key only a hash is stored: a lost one is replaced.

A key opens the spaces that it names, and may read, write or administer there.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from ..core.codec import to_object
from ..core.errors import InvalidInput, NotFound
from ..core.ids import RandomBytes
from ..core.time import Clock, to_text
from ..core.types import Json
from .database import Database
from .statement_loader import sql

#: Opens every space, those to come too.
EVERY_SPACE = "*"
_PREFIX = "meridia"
_ID_BYTES, _SECRET_BYTES = 6, 32
_KEY = re.compile(rf"{_PREFIX}_[0-9a-f]{{{2 * _ID_BYTES}}}_[0-9a-f]{{{2 * _SECRET_BYTES}}}")


class Access(IntEnum):
    """What a key allows; each includes those before it."""

    READ = 1
    WRITE = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is listed; the key itself is shown once, when it is created."""

    id: str
    label: str
    access: Access
    spaces: tuple[str, ...]
    created: str
    revoked: str | None = None

    def opens(self, space: str) -> bool:
        """Return whether the key is for a space."""
        return space in self.spaces or EVERY_SPACE in self.spaces

    def as_json(self) -> dict[str, Json]:
        """Return it as plain JSON values, without any part of the secret."""
        return to_object(self) | {"access": self.access.name.lower()}


class ApiKeys:
    """The keys of one journal; replicas of a shared one keep them there."""

    def __init__(self, database: Database, clock: Clock, random_bytes: RandomBytes) -> None:
        self._database = database
        self._clock = clock
        self._random_bytes = random_bytes

    def create(
        self, access: Access, spaces: Sequence[str], label: str = "", given: str | None = None
    ) -> tuple[ApiKey, str]:
        """Make a key; return it, and the text that a caller sends, which is not stored.

        `given` is the text of a key that was made elsewhere, so that several journals take it.
        """
        if not spaces or not all(spaces):
            raise InvalidInput(f"a key needs at least one space: name one, or {EVERY_SPACE}")
        if given is None:
            made = (self._random_bytes(length).hex() for length in (_ID_BYTES, _SECRET_BYTES))
            given = "_".join((_PREFIX, *made))
        if not _KEY.fullmatch(given):
            raise InvalidInput(
                f"a key looks like {_PREFIX}_ID_SECRET, as `meridia keys create` prints"
            )
        _, id, secret = given.split("_")
        key = ApiKey(id, label, access, tuple(dict.fromkeys(spaces)), to_text(self._clock()))
        opened = json.dumps(key.spaces)
        if not self._run("add_key", id, _hash(secret), label, access.name, opened, key.created):
            raise InvalidInput(f"another key has the id {id} already")
        return key, given

    def check(self, text: str) -> ApiKey | None:
        """Return the key that a caller sent; None for one that is malformed, wrong or revoked."""
        if not _KEY.fullmatch(text):
            return None
        _, id, secret = text.split("_")
        row = next(iter(self._run("find_key", id)), None)
        if row is None or not hmac.compare_digest(bytes(row[1]), _hash(secret)):
            return None
        key = _key(row)
        return None if key.revoked else key

    def list_all(self) -> list[ApiKey]:
        """Return every key, oldest first, revoked ones too."""
        return [_key(row) for row in self._run("list_keys")]

    def revoke(self, id: str) -> None:
        """Revoke a key; raise `NotFound` if there is none with this id."""
        if id not in {key.id for key in self.list_all()}:
            raise NotFound(f"there is no key {id!r}: `meridia keys list` lists them")
        self._run("revoke_key", to_text(self._clock()), id)

    def _run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        if sharing := self._database.sharing:
            return sharing.keys(statement, *values)
        writes = statement in ("add_key", "revoke_key")
        with self._database.writing() if writes else self._database.reading() as connection:
            return connection.execute(sql(f"service/{statement}"), values).fetchall()


def _hash(secret: str) -> bytes:
    """Hash 256 random bits, which cannot be guessed: a fast hash is enough."""
    return hashlib.sha256(secret.encode()).digest()


def _key(row: tuple[str, bytes, str, str, str, str, str | None]) -> ApiKey:
    id, _, label, access, spaces, created, revoked = row
    return ApiKey(id, label, Access[access], tuple(json.loads(spaces)), created, revoked)
