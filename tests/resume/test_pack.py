"""A pack as callers see it: seven parts, a hash, and how good it is."""

from hashlib import sha256

from tests.resume.pack_samples import opened, story


def test_the_seven_parts_and_their_names_are_there():
    with opened() as memory:
        story(memory)
        found = memory.resume("Dana").as_json()
    parts = {"summary", "approach_guidance", "anchors", "open_uncertainties", "next_actions"}
    assert parts | {"citations", "meta"} <= set(found)
    assert {"record_count", "session_count", "time_range", "sources", "tokens", "truncated"} <= set(
        found["meta"]
    )
    assert found["meta"]["sources"].keys() == {"canonical", "graph", "vector"}


def test_cited_is_in_order_of_appearance_and_agrees_with_citations():
    with opened() as memory:
        story(memory)
        pack = memory.resume("Dana")
    assert list(pack.cited) == [one.event_id for one in pack.citations]
    places = [pack.text.index(f"{one.short}") for one in pack.citations]
    assert places == sorted(places)
    assert len(set(pack.cited)) == len(pack.cited)


def test_the_hash_is_that_of_the_text():
    with opened() as memory:
        story(memory)
        pack = memory.resume("Dana")
    assert pack.hash == sha256(pack.text.encode()).hexdigest()
    assert pack.uri == f"meridia://{pack.id}"


def test_quality_is_between_nothing_and_all():
    with opened() as memory:
        story(memory)
        quality = memory.resume("Dana").quality.as_json()
    assert set(quality) == {
        "budget_use",
        "source_diversity",
        "anchor_coverage",
        "phenomenology_coverage",
    }
    assert all(0 <= value <= 1 for value in quality.values())
    assert quality["anchor_coverage"] == 0
