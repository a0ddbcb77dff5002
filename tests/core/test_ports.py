"""The ports: whoever stands in for one has all its methods, called the same way."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from meridia.core.ports import Finding, Head, Table
from meridia.core.types import Seq, Space
from meridia.models.embedder import MiniLmEmbedder
from meridia.models.tokens import Embedder
from tests.fakes import FakeEmbedder


def methods(port: type) -> dict[str, list[str]]:
    """Return the public methods of a class with the names of their parameters."""
    return {
        name: list(inspect.signature(function).parameters)
        for name, function in inspect.getmembers(port, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize(
    ("port", "adapter"),
    [
        (Embedder, MiniLmEmbedder),
        (Embedder, FakeEmbedder),
    ],
)
def test_an_adapter_has_every_method_of_its_port(port, adapter):
    wanted, offered = methods(port), methods(adapter)
    assert {name: offered.get(name) for name in wanted} == wanted


def test_an_embedder_says_its_model_and_dimension():
    for embedder in (MiniLmEmbedder, FakeEmbedder()):
        assert f":{embedder.dimension}:" in embedder.model


@pytest.mark.parametrize(
    "value",
    [Head(Seq(1), b""), Finding(Space("s"), None, "problem"), Table(["a"], [[1]])],
    ids=lambda value: type(value).__name__,
)
def test_what_passes_between_layers_cannot_be_changed(value):
    field = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, None)


def test_a_table_is_whole_and_without_remarks_unless_it_says_so():
    table = Table(["a"], [[1]])
    assert not table.truncated
    assert list(table.notes) == []
