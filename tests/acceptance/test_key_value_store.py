"""A key-value store in forty lines over the public API: put, get, search, delete, put again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from meridia import Memory, NotFound


class Store:
    """A store of JSON objects under namespaces and keys, as agents' frameworks have them."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def put(self, namespace: tuple[str, ...], key: str, value: dict[str, Any]) -> None:
        """Have a key say a value, whatever it said before."""
        labels = {"namespace": "/".join(namespace) + "/", "key": key, "value": json.dumps(value)}
        labels |= {f"field.{name}": field for name, field in value.items()}
        text = "\n".join(f"{name}: {field}" for name, field in value.items())
        self.memory.upsert(self._id(namespace, key), text, role="note", metadata=labels)

    def get(self, namespace: tuple[str, ...], key: str) -> dict[str, Any] | None:
        """Return what a key says; None where there is none."""
        try:
            found = self.memory.get(self._id(namespace, key))
        except NotFound:
            return None
        return dict(json.loads(found.metadata["value"]))

    def search(
        self, prefix: tuple[str, ...], query: str | None = None, **where: Any
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what stands under a prefix and matches, the best or the first first."""
        labels = [{f"field.{name}": field} for name, field in where.items()]
        under = {"AND": [{"namespace": {"prefix": "/".join(prefix) + "/"}}, *labels]}
        hits = self.memory.recall(query, where=under) if query else self.memory.list(where=under)
        for hit in hits:
            yield hit.metadata["key"], json.loads(hit.metadata["value"])

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        """Forget a key with all that it ever said."""
        self.memory.forget(ids=[self._id(namespace, key)])

    def _id(self, namespace: tuple[str, ...], key: str) -> str:
        return "/".join((*namespace, key))


@pytest.fixture
def store() -> Iterator[Store]:
    with Memory.open() as memory:
        yield Store(memory)


def test_a_key_says_what_was_put_last(store: Store) -> None:
    store.put(("users", "1"), "diet", {"text": "eats everything", "stars": 1})
    store.put(("users", "1"), "diet", {"text": "vegetarian", "stars": 3})
    assert store.get(("users", "1"), "diet") == {"text": "vegetarian", "stars": 3}
    assert store.get(("users", "2"), "diet") is None


def test_a_search_has_a_prefix_a_filter_and_a_question(store: Store) -> None:
    store.put(("users", "1"), "diet", {"text": "eats everything", "stars": 5})
    store.put(("users", "1"), "diet", {"text": "vegetarian", "stars": 3})
    store.put(("users", "2"), "music", {"text": "plays the oboe", "stars": 5})
    store.put(("users", "10"), "music", {"text": "plays chess", "stars": 5})
    store.put(("todo",), "milk", {"text": "buy milk", "stars": 5})
    assert {key for key, _ in store.search(("users",))} == {"diet", "music"}
    assert [key for key, _ in store.search(("users", "1"))] == ["diet"]
    assert len(list(store.search(("users",), stars={"$gte": 4}))) == 2
    key, value = next(store.search(("users",), "who plays an instrument, the oboe?"))
    assert (key, value["text"]) == ("music", "plays the oboe")


@pytest.mark.parametrize("again", [{"text": "vegan"}, {"text": "vegetarian"}])
def test_a_key_that_was_deleted_can_be_put_again_with_any_value(
    store: Store, again: dict[str, Any]
) -> None:
    for _ in range(2):
        store.put(("users", "1"), "diet", {"text": "vegetarian"})
        store.delete(("users", "1"), "diet")
        assert store.get(("users", "1"), "diet") is None
        assert list(store.search(("users",))) == []
    store.put(("users", "1"), "diet", again)
    assert store.get(("users", "1"), "diet") == again
    assert list(store.search(("users",))) == [("diet", again)]
    assert store.memory.upkeep.verify() == []


def test_keys_with_equal_values_are_apart(store: Store) -> None:
    for user in ("1", "2", "3"):
        store.put(("users", user), "diet", {"text": "eats no meat at all"})
    store.delete(("users", "1"), "diet")
    assert store.get(("users", "2"), "diet") == {"text": "eats no meat at all"}
    store.put(("users", "2"), "diet", {"text": "eats fish"})
    assert store.get(("users", "3"), "diet") == {"text": "eats no meat at all"}
    found = [value["text"] for _, value in store.search(("users",), "who eats no meat?")]
    assert sorted(found) == ["eats fish", "eats no meat at all"]
    assert store.memory.upkeep.verify() == []
