"""Stage commit: drafts enter the journal, and only then is anybody told that they did."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.errors import Conflict
from ..core.ports import Journal
from ..core.types import Acknowledgement, Draft, Outcome, Space


def commit(
    journal: Journal, space: Space, drafts: Sequence[Draft]
) -> list[Acknowledgement | Conflict]:
    """Append a batch in one transaction; return for each draft its acknowledgement or conflict.

    One draft whose id is taken does not keep the others out: they are then appended singly.
    """
    try:
        return list(journal.append(space, drafts))
    except Conflict as conflict:
        if len(drafts) == 1:
            return [conflict]
    return [answer for draft in drafts for answer in commit(journal, space, [draft])]


def outcome_of(answer: Acknowledgement | Conflict) -> Outcome:
    """Return the ingest outcome of one answer of `commit`."""
    return Outcome.REFUSED if isinstance(answer, Conflict) else answer.outcome
