"""Facets of a memory and of a question, and the boosts for their agreement.

Facets come from the metadata of an event; unreadable values are ignored, never refused. A boost is
a sum of lines, one for each kind of agreement. The content of a memory is not read, and no facet
can lower a score.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from ...core.events import document_of
from ...core.types import Json

#: The most that facets may add to a score; the lines beyond it are cut, visibly.
BOOST_MAX = 0.35
#: How deep lists, objects and JSON in texts are followed.
_DEPTH = 4
#: Larger whole numbers are no names.
_NUMBER_MAX = 10**18
_ID_KEYS = ("entity_id", "entityId", "slug", "id", "code")
_NO_JSON = object()
_WORDS = re.compile(r"[^\W_]+")

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facets:
    """The facets of a memory, each name in lower case and once.

    `titles` are the texts in which keywords are looked for, `archetypes` the profiles it is for.
    """

    platforms: Names = ()
    disciplines: Names = ()
    audiences: Names = ()
    tags: Names = ()
    modes: Names = ()
    entities: Names = ()
    archetypes: Names = ()
    titles: Names = ()


@dataclass(frozen=True, slots=True)
class Hints:
    """The facets that a question asks for; `hints_of` reads them from any JSON value.

    Names are in lower case. A topic such as `platform_web` asks for a platform (so do
    `discipline_` and `audience_`); any other topic asks for a tag.
    """

    mode: str | None = None
    topics: Names = ()
    focus_entities: Names = ()
    keywords: Names = ()
    platforms: Names = ()
    disciplines: Names = ()
    audiences: Names = ()
    tags: Names = ()


@dataclass(frozen=True, slots=True)
class BoostLine:
    """One summand of a boost: of which kind, in words, and how much."""

    term: str
    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Boost:
    """A boost of a score; `lines` sum to `value`, including one for what a limit cut."""

    value: float = 0.0
    lines: tuple[BoostLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Range:
    """The worth of one kind of agreement: `low` for one match, `high` from `full` matches on."""

    low: float
    high: float
    full: int

    def at(self, matches: int) -> float:
        """Return the worth of so many matches: 0 for none, then in even steps."""
        if matches <= 0:
            return 0.0
        if matches >= self.full:
            return self.high
        return self.low + (self.high - self.low) * (matches - 1) / (self.full - 1)


PLATFORM = Range(0.05, 0.12, 3)
DISCIPLINE = Range(0.03, 0.08, 3)
AUDIENCE = Range(0.03, 0.08, 3)
ENTITY = Range(0.10, 0.20, 3)
KEYWORD = Range(0.02, 0.06, 5)
#: A memory for the asked mode alone gives the high end, one that is for many modes nears the low.
MODE_LOW, MODE_HIGH = 0.03, 0.08

_KEYS: Mapping[str, Names] = {
    "platforms": ("platforms",),
    "disciplines": ("disciplines",),
    "audiences": ("audiences",),
    "tags": ("tags", "context_tags"),
    "modes": ("modes", "primary_modes"),
    "archetypes": ("archetypes", "archetype_bias"),
    "titles": ("title", "topic", "path", "heading", "heading_path", "section_labels"),
}


def parse_texts(value: Json) -> list[str]:
    """Return the texts of a JSON value: lower case, trimmed, each once, in order.

    Reads lists, the values of objects, JSON in a text, and texts separated by commas; a number
    counts as text. Null and whatever else it is give none. Never raises.
    """
    return _normalised(_walk(value, _values, numbers=True))


def related_entity_ids(value: Json) -> list[str]:
    """Return the ids of entities in a JSON value: lower case, trimmed, each once, in order.

    Reads names, objects with an id (entity_id, entityId, slug, id or code: the first that is
    there), lists of both, `{"models": …}` around any of them, and each as JSON in a text or
    separated by commas. Anything else gives none. Never raises.
    """
    return _normalised(_walk(value, _identity, numbers=False))


def facets_of(metadata: Json) -> Facets:
    """Read facets from an event's metadata and from the `document` in it that it is part of.

    Takes `tags` and the like as well as the longer names of the source (`context_tags`,
    `contextTags`); entities may also be objects with a `name`. Never raises.
    """
    levels = [level for level in (metadata, document_of(metadata)) if isinstance(level, Mapping)]
    values = {
        facet: _distinct(parse_texts(_field(level, key)) for key in keys for level in levels)
        for facet, keys in _KEYS.items()
    }
    given = [_field(level, key) for key in ("entities", "related_entities") for level in levels]
    entities = _distinct([*map(related_entity_ids, given), *map(_object_names, given)])
    return Facets(**values, entities=entities)


def hints_of(value: Json, mode: str | None = None) -> Hints:
    """Read hints from any JSON value; a `mode` that is settled already beats the hinted one.

    Never raises.
    """
    given = value if isinstance(value, Mapping) else {}
    modes = parse_texts([mode]) or parse_texts(given.get("mode"))
    return Hints(
        mode=modes[0] if modes else None,
        topics=tuple(parse_texts([given.get("topics"), given.get("intents")])),
        focus_entities=tuple(related_entity_ids(_field(given, "focus_entities"))),
        keywords=tuple(parse_texts(given.get("keywords"))),
        platforms=tuple(parse_texts(given.get("platforms"))),
        disciplines=tuple(parse_texts(given.get("disciplines"))),
        audiences=tuple(parse_texts(given.get("audiences"))),
        tags=tuple(parse_texts(given.get("tags"))),
    )


def boost(facets: Facets, hints: Hints) -> Boost:
    """Return what agreement of a memory with the hints adds to its score, 0 to `BOOST_MAX`.

    Ranges (feature 113): mode .03 to .08, platform .05 to .12, discipline .03 to .08, entity .10 to
    .20, keyword .02 to .06; audience is ours, as much as discipline. No match, no boost.
    """
    topics = hints.topics
    lines = [
        _mode(facets.modes, hints.mode),
        _filed("platform", PLATFORM, facets.platforms, hints.platforms, topics),
        _filed("discipline", DISCIPLINE, facets.disciplines, hints.disciplines, topics),
        _filed("audience", AUDIENCE, facets.audiences, hints.audiences, topics),
        _line("entity", "is about", ENTITY, _common(facets.entities, hints.focus_entities)),
        _line("keyword", "is filed under", KEYWORD, _keywords(facets, hints)),
    ]
    return capped([line for line in lines if line.value > 0], BOOST_MAX)


def capped(lines: Sequence[BoostLine], most: float) -> Boost:
    """Add lines up to a boost of at most `most`; what that cuts becomes a last, negative line."""
    total = math.fsum(line.value for line in lines)
    if total <= most:
        return Boost(total, tuple(lines))
    return Boost(most, (*lines, BoostLine("limit", f"no more than {most:g}", most - total)))


@dataclass(frozen=True, slots=True)
class Population:
    """How many of `memories` have each facet: a basis for tuning boosts."""

    memories: int
    filled: Mapping[str, int]

    @property
    def empty(self) -> list[str]:
        """The facets that no memory has."""
        return [facet for facet, count in self.filled.items() if not count]


def population(facets: Iterable[Facets]) -> Population:
    """Count how many memories have each facet."""
    names = [field.name for field in fields(Facets)]
    filled, memories = dict.fromkeys(names, 0), 0
    for entry in facets:
        memories += 1
        for name in names:
            filled[name] += bool(getattr(entry, name))
    return Population(memories, filled)


def _normalised(texts: Iterable[str]) -> list[str]:
    tidy = (text.lower().strip() for text in texts)
    return list(dict.fromkeys(text for text in tidy if text))


#: Says which parts of an object are read.
_Opened = Callable[[Mapping[str, Json]], Iterable[Json]]


def _walk(value: Json, opened: _Opened, numbers: bool, level: int = 0) -> Iterator[str]:
    """Yield the texts of a value, and its numbers where they count, down to `_DEPTH` levels."""
    children: Iterable[Json] = ()
    if level > _DEPTH:
        return
    if isinstance(value, str):
        document = _json(value)
        if document is _NO_JSON:
            yield from value.split(",")
        else:
            children = (document,)
    elif isinstance(value, (list, tuple)):
        children = value
    elif isinstance(value, Mapping):
        children = opened(value)
    elif numbers:
        yield _number(value)
    for child in children:
        yield from _walk(child, opened, numbers, level + 1)


def _values(fields: Mapping[str, Json]) -> Iterable[Json]:
    return fields.values()


def _identity(fields: Mapping[str, Json]) -> Iterable[Json]:
    """Return the first id that an object has, or else the models that it holds."""
    own = next((name for key in _ID_KEYS if (name := _name(fields.get(key)))), None)
    return [fields.get("models") if own is None else own]


def _json(text: str) -> Json:
    """Return what a text holds as JSON, or `_NO_JSON`: words and numbers are just text."""
    stripped = text.strip()
    if stripped[:1] not in {"[", "{", '"'} and stripped != "null":
        return _NO_JSON
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        return _NO_JSON


def _name(value: Json) -> str:
    return value.strip() if isinstance(value, str) else _number(value)


def _number(value: Json) -> str:
    """Return a number as text; "" if it is not a number, or too large to be a name."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    # Comparisons with what is not a number are false.
    return str(value) if -_NUMBER_MAX < value < _NUMBER_MAX else ""


def _field(level: Mapping[str, Json], key: str) -> Json:
    """Return a field by its name, or by the same name in camel case."""
    first, *rest = key.split("_")
    value = level.get(key)
    return level.get(first + "".join(map(str.capitalize, rest))) if value is None else value


def _object_names(value: Json) -> list[str]:
    """Return the names of the objects in a list."""
    listed = value if isinstance(value, (list, tuple)) else ()
    return _normalised(_name(item.get("name")) for item in listed if isinstance(item, Mapping))


def _distinct(groups: Iterable[Iterable[str]]) -> Names:
    return tuple(dict.fromkeys(name for names in groups for name in names))


def _common(filed: Names, asked: Iterable[str]) -> Names:
    wanted = set(asked)
    return tuple(name for name in filed if name in wanted)


def _line(term: str, label: str, worth: Range, matches: Names) -> BoostLine:
    return BoostLine(term, f"{label} {', '.join(matches)}", worth.at(len(matches)))


def _mode(modes: Names, asked: str | None) -> BoostLine:
    if asked is None or asked not in modes:
        return BoostLine("mode", "", 0.0)
    value = MODE_LOW + (MODE_HIGH - MODE_LOW) / len(modes)
    return BoostLine("mode", f"is for mode {asked}", min(value, MODE_HIGH))


def _filed(term: str, worth: Range, filed: Names, asked: Names, topics: Names) -> BoostLine:
    """Count a name that is asked for, and again one that a topic asks for."""
    prefix = f"{term}_"
    by_topic = [topic.removeprefix(prefix) for topic in topics if topic.startswith(prefix)]
    matches = (*_common(filed, asked), *_common(filed, by_topic))
    names = ", ".join(dict.fromkeys(matches))
    return BoostLine(term, f"is for {term} {names}", worth.at(len(matches)))


def _keywords(facets: Facets, hints: Hints) -> Names:
    """Return the keywords found in titles or tags, and the tags that are asked for."""
    places = [_word_text(text) for text in (*facets.titles, *facets.tags)]
    matched = [word for word in hints.keywords if _contains_word(_word_text(word), places)]
    return tuple(dict.fromkeys((*matched, *_common(facets.tags, (*hints.tags, *hints.topics)))))


def _word_text(text: str) -> str:
    return f" {' '.join(_WORDS.findall(text))} "


def _contains_word(word: str, places: Sequence[str]) -> bool:
    """Return whether a word of three letters or more stands in a place, as whole words.

    Scripts without capitals are often written without spaces: there, two letters are a word and
    may stand anywhere.
    """
    bare = word.replace(" ", "")
    capitals = bare.isascii() or bare.upper() != bare.lower()
    if len(bare) < (3 if capitals else 2):
        return False
    return any((word if capitals else word.strip()) in place for place in places)
