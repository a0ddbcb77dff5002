"""What memories are about."""

import math

from meridia.resume.space_history import weigh


def test_a_rare_concept_weighs_more_and_a_common_one_nothing():
    rows = [
        ("the boat", "Concept", 50, None),
        ("mast", "Concept", 4, None),
        ("Dana", "Person", 60, None),
    ]
    common, rare, person = weigh(rows, 100, 0.05)
    assert common.weight == 0.0
    assert rare.weight == math.log(25)
    assert person.weight == math.log(100 / 60)


def test_what_was_merged_names_what_it_stands_for_and_nothing_in_no_memory_weighs():
    (merged,) = weigh([("Dana K.", "Person", 0, "Dana")], 100, 0.05)
    assert (merged.weight, merged.stands_for) == (0.0, "Dana")
