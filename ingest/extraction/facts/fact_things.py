"""Which people and entities a statement names: those that its message was read to name.

Nothing is recognised here. A statement that only ends another names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....core.entities.entity_gazetteer import EntityType
from ....core.entries import EntityMention
from ....core.ids import fold
from ....core.people import Gazetteer
from .statement_extraction import Statement


def things_of(
    statement: Statement, people: Gazetteer, mentions: Sequence[EntityMention]
) -> tuple[EntityMention, ...]:
    """Return what a statement is about besides a person who is its subject, each once.

    Its object's people (`people` are those of the space) and entities, and its subject where that
    is one of the entities (`mentions`) of the message.
    """
    if statement.ends:
        return ()
    named = [
        EntityMention(person.id, EntityType.PERSON.value, person.name, 1.0)
        for person in people.named_in(statement.object)
    ]
    named += [
        mention
        for mention in mentions
        if re.search(rf"(?<!\w){re.escape(mention.name)}(?!\w)", statement.object)
        or fold(mention.name) == fold(statement.subject or "")
    ]
    return tuple({thing.id: thing for thing in named}.values())
