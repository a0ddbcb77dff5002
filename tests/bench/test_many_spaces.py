"""A service that few files may be open in, and that may hold little, serves many spaces."""

import pytest

from bench.many_spaces import Touched, touch


@pytest.mark.thorough
def test_more_spaces_are_served_than_files_may_be_open(tmp_path):
    touched = touch(60, 96, 8, tmp_path)
    assert touched.wrong == []
    assert max(files for _, files, *_ in touched.rows) <= 96


def test_growth_is_noticed():
    flat = [(n, 60, 200.0, 0.1, 0.2) for n in range(10)]
    leaking = [(n, 60 + 20 * n, 200.0 + 20 * n, 0.1, 0.2) for n in range(10)]
    for rows, count in ((flat, 0), (leaking, 2)):
        touched = Touched(rows)
        touched.judge()
        assert len(touched.wrong) == count
