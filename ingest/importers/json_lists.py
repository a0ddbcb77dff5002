"""The items of lists deep in a JSON document of any size: one item is held, and what stands around.

Exports of chats are one object with a list of messages in it, perhaps in a list of chats: too much
to hold. What is broken costs its item, not the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from ...core.errors import InvalidInput
from ...core.types import Json
from .import_record import ImportRecord, ImportSource, reject, too_large
from .json_pieces import RawValue

#: A string up to its end, or to the end of its line if it was left open; or a sign of structure.
_TOKEN = re.compile(rb'"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+(?P<end>["\n])?|[\[\]{},]')
_CLOSING = {ord("{"): b"}", ord("["): b"]"}


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of a list, and the fields of the object that has the list, as far as they go."""

    where: str
    holder: dict[str, Json]
    fields: dict[str, Json]


def read_list_items(
    source: ImportSource, name: str, read: Callable[[ListItem], Iterable[ImportRecord]]
) -> Iterator[ImportRecord]:
    """Yield what `read` makes of each object in every list called `name`.

    What is malformed is refused alone; `read` may raise `InvalidInput`.
    """
    scanner = _Scanner(name, source.bytes_max)
    number = 0
    while block := source.read():
        for item in scanner.feed(block):
            number += 1
            where = f"{source.name} item {number}"
            try:
                yield from read(_parsed(where, item, scanner))
            except InvalidInput as error:
                yield reject(where, str(error))
    if scanner.is_open:
        yield reject(
            f"{source.name} item {number + 1}",
            "the file ends in the middle: it was cut short, or a bracket is missing",
        )


def _parsed(where: str, item: bytes | int, scanner: _Scanner) -> ListItem:
    if isinstance(item, int):
        raise InvalidInput(too_large(item, scanner.bytes_max))
    return ListItem(where, scanner.holder, RawValue(where, item).fields())


@dataclass(slots=True)
class _Scanner:
    """The place in the document between two blocks.

    `around` is all that stands outside of items; `opened` are the brackets that are open there,
    each by its place in it. An item is collected while `depth` of its brackets are open.
    `list_levels` are how many brackets are open in each list that is read, `spent` in each object
    whose list is over.
    """

    name: str
    bytes_max: int
    holder: dict[str, Json] = field(default_factory=dict)
    around: bytearray = field(default_factory=bytearray)
    opened: list[int] = field(default_factory=list)
    item: bytearray = field(default_factory=bytearray)
    item_size: int = 0
    depth: int = 0
    list_levels: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)
    rest: bytes = b""

    @property
    def is_open(self) -> bool:
        return bool(self.opened or self.depth)

    @property
    def _in_list(self) -> bool:
        return bool(self.list_levels) and self.list_levels[-1] == len(self.opened)

    def feed(self, block: bytes) -> Iterator[bytes | int]:
        """Yield the items that are complete with this block: bytes, or the size of a large one."""
        window, at = self.rest + block, 0
        for token in _TOKEN.finditer(window):
            if token[0][:1] == b'"' and token["end"] is None:
                break  # goes on in the next block
            self._add(window[at : token.start()])
            at = token.end()
            yield from self._take(token[0])
        else:
            self._add(window[at:])
            at = len(window)
        self.rest = window[at:]

    def _take(self, token: bytes) -> Iterator[bytes | int]:
        if self.depth:
            self._add(token)
            self.depth += (token in b"{[") - (token in b"}]")
            if not self.depth:
                yield bytes(self.item) if self.item_size <= self.bytes_max else self.item_size
                self.item.clear()
                self.item_size = 0
        elif self._in_list and token in b"{[":
            if not self.holder:
                self.holder = self._fields_around()
            self.depth = 1
            self._add(token)
        elif self._in_list and token == b",":
            return
        else:
            self._add_around(token)

    def _add_around(self, token: bytes) -> None:
        if token in b"{[":
            is_list = token == b"[" and self._key() == self.name
            self.opened.append(len(self.around))
            if is_list:
                self.list_levels.append(len(self.opened))
                self.holder = {}
        elif token in b"}]" and self.opened:
            start = self.opened.pop()
            if self.list_levels and self.list_levels[-1] > len(self.opened):
                self.list_levels.pop()
                self.spent.append(len(self.opened))
            elif self.spent and self.spent[-1] > len(self.opened):
                self.spent.pop()
                del self.around[start:]  # its items are read: it is not needed again
                token = b"{}"
        self._add(token)
        if len(self.around) > self.bytes_max:
            raise InvalidInput(too_large(len(self.around), self.bytes_max))

    def _add(self, text: bytes) -> None:
        if not self.depth:
            self.around += text
            return
        self.item_size += len(text)
        if self.item_size <= self.bytes_max:
            self.item += text

    def _key(self) -> str | None:
        match = re.search(rb'"([^"\\]{1,80})"\s*:\s*$', bytes(self.around[-200:]))
        return match[1].decode("utf-8", "replace") if match else None

    def _fields_around(self) -> dict[str, Json]:
        """Return the object that holds the list, as far as it goes before the list."""
        closing = b"".join(_CLOSING[self.around[start]] for start in reversed(self.opened))
        value: Json = None
        with suppress(InvalidInput, ValueError):
            value = json.loads(bytes(self.around) + closing)
        for _ in self.opened[1:-1]:
            inner = [*value.values()] if isinstance(value, dict) else value
            value = inner[-1] if isinstance(inner, list) and inner else None
        return value if isinstance(value, dict) else {}
