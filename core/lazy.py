"""Lazy loading: modules and components of an object that are created on first use.

A process should pay only for what it does: a command that captures one event needs no ranking.
`from .x import y` on top of a module stays the rule; a lazy module stands where a quick process
would load what it does not use.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

__all__ = ["LazyComponents", "component", "lazy_module", "np"]

T = TypeVar("T")


class _LazyModule(ModuleType):
    """Stands for a module until one of its names is asked for; safe to share between threads."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


def lazy_module(package: str | None, name: str) -> Any:
    """Return `package.name`, or `name`, to be imported when one of its names is first used.

    Belongs into the `else` of an `if TYPE_CHECKING:` that imports the same module, which is what
    type checkers and the rules on imports read.
    """
    return _LazyModule(f"{package}.{name}" if package else name)


if TYPE_CHECKING:
    import numpy as np
else:
    #: NumPy, for modules that commands without any vector load too.
    np = lazy_module(None, "numpy")


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
