"""The head of secrets is learned from candidates that are a secret as a whole, or not at all."""

from __future__ import annotations

from bench.train_secrets import Line, kinds, labelled, rows_of, score, weights_of
from meridia.ingest.redaction.rules import SecretNames


def test_a_candidate_is_labelled_by_the_secret_that_it_is() -> None:
    line = Line(0, "password: Kestrel2025, user: bob99", ["Kestrel2025"], 1.0, [])
    rows = list(rows_of(line, SecretNames()))
    assert [row.is_secret for row in rows].count(True) == 1
    assert len(rows) > 1


def test_what_may_be_hidden_or_not_says_nothing() -> None:
    line = Line(0, "password: Kestrel2025", [], 1.0, ["Kestrel2025"])
    assert not list(rows_of(line, SecretNames()))


def test_the_lists_are_there_and_a_head_is_learned_from_a_part() -> None:
    names = SecretNames()
    lines = [*labelled()][::9] + [*kinds()][::40]
    rows = [row for line in lines for row in rows_of(line, names)]
    weights, bias = weights_of(rows)
    right = [(score(row.features, weights, bias) > 0) == row.is_secret for row in rows]
    assert sum(right) > 0.95 * len(right)
