"""What memories are about."""

import math

from meridia.retrieval.entities import weigh


def test_a_rare_concept_weighs_more_and_a_common_one_nothing():
    rows = [("the boat", "Concept", 50), ("mast", "Concept", 4), ("Dana", "Person", 60)]
    common, rare, person = weigh(rows, 100, 0.05)
    assert common.weight == 0.0
    assert rare.weight == math.log(25)
    assert person.weight == math.log(100 / 60)
