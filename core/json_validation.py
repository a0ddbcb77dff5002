"""Plain JSON values, read with checks: what a journal, a buffer or a model hands back.

Every function names the place it reads in its `InvalidInput`, and says what is needed there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from .errors import InvalidInput
from .types import Json

Word = TypeVar("Word", bound=StrEnum)
Item = TypeVar("Item")


def without_none(**fields: Json) -> dict[str, Json]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def read_object(value: Json, where: str) -> Mapping[str, Json]:
    """Return `value` as an object."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{where} is {_kind(value)}: an object is needed")
    return value


def optional(value: Json, read: Callable[[Json], Item]) -> Item | None:
    """Return what `read` makes of `value`, or None for None."""
    return None if value is None else read(value)


def read_list(value: Json, where: str, read: Callable[[Json], Item]) -> tuple[Item, ...]:
    """Return what `read` makes of every item; an absent list is empty."""
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(f"{where} is {_kind(value)}: a list is needed")
    return tuple(read(item) for item in value)


def read_text(value: Json, where: str) -> str:
    """Return `value` as text."""
    if not isinstance(value, str):
        raise InvalidInput(f"{where} is {_kind(value)}: text is needed")
    return value


def read_texts(value: Json, where: str) -> tuple[str, ...]:
    """Return a list of texts."""
    return read_list(value, where, lambda text: read_text(text, where))


def read_number(value: Json, where: str) -> float:
    """Return `value` as a number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput(f"{where} is {_kind(value)}: a number is needed")
    try:
        return float(value)
    except OverflowError:
        raise InvalidInput(f"{where} is too large a number: give a smaller one") from None


def read_count(value: Json, where: str) -> int:
    """Return `value` as a whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidInput(f"{where} is {str(value)[:80]}: a whole number from 0 is needed")
    return value


def read_word(vocabulary: type[Word], value: Json, where: str) -> Word:
    """Return `value` as a word of a vocabulary; the error lists the words to choose from."""
    try:
        return vocabulary(value)
    except ValueError:
        choices = ", ".join(vocabulary)
        raise InvalidInput(f"{where} is {str(value)[:80]!r}: choose from {choices}") from None


def read_words(vocabulary: type[Word], value: Json, where: str) -> tuple[Word, ...]:
    """Return a list of words of a vocabulary."""
    return read_list(value, where, lambda word: read_word(vocabulary, word, where))


def _kind(value: Json) -> str:
    return "missing" if value is None else f"a {type(value).__name__}"
