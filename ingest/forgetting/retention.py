"""Retention: what is older than the settings keep it is forgotten, kind by kind.

`ingest.keep` names kinds of events and days, such as `tool_result=30`; `*` is any kind. What
happened longer ago is forgotten as if somebody had asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from ...core.errors import InvalidInput
from ...core.time import ago
from ...core.types import Space
from ...storage.forgetting.erasure import ForgettingRequest
from ...storage.store import Store
from ...storage.upkeep import is_any_before

#: Stands for any kind.
_ANY = "*"


def periods_of(keep: Sequence[str]) -> dict[str | None, float]:
    """Return how many days events of a kind are kept; None is any kind.

    Raises `InvalidInput` for what is no kind and number of days.
    """
    periods: dict[str | None, float] = {}
    for rule in keep:
        kind, _, written = rule.partition("=")
        try:
            days = float(written)
        except ValueError:
            days = 0.0
        if not kind or not 0 < days < inf:
            raise InvalidInput(
                f"ingest.keep: {rule!r} is not of the form KIND=DAYS, such as tool_result=30"
            )
        periods[None if kind == _ANY else kind] = days
    return periods


def retain(
    file: Store, space: Space, keep: Sequence[str], forget: Callable[[ForgettingRequest], object]
) -> int:
    """Forget what is older than it is kept; return how many rules had anything to forget."""
    now = file.clock()
    due = [
        ForgettingRequest(kind=kind, before=before)
        for kind, days in periods_of(keep).items()
        if is_any_before(file, space, kind, before := ago(now, days))
    ]
    for request in due:
        forget(request)
    return len(due)
