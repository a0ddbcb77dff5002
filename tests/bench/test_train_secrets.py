"""The head of secrets is learned from candidates that are a secret as a whole, or not at all."""

from __future__ import annotations

import random

import pytest

from bench.train_secrets import Line, kinds, labelled, net_of, rows_of
from bench.varied_secrets import varied
from meridia.ingest.redaction.rules import SecretNames


def test_a_candidate_is_labelled_by_the_secret_that_it_is() -> None:
    line = Line(0, "password: Kestrel2025, user: bob99", ["Kestrel2025"], 1.0, [])
    rows = list(rows_of(line, SecretNames()))
    assert [row.is_secret for row in rows].count(True) == 1
    assert len(rows) > 1


def test_what_may_be_hidden_or_not_says_nothing() -> None:
    line = Line(0, "password: Kestrel2025", [], 1.0, ["Kestrel2025"])
    assert not list(rows_of(line, SecretNames()))


@pytest.mark.thorough
def test_the_lists_are_there_and_a_net_is_learned_from_a_part() -> None:
    names = SecretNames()
    lines = [*labelled()][::9] + [*kinds()][::40]
    rows = [row for line in lines for row in rows_of(line, names)]
    net = net_of(rows)
    right = [(net.score(row.features) > 0) == row.is_secret for row in rows]
    assert sum(right) > 0.95 * len(right)


def test_a_varied_line_has_other_values_in_the_same_places() -> None:
    draw = random.Random(1)
    text, secrets = varied("pw: Kestrel2025!", ["Kestrel2025!"], draw) or ("", [])
    assert text == f"pw: {secrets[0]}"
    assert secrets[0] != "Kestrel2025!"
    other, none = varied("commit 5c84bdfaa6e89f2f9d7fd28f58f3d101 of bob", [], draw) or ("", ["x"])
    assert other.startswith("commit ")
    assert other.endswith(" of bob")
    assert not none
    assert "5c84bdfaa6" not in other
    assert varied("nothing of it is a number", [], draw) is None
