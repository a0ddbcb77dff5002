"""Arrays in files: what is read from them is what the tables say, and nothing forgotten stays."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import Settings
from meridia.storage import mapped_arrays
from tests.fakes import FakeEmbedder

TOLD = [f"The {bird} sings in garden {n}." for n, bird in enumerate(("wren", "robin", "lark"))]
SECRET, STEM = "Zinnober", b"zinnob"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write files of spaces however small."""
    monkeypatch.setattr(mapped_arrays, "_SIZE_MIN", 1)


@contextmanager
def opened(path: Path) -> Iterator[Memory]:
    with Memory(path, "default", Settings(), embedder=FakeEmbedder()) as memory:
        yield memory


def tell(memory: Memory, texts: list[str]) -> None:
    memory.remember_many([{"text": text, "person": "Dana"} for text in texts])
    memory.enrich()


def files(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.arrays*"))


def held(memory: Memory) -> dict[str, Any]:
    """Return what is held of the space as arrays, whatever lies in which layer."""
    parts, space = memory.parts, memory.space
    store, head = parts.space(space), parts.journal.head(space).seq
    indexes, edges = memory._components.indexes, memory._components.edges
    edges.catch_up(space)
    terms, view = store.full_text.index(), edges.view(space)
    nodes = np.arange(len(view.numbers))
    index = indexes.index(space, FakeEmbedder().model, 16, head)
    answers = [memory.recall(question).hits for question in ("Who sings?", "Who keeps bees?")]
    return {
        "answers": [[(hit.text, hit.score) for hit in hits] for hits in answers],
        "view": [view.until, view.numbers, view.experience_of, view.experiences, view.changes],
        "names": [list(view.people), list(view.sessions)],
        "edges": {
            f"{type} {out}": view.links(type, out).of(nodes)
            for type in sorted(view.outgoing)
            for out in (True, False)
        },
        "vectors": [index.rows, index.seqs, index.starts, index.until, index.model, index.changes],
        "terms": [terms.until, terms.changes],
        "texts": {term: terms.match([term], 9) for term in sorted(terms.numbers)},
        "places": {term: terms.phrase([term]) for term in sorted(terms.numbers)},
    }


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def from_tables(path: Path) -> dict[str, Any]:
    for file in files(path):
        file.unlink()
    with opened(path) as memory:
        return held(memory)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**50), 2**50) | st.text(),
        lambda inner: st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    )
)
def test_a_value_comes_back_as_it_was(value: Any):
    arrays: list[Any] = []
    described = mapped_arrays._described(value, arrays)
    assert mapped_arrays._value(described, arrays, {}) == value


def test_a_later_process_reads_the_same_from_files_as_from_tables(tmp_path: Path):
    path = tmp_path / "a.db"
    with opened(path) as memory:
        tell(memory, TOLD)
        held(memory)
    assert [file.name for file in files(path)] == [
        f"a.db-{part}-1.arrays" for part in ("edges", "terms", "vectors")
    ]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files(path)} == {0o600}
    with opened(path) as memory:
        from_files = held(memory)
        assert not from_files["view"][1].flags.owndata
        tell(memory, ["The wren is back."])
        extended = held(memory)
    assert same(extended, from_tables(path))
    assert not same(extended, from_files)


def forgotten(memory: Memory) -> None:
    memory.forget(person=SECRET)


def named_otherwise(memory: Memory) -> None:
    memory.people.merge("Ravi", "Dana")


def rebuilt(memory: Memory) -> None:
    memory.upkeep.rebuild()


@pytest.mark.parametrize("change", [forgotten, named_otherwise, rebuilt])
def test_a_file_from_before_a_change_does_not_count(tmp_path: Path, change: Callable[..., None]):
    path, aside = tmp_path / "a.db", tmp_path / "aside"
    with opened(path) as memory:
        tell(memory, TOLD)
        memory.remember(f"My name is {SECRET}, and I keep bees.", person=SECRET)
        memory.remember("I keep hens.", person="Ravi")
        memory.enrich()
        held(memory)
    aside.mkdir()
    for file in files(path):
        shutil.copy(file, aside)
    with opened(path) as memory:
        held(memory)
        change(memory)
    for file in aside.iterdir():
        shutil.copy(file, tmp_path)
    with opened(path) as memory:
        found = held(memory)
    assert same(found, from_tables(path))


def test_what_is_forgotten_is_in_no_file_whoever_was_writing_one(tmp_path: Path):
    path = tmp_path / "a.db"
    with opened(path) as writing, opened(path) as forgetting:
        tell(writing, [*TOLD, f"The {SECRET} flies."])
        writing.remember(f"{SECRET} was here.", person=SECRET)
        writing.enrich()
        store = writing.parts.space(writing.space)
        load = mapped_arrays.SpaceArrays(store.space_scope, writing.parts.arrays)
        load.load("terms", "1", ())
        about = {"edition": "1", "changes": mapped_arrays._last_changes(store.space_scope)}
        held(writing)
        writing.parts.arrays.close()
        assert STEM in b"".join(file.read_bytes() for file in files(path))
        forgetting.forget(person=SECRET)
        forgetting.forget(ids=[m.id for m in forgetting.list().memories if SECRET in m.text])
        assert files(path) == []
        place = path.with_name("a.db-terms-1.arrays")
        about["size"] = 9
        mapped_arrays._write(store.space_scope, place, about, lambda: {"terms": [SECRET]})
        assert files(path) == []
        held(writing)  # which still has the words of what it read before
    assert STEM not in b"".join(file.read_bytes() for file in files(path))
    with opened(path) as memory:
        held(memory)
    assert len(files(path)) == 3
    assert STEM not in b"".join(file.read_bytes() for file in files(path))


def test_who_forgets_writes_the_files_anew_without_what_went(tmp_path: Path):
    path = tmp_path / "a.db"
    with opened(path) as memory:
        tell(memory, [*TOLD, f"The {SECRET} flies.", "My hut is in Bergen."])
        memory.remember(f"{SECRET} was here.", person=SECRET)
        memory.enrich()
        held(memory)
    with opened(path) as memory:
        memory.forget(person=SECRET)
        memory.forget(ids=[m.id for m in memory.list().memories if SECRET in m.text])
    written = {file.name: file.read_bytes() for file in files(path)}
    assert len(written) == 3
    assert STEM not in b"".join(written.values())
    with opened(path) as memory:
        found = held(memory)
    assert {file.name: file.read_bytes() for file in files(path)} == written
    assert same(found, from_tables(path))


@pytest.mark.parametrize("length", [0, 10, 40, 400, -1])
def test_a_damaged_file_is_read_from_the_tables(tmp_path: Path, length: int):
    path = tmp_path / "a.db"
    with opened(path) as memory:
        tell(memory, TOLD)
        held(memory)
    for file in files(path):
        content = file.read_bytes()
        file.write_bytes(content[:length])
    with opened(path) as memory:
        found = held(memory)
    assert same(found, from_tables(path))


def test_another_journal_of_the_name_does_not_read_the_files(tmp_path: Path):
    path = tmp_path / "a.db"
    with opened(path) as memory:
        tell(memory, TOLD)
        held(memory)
    kept = {file: file.read_bytes() for file in files(path)}
    path.unlink()
    with opened(path) as memory:
        assert files(path) == []
        tell(memory, ["Nothing sings.", "Nothing at all sings.", "It is quiet."])
        for file, content in kept.items():
            file.write_bytes(content)
        found = held(memory)
    assert same(found, from_tables(path))
