"""The wheel and the source distribution are the same bytes, whoever builds them and when."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.tidy.tree import ROOT, files

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
AT = 1_790_000_000


def built(folder, age):
    """Copy the repository to a folder, its files `age` seconds older, and build there."""
    source, out = folder / "source", folder / "out"
    for path in files():
        target = source / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        os.utime(target, (AT - age, AT - age))
    command = [sys.executable, "-m", "docs.release", "--source", str(source), "--out", str(out)]
    subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"SOURCE_DATE_EPOCH": str(AT)},
        check=True,
        capture_output=True,
    )
    return {file.name: file.read_bytes() for file in sorted(out.iterdir())}


@pytest.mark.thorough
def test_two_builds_in_other_folders_of_older_files_are_the_same_to_the_byte(tmp_path):
    first, second = (built(tmp_path / str(age), age) for age in (0, 86_400))
    assert [name.rpartition(".")[2] for name in first] == ["whl", "gz"]
    assert list(first) == list(second)
    assert [name for name in first if first[name] != second[name]] == []
