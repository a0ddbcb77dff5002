"""The lists of kinds are what they say, and hold what SECURITY.md says of them."""

import json
import random
from collections import Counter

import pytest

from bench.redaction import PARTS, drawn, failing, main, pieces_left, read_kinds
from meridia.ingest.redaction.sanitise import clean_text
from tests.thorough import THOROUGH

LISTS = ("secrets", "harmless")


def test_the_newest_kinds_are_more_than_400_of_both_and_a_quarter_is_kept_aside():
    for name in LISTS:
        kinds = read_kinds(name)
        assert len({kind.template for kind in kinds}) == len(kinds)
        sizes = Counter(kind.part for kind in kinds)
        assert set(sizes) == set(PARTS)
        newest = len(kinds) - sizes["earlier"] - sizes["learned"]
        assert newest > 400
        assert abs(sizes["aside"] - newest / 4) <= 20


def test_every_kind_of_secret_has_a_drawn_value_that_is_seen_in_a_text_that_is_not_cleaned():
    for kind in read_kinds("secrets"):
        text, values = drawn(kind.template, random.Random(1))
        assert values
        assert pieces_left(text, values)


def test_a_piece_of_a_long_value_is_left_as_well_as_the_whole_of_a_short_one():
    assert pieces_left("see …cdefgh", ["abcdefghijklmn"])
    assert not pieces_left("see cdefg and [REDACTED:password]", ["abcdefghijklmn", "cdefgh"])


@pytest.mark.thorough
def test_few_kinds_stay_and_fewer_harmless_lines_lose_something():
    """The figures of SECURITY.md are the floor; those to learn from are written to be hard."""
    for name, most in (("secrets", 1 / 50), ("harmless", 1 / 200)):
        kinds = [kind for kind in read_kinds(name) if kind.part != "learned"]
        kinds = kinds if THOROUGH else kinds[::3]
        failed = failing(name, kinds, seed=31)
        assert len(failed) <= len(kinds) * most, [found.kind.template for found in failed]


def test_a_second_cleaning_changes_nothing_more():
    for kind in read_kinds("secrets")[:: 1 if THOROUGH else 3]:
        clean = clean_text(drawn(kind.template, random.Random(2))[0])
        assert clean_text(clean) == clean


def test_a_report_counts_every_group(tmp_path, capsys):
    main(["--part", "work", "--json", str(tmp_path / "report.json")])
    rows = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert {row["list"] for row in rows} == set(LISTS)
    assert "kinds stay" in capsys.readouterr().out
