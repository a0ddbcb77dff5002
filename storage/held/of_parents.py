"""What the child of a fork has of its parent, and must neither use nor close.

Closing it would act on the files of the parent: give up its locks, or fold in its logs.
"""

from __future__ import annotations

import ctypes
import os
from typing import Protocol
from weakref import WeakSet


class HasParents(Protocol):
    """What has something open that a fork gives to the child too."""

    def leave_to_parent(self) -> None:
        """Begin anew, in the child of a fork, with nothing of what was open."""
        ...


def leave(value: object) -> None:
    """Never close what belongs to the parent of this process, not even when the process ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


def begins_anew(thing: HasParents) -> None:
    """Have `leave_to_parent` called in the child of every fork."""
    _every.add(thing)


_every: WeakSet[HasParents] = WeakSet()


def _after_fork_in_child() -> None:
    for thing in list(_every):
        thing.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
