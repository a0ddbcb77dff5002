"""TraceRank: numbers worked out by hand, and arrays that agree with one memory at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.vocabulary import Stability
from meridia.traversal.tracerank import (
    BURST_HOURS,
    BURST_SHARE,
    CONNECTION,
    FADING_DAYS,
    FLOOR,
    LIFETIME_DAYS,
    NEVER,
    REINFORCEMENT,
    Reinforcements,
    TraceRanks,
    factors_over,
    tracerank,
    traces,
    unranked,
)
from tests.traversal.typed_graphs import a_graph, a_view

DAY_S = 86_400


def tracerank_of(
    age_days: float,
    stability: Stability = Stability.UNKNOWN,
    reinforced_days: Sequence[float] = (),
    inbound: int = 0,
) -> tuple[float, float, float]:
    """The reference: R, G and T of one memory in plain Python; the arrays must agree with it."""
    trace = 0.0
    newer = -math.inf
    for days in sorted(max(days, 0.0) for days in reinforced_days):
        burst = seconds(days - newer) < BURST_HOURS * 3600
        trace += (BURST_SHARE if burst else 1.0) * math.exp(-days / FADING_DAYS)
        newer = days
    permanence = math.exp(-max(age_days, 0.0) / LIFETIME_DAYS.get(stability, math.inf))
    return (
        1 + REINFORCEMENT * math.log1p(trace),
        1 + CONNECTION * math.log1p(inbound),
        max(permanence, FLOOR),
    )


def ranked(ages, lifetimes, history: Reinforcements, inbound) -> TraceRanks:
    owners, sums = traces(history)
    trace = np.zeros(len(ages))
    trace[owners] = sums
    return tracerank(np.maximum(ages, 0.0), lifetimes, trace, inbound)


def seconds(days: float) -> float:
    """Return days in whole seconds, so that exactly a day apart is not a rounding error less."""
    return days if math.isinf(days) else float(round(days * DAY_S))


def reinforced(*days: float) -> float:
    """Return the factor R of a memory that was reinforced so many days ago, by both ways."""
    factor, _, _ = tracerank_of(0, reinforced_days=days)
    history = Reinforcements(np.zeros(len(days), np.int64), np.array(days))
    ranks = ranked(np.zeros(1), np.full(1, np.inf), history, np.zeros(1, np.int64))
    assert ranks.reinforcement == pytest.approx([factor], abs=1e-12)
    return factor


def permanence(age: float, stability: Stability) -> float:
    return tracerank_of(age, stability)[2]


def test_a_memory_without_history_has_rank_one():
    assert tracerank_of(400) == (1, 1, 1)


def test_reinforcements_fade_within_three_weeks():
    # 1 + .35·ln(1 + 1), and with e^(−21/21) = .367879: 1 + .35·ln(1.367879)
    assert reinforced(0) == pytest.approx(1.2426015, abs=1e-7)
    assert reinforced(21) == pytest.approx(1.1096416, abs=1e-7)
    # trace 1.367879: 1 + .35·.861995
    assert reinforced(0, 21) == pytest.approx(1.3016982, abs=1e-7)


def test_a_reinforcement_less_than_a_day_before_the_next_counts_a_fifth():
    # 1 + .2·e^(−.5/21) + e^(−2/21) = 1 + .195294 + .909156 = 2.104451
    assert reinforced(0, 0.5, 2) == pytest.approx(1 + 0.35 * math.log(3.104451), abs=1e-6)
    # Half a day apart each: every one but the newest is a fifth, however long the row.
    # 1 + .2·(.976472 + .953497 + .931063) = 1.572206
    assert reinforced(1.5, 0, 1, 0.5) == pytest.approx(1 + 0.35 * math.log(2.572206), abs=1e-6)


@pytest.mark.parametrize("start", [0.0, 0.1, 1.3, 4.6, 1234.7])
def test_exactly_a_day_apart_is_no_burst(start):
    whole = math.exp(-start / 21) + math.exp(-(start + 1) / 21)
    assert reinforced(start, start + 1) == pytest.approx(1 + 0.35 * math.log1p(whole))
    second = 1 / DAY_S
    burst = math.exp(-start / 21) + 0.2 * math.exp(-(start + 1 - second) / 21)
    assert reinforced(start, start + 1 - second) == pytest.approx(1 + 0.35 * math.log1p(burst))


def test_connections_raise_the_rank():
    # 1 + .15·ln 4
    assert tracerank_of(0, inbound=3)[1] == pytest.approx(1.2079442, abs=1e-7)


def test_only_what_is_dynamic_or_ephemeral_ages():
    assert permanence(9000, Stability.STATIC) == permanence(9000, Stability.UNKNOWN) == 1
    assert permanence(90, Stability.DYNAMIC) == pytest.approx(0.3678794, abs=1e-7)
    assert permanence(7, Stability.EPHEMERAL) == pytest.approx(0.3678794, abs=1e-7)
    assert permanence(40, Stability.EPHEMERAL) == permanence(9000, Stability.DYNAMIC) == 0.01
    assert permanence(-3, Stability.DYNAMIC) == 1


def test_the_rank_is_the_product():
    parts = tracerank_of(90, Stability.DYNAMIC, [0, 21], 3)
    history = Reinforcements(np.array([0, 0]), np.array([21.0, 0]))
    ranks = ranked(np.array([90.0]), np.array([90.0]), history, np.array([3]))
    # 1.3016982 · 1.2079442 · .3678794
    assert math.prod(parts) == pytest.approx(0.578446, abs=1e-6)
    assert ranks.total == pytest.approx([0.578446], abs=1e-6)


days = st.one_of(st.floats(-1, 500), st.integers(0, 12).map(lambda half: half / 2))
memories = st.tuples(
    days, st.sampled_from(Stability), st.lists(days, max_size=6), st.integers(0, 1000)
)


@given(st.lists(memories, max_size=6), st.randoms(use_true_random=False))
def test_arrays_agree_with_one_memory_at_a_time(many, random):
    pairs = [(row, age) for row, (_, _, times, _) in enumerate(many) for age in times]
    random.shuffle(pairs)
    ranks = ranked(
        np.array([age for age, *_ in many], np.float64),
        np.array([LIFETIME_DAYS.get(stability, math.inf) for _, stability, *_ in many], np.float64),
        Reinforcements(
            np.array([row for row, _ in pairs], np.int64), np.array([a for _, a in pairs], float)
        ),
        np.array([inbound for *_, inbound in many], np.int64),
    )
    plain = [tracerank_of(*memory) for memory in many]
    fast = zip(
        ranks.reinforcement.tolist(),
        ranks.connection.tolist(),
        ranks.permanence.tolist(),
        strict=True,
    )
    assert [pytest.approx(one, abs=1e-12) for one in plain] == list(fast)
    assert ranks.total == pytest.approx([math.prod(one) for one in plain])


def test_the_nodes_of_a_view_are_ranked_when_asked_for():
    view = a_view(a_graph(3, ("RELATED", 0, 2, 1.0), ("NEXT", 1, 2, 1.0)))
    view = replace(
        view,
        experience_of=np.array([0, -1, 1]),
        experiences=replace(view.experiences, at=np.array([0, 10 * DAY_S])),
    )
    lifetime = np.array([90.0, math.inf])
    history = Reinforcements(np.array([1, 0]), np.array([0.0, 21.0]))
    factors_of = factors_over(view, 90 * DAY_S, history, lifetime)
    first = math.prod(tracerank_of(90, Stability.DYNAMIC, [21]))
    last = math.prod(tracerank_of(80, Stability.STATIC, [0], inbound=2))
    assert factors_of(np.array([2, 1, 0, 2])).total == pytest.approx([last, 1, first, last])
    factors = factors_of(np.array([2, 1, 0]))
    assert factors.reinforcement[1] == factors.connection[1] == factors.permanence[1] == 1
    assert factors.connection[0] == pytest.approx(tracerank_of(0, inbound=2)[1])
    assert factors.permanence[2] == pytest.approx(tracerank_of(90, Stability.DYNAMIC)[2])


def test_nothing_to_rank_gives_nothing():
    none = np.zeros(0, np.int64)
    assert len(ranked(np.zeros(0), np.zeros(0), NEVER, none).total) == 0
    assert len(factors_over(a_view(a_graph(1)), 0)(none).total) == 0
    assert unranked(np.array([4, 4])).tolist() == [1, 1]
