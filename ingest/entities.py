"""Stage entities: what an event names, of nine types, with how sure that is.

What is known comes first, then what the caller says, then what names itself: a tool, a file's
path, a repository's address, a host, a legal form. A library's finder may add to that. Places and
skills are never guessed. Merges play no part here: a memory names what it names, and who stands
for whom is looked up when it is read. A remark of the caller that is no entity yields nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ..core.entities import (
    EntityGazetteer,
    EntityType,
    KnownEntity,
    Span,
    Words,
    entity_id,
    opens_sentence,
)
from ..core.events import text_of
from ..core.ids import fold
from ..core.people import Gazetteer, Person
from ..core.types import Json
from .entity_addresses import (
    FILE_KEYS,
    PROJECT_KEYS,
    Found,
    addresses_in,
    file_of,
    files_in,
    project_of,
)
from .entity_names import bare, is_name, is_nameable, matters_in, organisations_in, tidy
from .reading import Event, is_message

#: FACTS row 102 and 003: at most so many of one memory, none less sure than this.
MENTIONS_MAX, CONFIDENCE_MIN = 10, 0.75
#: Where the names of a long result are looked for: its beginning.
TEXT_CHARS_MAX = 20_000
_GIVEN_MAX, _ARGUMENTS_MAX, _LEVELS_MAX, _LOCATED_MAX = 100, 40, 6, 50
_FOUND = 0.8
#: Who speaks in a transcript without names: nobody in particular.
_ROLES = frozenset(
    "agent ai assistant bot customer developer human model speaker system tool user".split()
)

#: Types whose names may be written small: those of things that are said, not called.
_SMALL = frozenset({EntityType.SKILL, EntityType.CONCEPT, EntityType.TOOL, EntityType.FILE})

#: A library's finder: where a text names something, from start to before end, and its type.
Find = Callable[[str], Iterable[tuple[int, int, str]]]


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity that an event names; `confidence` is 0.75 to 1."""

    id: str
    type: EntityType
    name: str
    confidence: float

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values, as `EntitiesMentioned` keeps them."""
        return {
            "id": self.id,
            "type": self.type.value,
            "name": self.name,
            "confidence": self.confidence,
        }


def mentions_of(
    event: Event,
    space: str,
    gazetteer: EntityGazetteer,
    people: Gazetteer,
    find: Find | None = None,
) -> list[Mention]:
    """Return the entities that an event names, the surest first, each once, at most ten.

    Ids are those of the entities as named, not of what they were merged into.
    """
    words = Words(text_of(event)[:TEXT_CHARS_MAX])
    mentions = _Mentions(space, gazetteer)
    for given in _given(event):
        mentions.say(*given)
    located = _located(words.text)
    for found in located:
        mentions.cover(found.start, found.end)
    for span in _free(gazetteer, words, mentions):
        sure = CONFIDENCE_MIN if len(span.entities) > 1 else 0.95 if span.own else 0.9
        for entity in span.entities:
            mentions.know(entity, sure)
    for type, name, sure in _called(event):
        mentions.say(type, name, sure)
    for found in located:
        mentions.say(found.type, found.name, found.confidence)
    for span in _free(_gazetteer_of(people), words, mentions):
        mentions.say(EntityType.PERSON, span.entities[0].name, 0.95 if span.own else 0.85)
    for found in _guessed(event, words, people, find):
        mentions.guess(found)
    return mentions.ranked()


class _Mentions:
    """What one event names so far, and which parts of its text are taken."""

    def __init__(self, space: str, gazetteer: EntityGazetteer) -> None:
        self._space, self._gazetteer = space, gazetteer
        self._found: dict[str, Mention] = {}
        self._names: set[str] = set()
        self._spans: list[tuple[int, int]] = []

    def cover(self, start: int, end: int) -> None:
        self._spans.append((start, end))

    def covers(self, start: int, end: int) -> bool:
        return any(start < last and first < end for first, last in self._spans)

    def know(self, entity: KnownEntity, confidence: float) -> None:
        """Add an entity that is known."""
        self._keep(entity.id, entity.type, entity.name, confidence)
        self._names.add(fold(entity.name))

    def say(self, type: EntityType | None, name: str, confidence: float) -> None:
        """Add what has this name, under the id by which it is known."""
        called = self._gazetteer.find(name)
        for entity in called:
            if type is None or type is entity.type:
                self.know(entity, confidence)
                break
        else:
            meant = type or EntityType.CONCEPT
            self._keep(entity_id(self._space, meant, name), meant, name, confidence)
        self._names.add(fold(name))

    def _keep(self, id: str, type: EntityType, name: str, confidence: float) -> None:
        """Keep one mention of an entity: the surer word of two counts."""
        before = self._found.get(id)
        if before is None or before.confidence < confidence:
            self._found[id] = Mention(id, type, name, confidence)

    def guess(self, found: Found) -> None:
        """Add a name, unless something of that name, or in its place, is there already."""
        if fold(found.name) in self._names or self.covers(found.start, found.end):
            return
        self.cover(found.start, found.end)
        self.say(found.type, found.name, found.confidence)

    def ranked(self) -> list[Mention]:
        """Return the surest, of equals the first."""
        mentions = sorted(self._found.values(), key=lambda mention: -mention.confidence)
        return mentions[:MENTIONS_MAX]


def _given(event: Event) -> Iterator[tuple[EntityType | None, str, float]]:
    """Yield the caller's entities: names, or objects of type and name, perhaps a confidence."""
    metadata = event.get("metadata")
    given = metadata.get("entities") if isinstance(metadata, Mapping) else None
    if not isinstance(given, (list, tuple)):
        return
    for item in islice(given, _GIVEN_MAX):
        fields = item if isinstance(item, Mapping) else {"name": item}
        name, type, sure = fields.get("name"), fields.get("type"), fields.get("confidence", 1.0)
        if not isinstance(name, str) or not is_nameable(name):
            continue
        if not isinstance(sure, (int, float)) or not CONFIDENCE_MIN <= sure <= 1:
            continue
        if type is None:
            yield None, tidy(name), float(sure)
        elif isinstance(type, str) and type.strip().upper() in EntityType.__members__:
            yield EntityType(type.strip().upper()), tidy(name), float(sure)


def _called(event: Event) -> Iterator[tuple[EntityType, str, float]]:
    """Yield the tool of a call, and the files and repositories among its arguments."""
    tool = event.get("tool")
    name = tool.get("name") if isinstance(tool, Mapping) else None
    if isinstance(name, str) and is_nameable(name):
        yield EntityType.TOOL, tidy(name), 1.0
    for key, value in islice(_arguments(event["payload"].get("args"), "", 0), _ARGUMENTS_MAX):
        if key in FILE_KEYS and (path := file_of(value)):
            yield EntityType.FILE, path, 0.95
        if key in PROJECT_KEYS and (project := project_of(value)):
            yield EntityType.PROJECT, project, 0.95


def _arguments(value: Json, key: str, level: int) -> Iterator[tuple[str, str]]:
    """Yield the texts among arguments with the names they go by; lists keep their own name."""
    if isinstance(value, str):
        yield key, value
    elif level < _LEVELS_MAX and isinstance(value, Mapping):
        for name, part in value.items():
            yield from _arguments(part, str(name).lower(), level + 1)
    elif level < _LEVELS_MAX and isinstance(value, (list, tuple)):
        for part in value:
            yield from _arguments(part, key, level + 1)


def _located(text: str) -> list[Found]:
    addresses = [*islice(addresses_in(text), _LOCATED_MAX)]
    files = islice(files_in(text), _LOCATED_MAX)
    return addresses + [
        file
        for file in files
        if not any(file.start < other.end and other.start < file.end for other in addresses)
    ]


def _free(gazetteer: EntityGazetteer, words: Words, mentions: _Mentions) -> list[Span]:
    """Return where known names stand that are no part of something else, and take the places."""
    spans = [
        span for span in gazetteer.spans_in(words) if not mentions.covers(span.start, span.end)
    ]
    for span in spans:
        mentions.cover(span.start, span.end)
    return spans


@lru_cache(maxsize=8)
def _gazetteer_of(people: Gazetteer) -> EntityGazetteer:
    """Return known people as entities: the parts of their names that are theirs are aliases."""
    return EntityGazetteer(
        KnownEntity(person.id, EntityType.PERSON, person.name, tuple(_parts(person, people)))
        for person in people.people
        if fold(person.name) not in _ROLES
    )


def _parts(person: Person, people: Gazetteer) -> Iterator[str]:
    for word in person.name.split():
        part = word.strip('.,()"')
        if people.find(part) == person:
            yield part


def _guessed(event: Event, words: Words, people: Gazetteer, find: Find | None) -> Iterator[Found]:
    yield from organisations_in(words)
    if find is not None:
        yield from _found_by(find, words.text)
    if is_message(event):
        yield from matters_in(words.text, people.words)


def _found_by(find: Find, text: str) -> Iterator[Found]:
    """Yield what a library found, where it can be a name at all.

    One word that begins a sentence is not believed: on chat, taggers take most of those for names.
    """
    for start, end, type in find(text):
        if type not in EntityType.__members__ or not 0 <= start < end <= len(text):
            continue
        name = bare(text[start:end])
        alone = " " not in name and opens_sentence(text, start)
        if is_name(name) and not alone and (type in _SMALL or name != name.lower()):
            yield Found(start, end, EntityType(type), name, _FOUND)
