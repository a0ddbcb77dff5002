"""The traces of an answer name memories and words as the texts have them."""

from __future__ import annotations

from meridia import Memory


def test_a_word_is_told_as_the_text_that_has_it_writes_it():
    with Memory.open() as memory:
        memory.remember("We visited two Studies of herons.", person="Dana", session="s")
        memory.remember("They were quiet.", person="Robin", session="s")
        memory.enrich()
        hits = {hit.memory.person: hit.trace.leaves() for hit in memory.recall("a study").hits}
    assert {leaf.word for leaf in hits["Dana"] if leaf.stem == "studi"} == {"Studies"}
    own = [leaf for leaf in hits["Robin"] if leaf.stem == "studi" and leaf.source is None]
    assert {leaf.word for leaf in own} <= {"study"}
    beside = [leaf for leaf in hits["Robin"] if leaf.stem == "studi" and leaf.source]
    assert beside
    assert all("@1 “We visited two Studies" in leaf.label for leaf in beside)
