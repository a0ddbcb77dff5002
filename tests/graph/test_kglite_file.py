"""The files of a graph: what is thrown away leaves nothing, and errors are Meridia's."""

from __future__ import annotations

import pytest

from meridia.core.errors import Refused, StorageFull, Unavailable
from meridia.graph import kglite_file


def test_what_is_thrown_away_leaves_no_file(tmp_path):
    for name in ("g.kgl", "g.kgl-wal", "g.kgl-wal.torn-1", "other.kgl"):
        (tmp_path / name).write_bytes(b"graph")
    kglite_file.discard(tmp_path / "g.kgl")
    assert [file.name for file in tmp_path.iterdir()] == ["other.kgl"]


def test_a_file_is_emptied_where_it_is(tmp_path):
    file = tmp_path / "g.kgl-wal"
    kglite_file.empty(file)
    assert kglite_file.bytes_of(file) == 0
    assert not file.exists()
    file.write_bytes(b"graph")
    kglite_file.empty(file)
    assert (kglite_file.bytes_of(file), file.exists()) == (0, True)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(28, "No space left on device"), StorageFull),
        (PermissionError(13, "Permission denied"), Refused),
        (OSError(5, "Input/output error"), Unavailable),
    ],
)
def test_errors_of_the_file_system_are_turned_into_those_of_meridia(tmp_path, error, kind):
    with pytest.raises(kind), kglite_file.translated(tmp_path / "g.kgl"):
        raise error
