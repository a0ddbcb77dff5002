"""Meridia's own form: JSON Lines with one event an object, or a JSON array of such objects.

Nothing is repaired or guessed: what is not a valid event is refused with its line. A line over
the limit is refused by its size, without being parsed or held in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .import_record import ImportFormat, ImportRecord, ImportSource, accept_event
from .json_pieces import lines, read_objects, values

#: As much as it takes to tell an array of objects from lines; a line may also begin "[WARN] …".
_OPENING = re.compile(rb"\s*+(?:[^\s\[]|\[\s*+\S)")
_ARRAY = re.compile(rb"\s*+\[\s*+[{\]]")


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record for each line that is not blank, or for each element of an array."""
    cut = values if _ARRAY.match(source.head(_OPENING)) else lines
    return read_objects(source, lambda where, fields, _: [accept_event(where, fields)], cut)


FORMAT = ImportFormat(
    name="native",
    description="Meridia events: JSON Lines, or a JSON array, of objects with kind and payload",
    marks="kind -parts.part_kind",
    read=read,
)
