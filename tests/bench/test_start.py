"""Start-up is measured on the installed command, and an import profile names modules."""

import pytest

from bench import start


@pytest.mark.thorough
def test_each_start_is_compared_with_bare_python():
    found = start.compare(runs=1)
    names = [start.VERSION, start.CAPTURE, start.IMPORT, start.RECALL, start.FIRST, start.PEOPLE]
    assert [comparison.name for comparison in found] == names
    assert min(comparison.floor_ms for comparison in found) > 1


@pytest.mark.thorough
def test_the_slowest_imports_come_first():
    found = start.imports(5)[start.BARE_MODEL]
    assert len(found) == 5
    assert [row[0] for row in found] == sorted((row[0] for row in found), reverse=True)
    assert all(0 <= own <= with_imports for own, with_imports, _ in found)
