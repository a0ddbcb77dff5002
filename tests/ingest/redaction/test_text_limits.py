from __future__ import annotations

from meridia.ingest.redaction.sanitise import bounded


def test_each_text_or_all_of_them_are_held_to_a_limit() -> None:
    value = {"a": "x" * 100, "b": ["y" * 200, 5, "z" * 10], "c": None}
    each, cut_each = bounded(value, 80, each=True)
    assert [len(each["a"]), len(each["b"][0]), cut_each] == [79, 80, 2]
    total, cut_total = bounded(value, 150, each=False)
    assert total == {
        "a": "x" * 100,
        "b": ["y" * 13 + "… [cut 174 characters] …" + "y" * 13, 5, "z" * 10],
        "c": None,
    }
    assert cut_total == 1
