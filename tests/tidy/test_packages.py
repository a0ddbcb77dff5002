"""The house: which folders stand at the root, which of them are packages, what is shipped."""

from __future__ import annotations

from fnmatch import fnmatch

from tests.tidy.tree import ROOT, UNSHIPPED, files, modules, project, relative

#: The names of the product at the root, and those that are planned and not there yet.
PRODUCT = {
    "async_memory.py",
    "cli",
    "core",
    "components.py",
    "evaluation",
    "cypher",
    "graph",
    "ingest",
    "integrations",
    "language",
    "models",
    "memory.py",
    "memory_groups.py",
    "resume",
    "retrieval",
    "service",
    "storage",
    "traversal",
}
PLANNED: set[str] = set()
BESIDE = {
    ".ci",
    ".github",
    ".gitignore",
    "__init__.py",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "clients",
    "docker",
    "LICENSE",
    "Makefile",
    "README.md",
    "pyproject.toml",
    "py.typed",
    "async_memory.pyi",
    *UNSHIPPED,
}


def packages():
    """Return every folder of the package that has an __init__.py, by its dotted name."""
    return {
        ".".join(["meridia", *path.parent.relative_to(ROOT).parts])
        for path in modules()
        if path.name == "__init__.py"
    }


def test_the_packages_listed_are_the_folders_that_are_packages():
    listed = project()["tool"]["setuptools"]["packages"]
    assert len(listed) == len(set(listed))
    assert set(listed) == packages()


def test_every_folder_with_modules_is_a_package():
    folders = {path.parent for path in modules()}
    assert [relative(f) for f in folders if not (f / "__init__.py").exists()] == []


def test_at_the_root_stand_the_parts_of_the_product_and_little_else():
    there = {relative(path).split("/")[0] for path in files()}
    assert there - BESIDE == PRODUCT - PLANNED


def test_every_file_that_is_no_module_is_shipped_as_data():
    data = project()["tool"]["setuptools"]["package-data"]
    patterns = [
        "/".join([*package.split(".")[1:], pattern])
        for package, listed in data.items()
        for pattern in listed
    ]
    top = {*PRODUCT, "py.typed"}
    beside = [
        name
        for name in map(relative, files())
        if name.split("/")[0] in top and not name.endswith(".py")
    ]
    assert any(name.endswith(".sql") for name in beside)
    assert [name for name in beside if not any(fnmatch(name, p) for p in patterns)] == []


def test_the_folder_of_docker_holds_no_python():
    assert list((ROOT / "docker").rglob("*.py")) == [], "it would hide PyPI's `docker`"
