"""Every public method, called with what it does not take: an error of ours names the argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from meridia import InvalidInput, Memory, MeridiaError

SERVICES = ("chronicle", "reasons", "packs", "planning", "curation", "ideas", "sinks", "feedback")
GIVEN = {"text": "hello", "id": "m", "uri": "m", "person": "Dana", "question": "where", "path": "b"}
WRONG = [7.5, b"m", ["m", 3], {3: "m"}, object(), datetime(2026, 1, 1), "half \ud800 pair"]  # noqa: DTZ001
#: Of any type, or read one by one, each with its own answer.
FREE = {"given", "records", "messages", "event"}


def _public(memory: Memory) -> Iterator[tuple[str, Callable[..., Any]]]:
    for owner in (memory, *(getattr(memory, name) for name in SERVICES)):
        for name in dir(type(owner)):
            method = getattr(type(owner), name)
            if inspect.isfunction(method) and (name == "__call__" or not name.startswith("_")):
                yield f"{type(owner).__name__}.{name}", getattr(owner, name)


def test_a_wrong_type_is_refused_by_name_wherever_it_is_given():
    told = []
    with Memory.open() as memory:
        memory.remember("The race is on the 12th of May.", person="Dana", id="m")
        for name, method in _public(memory):
            parameters = inspect.signature(method).parameters
            needed = {n: GIVEN.get(n, "x") for n, p in parameters.items() if p.default is p.empty}
            for argument in parameters.keys() - FREE:
                for value in WRONG:
                    try:
                        method(**needed | {argument: value})
                    except MeridiaError as error:
                        if type(value) is object and not str(error).startswith((argument, *needed)):
                            told.append(f"{name}({argument}): {error!r}")
                    except Exception as error:  # noqa: BLE001 - what is no error of ours
                        told.append(f"{name}({argument}={value!r}): {error!r}")
    assert not told


@pytest.mark.parametrize("ids", ["m", b"m", 7])
def test_one_id_is_no_list_of_ids_and_forgets_nothing(ids):
    with Memory.open() as memory:
        memory.remember("The race is on the 12th of May.", person="Dana", id="m")
        with pytest.raises(InvalidInput, match="ids is of type"):
            memory.forget(ids=ids)
        assert memory.holds("m")
