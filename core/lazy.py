"""Lazy loading: modules and components of an object that are created on first use.

A process should pay only for what it does: a command that captures one event needs no ranking.
Each folder of the package is a door: `from .folder import module` names a module that is loaded
when one of its names is first used, `from .folder.module import name` loads it at once.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import Unavailable

__all__ = ["LazyComponents", "LazyLibrary", "NotInstalled", "component", "door", "extra", "np"]

T = TypeVar("T")

#: Who looks for tests among the names of a module asks each of them for these; no module has them.
_PROBES = {"__bases__", "__test__", "__wrapped__", "_mock_name"}


class _LazyModule(ModuleType):
    """Stands for a module until one of its names is asked for; safe to share between threads."""

    def __getattr__(self, name: str) -> Any:
        if name in _PROBES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(self.__name__), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(importlib.import_module(self.__name__), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(importlib.import_module(self.__name__), name)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return importlib.import_module(self.__name__).__dict__


def door(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package (PEP 562) whose modules are loaded on first use."""

    def find(name: str) -> Any:
        if name.startswith("_") or importlib.util.find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return _LazyModule(f"{package}.{name}")

    return find


class NotInstalled(Unavailable, ImportError):
    """A library is not installed that an extra brings."""


@contextmanager
def extra(name: str, why: str = "", otherwise: str = "") -> Iterator[None]:
    """Raise `NotInstalled` for a missing library: why it is needed, and which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise NotInstalled(
            f"{why}{error.name} is not installed: pip install 'meridia[{name}]'{otherwise}",
            name=error.name,
        ) from None


class LazyLibrary(_LazyModule):
    """Stands for a library in the same way, and keeps each name that was asked for."""

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        ModuleType.__setattr__(self, name, value)
        return value


if TYPE_CHECKING:
    import numpy as np
else:
    #: NumPy, for modules that commands without any vector load too.
    np = LazyLibrary("numpy")


class LazyComponents:
    """An object whose components are opened when they are first used, each once for all threads."""

    def __init__(self) -> None:
        self.opening = RLock()


class component(Generic[T]):  # noqa: N801 - used as a decorator, like `property`
    """A component of a `LazyComponents`: what the method returns at first is kept."""

    def __init__(self, open: Callable[[Any], T]) -> None:
        self._open = open
        self.__doc__ = open.__doc__

    def __get__(self, holder: LazyComponents, owner: type[LazyComponents] | None = None) -> T:
        # Reached only while the name is not in the object's own dictionary.
        with holder.opening:
            opened, name = vars(holder), self._open.__name__
            if name not in opened:
                opened[name] = self._open(holder)
            value: T = opened[name]
            return value
