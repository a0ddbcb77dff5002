"""The arguments of public methods are compared with their annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meridia.core.calls.arguments import checked
from meridia.core.errors import InvalidInput
from meridia.core.types import Artifact


@checked
class Service:
    """One method for each kind of annotation."""

    def text(self, name: str | None) -> object:
        """Return it."""
        return name

    def whole(self, limit: int) -> object:
        """Return it."""
        return limit

    def real(self, share: float | None = None) -> object:
        """Return it."""
        return share

    def moment(self, as_of: datetime | int | None = None) -> object:
        """Return it."""
        return as_of

    def flag(self, *, quick: bool = False) -> object:
        """Return it."""
        return quick

    def several(self, ids: Sequence[str] | None) -> object:
        """Return it."""
        return ids

    def pieces(self, artifacts: Sequence[Artifact | Mapping[str, Any]]) -> object:
        """Return it."""
        return artifacts

    def stream(self, events: Iterable[Mapping[str, Any]]) -> object:
        """Return it."""
        return events

    def file(self, path: Path) -> object:
        """Return it."""
        return path

    @classmethod
    def made(cls, path: Path | None = None) -> object:
        """Return it."""
        return path


service = Service()


@pytest.mark.parametrize(
    ("method", "value", "told"),
    [
        (service.text, 12, "name is of type int: give text"),
        (service.whole, None, "limit is None: give a whole number"),
        (service.whole, "3", "limit is of type str: give a whole number"),
        (service.whole, True, "limit is of type bool: give a whole number"),
        (service.whole, -1, "limit -1 is out of range: 0 to 9223372036854775807"),
        (service.whole, 10**30, "limit 1000000000000000000000000000000 is out of range"),
        (service.real, "high", "share is of type str: give a number"),
        (service.moment, "today", "as_of is of type str: give a datetime or a whole number"),
        (service.moment, datetime(2026, 1, 1), "as_of has no timezone"),  # noqa: DTZ001 - that is it
        (service.several, "@1", "ids is of type str: give a list"),
        (service.several, ["@1", 2], r"ids\[1\] is of type int: give text"),
        (service.pieces, ["a.txt"], r"artifacts\[0\] is of type str: give Artifact or a mapping"),
        (service.stream, {"a": 1}, "events is of type dict: give an iterable"),
        (service.file, b"a", "path is of type bytes: give a path"),
        (service.file, "a\0", "path is not a valid path"),
        (service.made, 1, "path is of type int: give a path"),
    ],
)
def test_a_wrong_argument_is_named_with_what_to_give(method, value, told):
    with pytest.raises(InvalidInput, match=told):
        method(value)


def test_what_is_as_good_is_taken_as_what_was_asked_for():
    assert type(service.whole(np.int64(3))) is int
    assert service.flag(quick=np.bool_(True)) is True
    assert service.several(id for id in ("a", "b")) == ["a", "b"]
    assert service.file("a") == Path("a")
    assert service.pieces([Artifact("file", "a")]) == [Artifact("file", "a")]
    assert service.moment(as_of=datetime(2026, 1, 1, tzinfo=UTC)) is not None
    assert service.text(None) is service.real() is service.made() is None


def test_python_itself_says_what_is_missing_or_too_much():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'limit'"):
        service.whole()
    with pytest.raises(TypeError, match="takes 2 positional arguments"):
        service.whole(1, 2)
