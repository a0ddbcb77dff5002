from __future__ import annotations

import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy  # noqa: ICN001 - beside the lazy one
import pytest

from meridia.core.errors import Unavailable
from meridia.core.lazy import LazyComponents, NotInstalled, component, door, extra, np


def fresh(code: str) -> list[str]:
    """Return the words that a process prints which starts from nothing."""
    command = [sys.executable, "-c", f"import sys; {code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_a_module_of_a_folder_is_loaded_when_one_of_its_names_is_used() -> None:
    asked = "print('meridia.core.facts' in sys.modules)"
    code = f"from meridia.core import facts; {asked}; facts.annotations; {asked}"
    assert fresh(code) == ["False", "True"]


def test_a_module_that_is_only_inspected_is_not_loaded() -> None:
    looked = "inspect.unwrap(facts); hasattr(facts, '__test__'); hasattr(facts, '__bases__')"
    code = f"import inspect; from meridia.core import facts; {looked}"
    assert fresh(f"{code}; print('meridia.core.facts' in sys.modules)") == ["False"]


def test_what_is_set_on_a_lazy_module_is_seen_by_all_who_use_it(monkeypatch) -> None:
    lazy = door("json")("tool")
    monkeypatch.setattr(lazy, "main", 7)
    assert sys.modules["json.tool"].main == door("json")("tool").main == 7
    monkeypatch.undo()
    assert callable(lazy.main)
    with pytest.raises(AttributeError, match="nothing"):
        _ = lazy.nothing


def test_what_is_no_module_of_a_folder_is_no_attribute_of_it() -> None:
    for name in ("missing", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"'json' has no attribute '{name}'"):
            door("json")(name)


def test_a_component_is_opened_once_for_all_threads() -> None:
    opened = []

    class House(LazyComponents):
        @component
        def door(self) -> object:
            opened.append(1)
            sleep(0.01)
            return object()

        @component
        def lock(self) -> tuple[object]:
            return (self.door,)

    house = House()
    assert opened == []
    with ThreadPoolExecutor(4) as threads:
        doors = list(threads.map(lambda _: house.lock[0], range(8)))
    assert opened == [1]
    assert set(doors) == {house.door}


def test_lazy_numpy_is_numpy() -> None:
    assert np.float32 is numpy.float32
    assert np.linalg is numpy.linalg


def test_numpy_is_imported_at_its_first_use() -> None:
    code = "from meridia.core.lazy import np; print('numpy' in sys.modules); np.zeros"
    assert fresh(f"{code}; print('numpy' in sys.modules)") == ["False", "True"]


def test_a_library_that_is_missing_is_named_with_its_extra() -> None:
    with (
        pytest.raises(NotInstalled, match=r"pip install 'meridia\[some-extra\]'") as told,
        extra("some-extra"),
    ):
        importlib.import_module("no_such_library")
    assert told.value.name == "no_such_library"
    assert isinstance(told.value, ImportError)  # of an adapter, as who imports it expects
    assert isinstance(told.value, Unavailable)
