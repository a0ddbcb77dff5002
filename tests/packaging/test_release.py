"""The wheel and the source distribution are the same bytes, whoever builds them and when."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from docs.release import formula, materials
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
    assert [name.rpartition(".")[2] for name in first] == ["json", "whl", "gz"]
    assert list(first) == list(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_the_bill_of_materials_has_what_the_wheel_asks_for_and_brings(tmp_path):
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = stated["optional-dependencies"]
    wheel = tmp_path / "meridia-1.0.0-py3-none-any.whl"
    told = ["Metadata-Version: 2.4", "Name: meridia", "Version: 1.0.0"]
    told += ["License-Expression: Apache-2.0"]
    told += [f"Requires-Dist: {one}" for one in stated["dependencies"]]
    told += [f'Requires-Dist: {n}; extra == "{e}"' for e, names in extras.items() for n in names]
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("meridia-1.0.0.dist-info/METADATA", "\n".join(told) + "\n\nText\n")
        script = "service/inspector/assets/cytoscape.esm.min.mjs"
        packed.write(ROOT / script, f"meridia/{script}")
    bill = materials(wheel, AT)
    assert bill == materials(wheel, AT)
    scopes = Counter(component["scope"] for component in bill["components"])
    assert scopes["required"] == len(stated["dependencies"]) + 1
    assert scopes["optional"] == sum(map(len, extras.values()))
    known = {component["bom-ref"] for component in bill["components"]}
    assert len(known) == len(bill["components"])
    assert set(bill["dependencies"][0]["dependsOn"]) == known
    assert bill["components"][-1]["purl"].startswith("pkg:npm/cytoscape@3.")
    asked = next(c for c in bill["components"] if c["bom-ref"] == "pypi:mcp:mcp")
    assert {"name": "meridia:extra", "value": "mcp"} in asked["properties"]


def test_a_formula_installs_the_source_that_is_released(tmp_path):
    sdist, text = tmp_path / "meridia-1.0.0.tar.gz", b"Name: meridia\nSummary: A memory\n\n"
    with tarfile.open(sdist, "w:gz") as packed:
        named = tarfile.TarInfo("meridia-1.0.0/PKG-INFO")
        named.size = len(text)
        packed.addfile(named, io.BytesIO(text))
    lines = formula(sdist, "https://example.org/releases/v1.0.0").splitlines()
    assert '  url "https://example.org/releases/v1.0.0/meridia-1.0.0.tar.gz"' in lines
    assert f'  sha256 "{hashlib.sha256(sdist.read_bytes()).hexdigest()}"' in lines
    assert '  desc "A memory"' in lines


def test_what_the_image_installs_fits_what_the_package_asks_for():
    lines = (ROOT / "docker" / "constraints.txt").read_text("utf-8").splitlines()
    pinned = [Requirement(line) for line in lines if not line.startswith("#")]
    versions = {canonicalize_name(r.name): str(r.specifier).removeprefix("==") for r in pinned}
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = stated["optional-dependencies"]
    asked = map(Requirement, [*stated["dependencies"], *extras["service"], *extras["postgres"]])
    wrong = [r for r in asked if versions.get(canonicalize_name(r.name), "0") not in r.specifier]
    assert wrong == []
