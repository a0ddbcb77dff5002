"""Relationships: what a person is to the agent, by who the session is with and how often they met.

By rule a relationship grows as far as collaborator, with the message that makes it so; only the
user can make somebody primary. Nothing is stored, and nothing is guessed from content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...core.entities.common_words import PLACEHOLDER_NAMES
from ...core.entries import RelationshipChanged
from ...core.events import EventKind, is_restricted, speaker_id
from ...core.ids import fold
from ...core.types import Json, Space
from ...core.vocabulary import Relationship
from ...language.runs.tool_calls import Event
from ...storage.people import PersonList

#: Longest name of a person that an event can carry, characters.
_NAME_CHARS_MAX = 256
#: Fields that say whom a session is with, the more telling first; a person's own fields likewise.
_USER_FIELDS = (
    *("user", "person", "sender", "from", "author", "member"),
    *("userName", "user_name", "username", "displayName", "display_name", "senderName"),
    *("sender_name", "userId", "user_id", "senderId", "sender_id"),
)
_NAME_FIELDS = (
    *("displayName", "display_name", "name", "fullName", "full_name", "realName", "real_name"),
    *("userName", "user_name", "username", "handle", "id", "userId", "user_id"),
)


@dataclass(frozen=True, slots=True)
class CollaboratorRules:
    """From how many interactions, in how many sessions, somebody is a collaborator.

    The source names the types and no numbers. An interaction is one message: twenty are a long
    conversation, and three sessions say that they came back after the second time, which a single
    long conversation, or a question and its follow-up, does not.
    """

    collaborator_interactions: int = 20
    collaborator_sessions: int = 3


STANDARD = CollaboratorRules()
#: What is not said by a person.
_OTHERS = frozenset({EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT})


def speaks(event: Event, space: Space) -> str | None:
    """Return whose interaction an event is; None for what counts as nobody's."""
    if event["kind"] in _OTHERS or is_restricted(event.get("metadata")):
        return None
    return speaker_id(event, space)


def relationship_by_rule(
    people: PersonList, person: str, rules: CollaboratorRules = STANDARD
) -> tuple[RelationshipChanged | None, bool]:
    """Return what a person has become to the agent, and whether that stands for this session.

    A user is a collaborator by `rules`; nobody is lowered, and primary is never given by rule.
    """
    often, several = rules.collaborator_interactions, rules.collaborator_sessions
    counted = people.counted_user(person, often, several)
    if counted is None:
        return None, True
    id, threshold, interactions, sessions = counted
    if interactions < often or sessions < several:
        return None, interactions >= often
    before = Relationship.USER  # nobody else is counted
    change = RelationshipChanged(id, Relationship.COLLABORATOR, threshold, "rule", before)
    return change, True


def identity_of(event: Event) -> str | None:
    """Return the name, or else the id, of whom an event is with; None where nothing says so.

    The event's `person` first, unless the agent speaks, for then it names the agent; then user
    fields of the session, of its `meta`, and of the channel (feature 47). Tools and payloads are
    never read for names, and metadata of a wrong shape are passed over.
    """
    if event.get("kind") != EventKind.ASSISTANT_MESSAGE and (own := _name(event.get("person"))):
        return own
    return next((name for fields in _identity_fields(event) if (name := _user_of(fields))), None)


def _identity_fields(event: Event) -> Iterator[Mapping[str, Json]]:
    for holder in (event.get("session"), event.get("channel")):
        if not isinstance(holder, Mapping):
            continue
        for fields in (holder, holder.get("meta"), holder.get("metadata")):
            if isinstance(fields, Mapping):
                yield fields


def _user_of(fields: Mapping[str, Json]) -> str | None:
    for field in _USER_FIELDS:
        value = fields.get(field)
        if isinstance(value, Mapping):
            user_name = next((name for f in _NAME_FIELDS if (name := _name(value.get(f)))), None)
        else:
            user_name = _name(value)
        if user_name:
            return user_name
    return None


def _name(value: Json) -> str | None:
    """Return a value as a name: one line of printable text that names somebody."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        value = str(value)
    if not isinstance(value, str):
        return None
    name = " ".join(value.split())
    if (
        not name.isprintable()
        or not 0 < len(name) <= _NAME_CHARS_MAX
        or fold(name) in PLACEHOLDER_NAMES
    ):
        return None
    return name
