from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy  # noqa: ICN001 - beside the lazy one
import pytest

from meridia.core.lazy import LazyComponents, component, lazy_module, np


def test_a_module_is_imported_when_one_of_its_names_is_used(monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "json.tool", raising=False)
    tool = lazy_module("json", "tool")
    assert "json.tool" not in sys.modules
    assert callable(tool.main)
    assert tool.main is sys.modules["json.tool"].main
    with pytest.raises(AttributeError, match="nothing"):
        _ = tool.nothing


def test_a_module_that_is_not_there_is_an_error_at_its_first_use() -> None:
    with pytest.raises(ModuleNotFoundError):
        _ = lazy_module("json", "missing").name


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
    code = "import sys; from meridia.core.lazy import np; print('numpy' in sys.modules); np.zeros"
    command = [sys.executable, "-c", f"{code}; print('numpy' in sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
