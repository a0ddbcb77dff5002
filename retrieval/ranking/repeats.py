"""What somebody says again word for word takes one place in an answer, and that names the others.

Texts are equal after case, punctuation and white space. All but the best fall behind everything
else, which is a contribution of its own; they are found by their ids and in lists as ever.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from ...core.types import MemoryRecord
from ...graph.view import Floats
from ...storage.projections.catalog import Catalog
from ..candidates.pool import Pool
from .contributions import Contribution, Evidence, total

_WORD = re.compile(r"\w+")

#: What says the same, in the order of time, by the best of it: sequences of the journal.
Repeats = Mapping[int, Sequence[int]]


def fold(
    pool: Pool, given: Sequence[Contribution], informativeness: Floats, catalog: Catalog
) -> tuple[dict[int, list[int]], list[Contribution]]:
    """Return what repeats something of a pool, and what puts it behind the rest, beside `given`.

    `informativeness` has a value for every row of the view.
    """
    seqs, scores = pool.space.view.experiences.seqs[pool.rows], total(given, len(pool.rows))
    groups = _word_for_word(pool, informativeness, catalog)
    rest, again = np.ones(len(pool.rows), bool), dict[int, list[int]]()
    for group in groups:
        best = max(group, key=lambda place: scores[place])
        again[best] = [place for place in group if place != best]
        rest[again[best]] = False
    lowest, behind = float(np.min(scores[rest], initial=np.inf)) - 1e-6, []
    for best, places in again.items():
        values = np.zeros(len(pool.rows))
        values[places] = np.minimum(0.0, lowest - scores[places])
        label = f"repeats @{seqs[best]} word for word"
        behind.append(Contribution("repeats", Evidence.OWN_WORDS, label, values))
    repeated = {int(seqs[best]): seqs[places].tolist() for best, places in again.items()}
    return repeated, behind


def _word_for_word(pool: Pool, informativeness: Floats, catalog: Catalog) -> list[list[int]]:
    """Return the places of a pool where somebody says the same, each group in the order of time."""
    experiences, rows = pool.space.view.experiences, pool.rows
    numbers = (experiences.person[rows], experiences.words[rows], informativeness[rows].round(9))
    alike = _groups(zip(*(of_rows.tolist() for of_rows in numbers), strict=True))
    places = sorted(
        (place for group in alike for place in group), key=lambda p: (experiences.at[rows[p]], p)
    )
    seqs = experiences.seqs[rows[places]].tolist()
    memories = catalog.fetch(pool.space.name, seqs) if seqs else {}
    same = _groups(_speech(memories.get(seq), seq) for seq in seqs)
    return [[places[number] for number in group] for group in same]


def _speech(memory: MemoryRecord | None, seq: int) -> Hashable:
    """Return who says what, whatever the case and the punctuation."""
    if memory is None:
        return seq
    words = _WORD.findall(memory.text.casefold())
    return memory.person, memory.role, " ".join(words) or memory.text


def _groups(keys: Iterable[Hashable]) -> list[list[int]]:
    """Return the places of equal keys, of those that there are several of."""
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        groups[key].append(place)
    return [group for group in groups.values() if len(group) > 1]
