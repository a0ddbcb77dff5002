"""Stage entities: what an event names, of thirteen types, with how sure that is.

What is known comes first, then what the caller says, then what names itself: a tool, a file's path,
a repository's address, a host, a legal form; then what a message names in its sentences. A spaCy
pipeline that the settings name (extra `ner`) may add to that: loading one takes seconds, so it
happens at the first text, and nothing is downloaded. Skills are never guessed. Merges play no part
here: a memory names what it names, and who stands for whom is looked up when it is read.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from ...core.entities.common_words import ROLES
from ...core.entities.entity_gazetteer import (
    EntityGazetteer,
    EntitySpan,
    EntityType,
    FoldedText,
    GazetteerEntity,
    entity_id,
    starts_sentence,
)
from ...core.entries import EntityMention
from ...core.errors import InvalidInput, Unavailable
from ...core.events import text_of
from ...core.ids import fold
from ...core.lazy import extra
from ...core.people import Gazetteer, Person
from ...core.vocabulary import Json
from ...language.addresses import (
    FILE_KEYS,
    PROJECT_KEYS,
    NameMatch,
    file_from_argument,
    find_addresses,
    find_files,
    project_from_argument,
)
from ...language.names import (
    bare_name,
    clean_name,
    find_message_names,
    find_organisations,
    is_valid_name,
    may_be_name,
)
from ...language.runs.tool_calls import Event
from ...language.tagging import Analysis

#: What the labels of common pipelines mean; English ones first, then those of other languages.
#: Dates, amounts, peoples and the like are no entities of ours.
LABEL_TYPES: Mapping[str, EntityType] = {
    "PERSON": EntityType.PERSON,
    "ORG": EntityType.ORG,
    "GPE": EntityType.PLACE,
    "LOC": EntityType.PLACE,
    "FAC": EntityType.PLACE,
    "WORK_OF_ART": EntityType.WORK,
    "PER": EntityType.PERSON,
    "persName": EntityType.PERSON,
    "orgName": EntityType.ORG,
    "placeName": EntityType.PLACE,
    "geogName": EntityType.PLACE,
    **{type.value: type for type in EntityType},
}
#: A longer text is read as far as this: what follows costs more than it names.
TEXT_CHARS_MAX = 20_000
_ENTITY_ATTRIBUTES = frozenset({"doc.ents", "doc.spans"})


class EntityRecogniser:
    """Finds names with one spaCy pipeline: a package's name or a folder."""

    def __init__(self, pipeline: str) -> None:
        if not pipeline.strip():
            raise InvalidInput("the entity pipeline has no name: give one, such as en_core_web_sm")
        self.pipeline = pipeline
        self._analyse: Callable[[str], Any] | None = None

    def __call__(self, text: str) -> list[tuple[int, int, str]]:
        """Return where `text` names something: start, end and the word of `EntityType`.

        Raises `Unavailable` where spaCy or the pipeline is not installed, and `InvalidInput` for
        a pipeline that finds no names.
        """
        if self._analyse is None:
            self._analyse = _load(self.pipeline)
        return [
            (span.start_char, span.end_char, LABEL_TYPES[span.label_].value)
            for span in self._analyse(text[:TEXT_CHARS_MAX]).ents
            if span.label_ in LABEL_TYPES
        ]


def _load(pipeline: str) -> Callable[[str], Any]:
    why = f"the entity pipeline {pipeline!r} is set up, but "
    with extra("ner", why, ", or leave entities.pipeline empty"):
        spacy = importlib.import_module("spacy")
    try:
        analyse = spacy.load(pipeline)
    except (OSError, ImportError, ValueError) as error:
        raise Unavailable(
            f"the entity pipeline {pipeline!r} cannot be loaded: install it (python -m spacy "
            f"download {pipeline}, or the folder's full name), or leave entities.pipeline empty: "
            f"{str(error).splitlines()[0][:200] if str(error) else type(error).__name__}"
        ) from None
    assigned_attributes = {
        assigned for name in analyse.pipe_names for assigned in analyse.get_pipe_meta(name).assigns
    }
    if _ENTITY_ATTRIBUTES.isdisjoint(assigned_attributes):
        raise InvalidInput(
            f"the entity pipeline {pipeline!r} finds no names: use one with an entity recogniser"
            ", such as en_core_web_sm"
        )
    return analyse  # type: ignore[no-any-return]


#: feature 102 and 003: at most so many of one memory, none less sure than this.
MENTIONS_MAX, MENTION_CONFIDENCE_MIN = 10, 0.75
_CALLER_ENTITIES_MAX, _ARGUMENTS_MAX, _LEVELS_MAX, _ADDRESSES_MAX = 100, 40, 6, 50
_RECOGNISER_CONFIDENCE = 0.8
#: Types whose names may be written small: those of things that are said, not called.
_LOWERCASE_TYPES = frozenset(
    {EntityType.SKILL, EntityType.CONCEPT, EntityType.TOOL, EntityType.FILE}
)
#: A library's finder: where a text names something, from start to before end, and its type.
NameRecogniser = Callable[[str], Iterable[tuple[int, int, str]]]


def extract_mentions(
    event: Event,
    space: str,
    gazetteer: EntityGazetteer,
    people: Gazetteer,
    recogniser: NameRecogniser | None = None,
    analysis: Analysis | None = None,
) -> list[EntityMention]:
    """Return the entities that an event names, the surest first, each once, at most ten.

    `analysis` is that of a message's text: without it no names are read from its sentences. Ids are
    those of the entities as named, not of what they were merged into.
    """
    words = FoldedText(text_of(event)[:TEXT_CHARS_MAX])
    mentions = _MentionCollector(space, gazetteer)
    for given in _caller_entities(event):
        mentions.add_name(*given)
    addresses = _addresses_and_files(words.text)
    for match in addresses:
        mentions.mark_span(match.start, match.end)
    for span in _uncovered_spans(gazetteer, words, mentions):
        confidence = MENTION_CONFIDENCE_MIN if len(span.entities) > 1 else 0.95 if span.own else 0.9
        for entity in span.entities:
            mentions.add_entity(entity, confidence)
    for type, name, confidence in _call_entities(event):
        mentions.add_name(type, name, confidence)
    for match in addresses:
        mentions.add_name(match.type, match.name, match.confidence)
    for span in _uncovered_spans(_gazetteer_of(people), words, mentions):
        mentions.add_name(EntityType.PERSON, span.entities[0].name, 0.95 if span.own else 0.85)
    for match in _guessed_names(words, people, recogniser, analysis):
        mentions.add_guess(match)
    return mentions.ranked()


class _MentionCollector:
    """What one event names so far, and which parts of its text are taken."""

    def __init__(self, space: str, gazetteer: EntityGazetteer) -> None:
        self._space, self._gazetteer = space, gazetteer
        self._by_id: dict[str, EntityMention] = {}
        self._names: set[str] = set()
        self._spans: list[tuple[int, int]] = []

    def mark_span(self, start: int, end: int) -> None:
        self._spans.append((start, end))

    def overlaps_span(self, start: int, end: int) -> bool:
        return any(start < last and first < end for first, last in self._spans)

    def add_entity(self, entity: GazetteerEntity, confidence: float) -> None:
        """Add an entity that is known."""
        self._add(entity.id, entity.type, entity.name, confidence)
        self._names.add(fold(entity.name))

    def add_name(self, type: EntityType | None, name: str, confidence: float) -> None:
        """Add what has this name, under the id by which it is known."""
        named_entities = self._gazetteer.find(name)
        for entity in named_entities:
            if type is None or type is entity.type:
                self.add_entity(entity, confidence)
                break
        else:
            entity_type = type or EntityType.CONCEPT
            self._add(entity_id(self._space, entity_type, name), entity_type, name, confidence)
        self._names.add(fold(name))

    def _add(self, id: str, type: EntityType, name: str, confidence: float) -> None:
        """Keep one mention of an entity: the surer word of two counts."""
        earlier = self._by_id.get(id)
        if earlier is None or earlier.confidence < confidence:
            self._by_id[id] = EntityMention(id, type, name, confidence)

    def add_guess(self, match: NameMatch) -> None:
        """Add a name, unless something of that name, or in its place, is there already."""
        if fold(match.name) in self._names or self.overlaps_span(match.start, match.end):
            return
        self.mark_span(match.start, match.end)
        self.add_name(match.type, match.name, match.confidence)

    def ranked(self) -> list[EntityMention]:
        """Return the surest, of equals the first."""
        mentions = sorted(self._by_id.values(), key=lambda mention: -mention.confidence)
        return mentions[:MENTIONS_MAX]


def _caller_entities(event: Event) -> Iterator[tuple[EntityType | None, str, float]]:
    """Yield the caller's entities: names, or objects of type and name, perhaps a confidence."""
    metadata = event.get("metadata")
    listed = metadata.get("entities") if isinstance(metadata, Mapping) else None
    if not isinstance(listed, (list, tuple)):
        return
    for item in islice(listed, _CALLER_ENTITIES_MAX):
        fields = item if isinstance(item, Mapping) else {"name": item}
        name, type, confidence = (
            fields.get("name"),
            fields.get("type"),
            fields.get("confidence", 1.0),
        )
        if not isinstance(name, str) or not is_valid_name(name):
            continue
        if (
            not isinstance(confidence, (int, float))
            or not MENTION_CONFIDENCE_MIN <= confidence <= 1
        ):
            continue
        if type is None:
            yield None, clean_name(name), float(confidence)
        elif isinstance(type, str) and type.strip().upper() in EntityType.__members__:
            yield EntityType(type.strip().upper()), clean_name(name), float(confidence)


def _call_entities(event: Event) -> Iterator[tuple[EntityType, str, float]]:
    """Yield the tool of a call, and the files and repositories among its arguments."""
    tool = event.get("tool")
    name = tool.get("name") if isinstance(tool, Mapping) else None
    if isinstance(name, str) and is_valid_name(name):
        yield EntityType.TOOL, clean_name(name), 1.0
    for key, value in islice(_arguments(event["payload"].get("args"), "", 0), _ARGUMENTS_MAX):
        if key in FILE_KEYS and (path := file_from_argument(value)):
            yield EntityType.FILE, path, 0.95
        if key in PROJECT_KEYS and (project := project_from_argument(value)):
            yield EntityType.PROJECT, project, 0.95


def _arguments(value: Json, key: str, level: int) -> Iterator[tuple[str, str]]:
    """Yield the texts among arguments with the names they go by; lists keep their own name."""
    if isinstance(value, str):
        yield key, value
    elif level < _LEVELS_MAX and isinstance(value, Mapping):
        for name, item in value.items():
            yield from _arguments(item, str(name).lower(), level + 1)
    elif level < _LEVELS_MAX and isinstance(value, (list, tuple)):
        for item in value:
            yield from _arguments(item, key, level + 1)


def _addresses_and_files(text: str) -> list[NameMatch]:
    addresses = [*islice(find_addresses(text), _ADDRESSES_MAX)]
    files = islice(find_files(text), _ADDRESSES_MAX)
    return addresses + [
        file
        for file in files
        if not any(file.start < other.end and other.start < file.end for other in addresses)
    ]


def _uncovered_spans(
    gazetteer: EntityGazetteer, words: FoldedText, mentions: _MentionCollector
) -> list[EntitySpan]:
    """Return where known names stand that are no part of something else, and take the places."""
    spans = [
        span
        for span in gazetteer.spans_in(words)
        if not mentions.overlaps_span(span.start, span.end)
    ]
    for span in spans:
        mentions.mark_span(span.start, span.end)
    return spans


@lru_cache(maxsize=8)
def _gazetteer_of(people: Gazetteer) -> EntityGazetteer:
    """Return known people as entities: the parts of their names that are theirs are aliases."""
    return EntityGazetteer(
        GazetteerEntity(
            person.id, EntityType.PERSON, person.name, tuple(_distinct_words(person, people))
        )
        for person in people.people
        if fold(person.name) not in ROLES
    )


def _distinct_words(person: Person, people: Gazetteer) -> Iterator[str]:
    for word in person.name.split():
        cleaned = word.strip('.,()"')
        if people.find(cleaned) == person:
            yield cleaned


def _guessed_names(
    words: FoldedText,
    people: Gazetteer,
    recogniser: NameRecogniser | None,
    analysis: Analysis | None,
) -> Iterator[NameMatch]:
    yield from find_organisations(words)
    if recogniser is not None:
        yield from _recognised_names(recogniser, words.text)
    if analysis is not None and analysis.text == words.text[: len(analysis.text)]:
        yield from find_message_names(analysis, people.words)


def _recognised_names(recogniser: NameRecogniser, text: str) -> Iterator[NameMatch]:
    """Yield what a library found, where it can be a name at all.

    One word that begins a sentence is not believed: on chat, taggers take most of those for names.
    """
    for start, end, type in recogniser(text):
        if type not in EntityType.__members__ or not 0 <= start < end <= len(text):
            continue
        name = bare_name(text[start:end])
        alone = " " not in name and starts_sentence(text, start)
        if may_be_name(name) and not alone and (type in _LOWERCASE_TYPES or name != name.lower()):
            yield NameMatch(start, end, EntityType(type), name, _RECOGNISER_CONFIDENCE)
