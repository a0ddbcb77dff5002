"""What one call costs does not depend on how much else is remembered."""

import pytest

from bench import scale
from bench.scale_operations import OPERATIONS, Operation, public_operations
from bench.synthetic import Language
from meridia.memory import Memory

SIZES = (2000, 8000)
#: Found to grow, to be mended; whoever mends one takes it out.
TO_MEND: frozenset[str] = frozenset()


def test_every_public_operation_is_measured(tmp_path):
    with Memory(tmp_path / "m.db", "default", scale.settings()) as memory:
        memory.remember("The boat is old.", person="Dana")
        assert {operation.method for operation in OPERATIONS} == public_operations(memory)


def test_what_is_about_all_of_something_says_so():
    assert all(
        o.grows.startswith(("reads", "returns", "counts", "writes")) for o in OPERATIONS if o.grows
    )


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_an_operation_about_one_thing_costs_the_same_in_a_larger_space(tmp_path):
    language = Language()
    paths = scale.build(SIZES, tmp_path, language)
    single = [o for o in OPERATIONS if not o.grows]
    measured = scale.growths(paths, single, language)
    grown = [growth for growth in measured if growth.exceeds()]
    assert {g.operation.method for g in grown} <= TO_MEND, scale.table(grown)


def test_slopes_are_those_of_a_power():
    linear = scale.Growth(Operation("get", len), {100: 0.01, 400: 0.04})
    assert linear.slope == pytest.approx(1)
    assert linear.exceeds()
    assert not scale.Growth(Operation("export", len, grows="returns all"), linear.seconds).exceeds()
    assert not scale.Growth(Operation("get", len), {100: 0.000_01, 400: 0.000_04}).exceeds()
    assert "GROWS" in scale.table([linear])
