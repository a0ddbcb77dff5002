"""Start-up is measured on the installed command, and an import profile names modules."""

import pytest

from bench import start


@pytest.mark.thorough
def test_both_commands_are_compared_with_bare_python():
    version, capture = start.compare(runs=1)
    assert (version.name, capture.name) == (start.VERSION, start.CAPTURE)
    assert min(version.floor_ms, capture.floor_ms) > 1


@pytest.mark.thorough
def test_the_slowest_imports_come_first():
    found = start.imports(5)[start.BARE_MODEL]
    assert len(found) == 5
    assert [row[0] for row in found] == sorted((row[0] for row in found), reverse=True)
    assert all(0 <= own <= with_imports for own, with_imports, _ in found)
