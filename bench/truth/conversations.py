"""Conversations beside labels: quotes in packs, feelings, facts, names, topics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.packs import TOKENS, normalised_ids
from bench.truth.labels import Labels
from bench.truth.statements import FEELING_GROUPS, NamedThing, StatementScorer, feels
from bench.truth.tally import Item, judged
from meridia import Memory
from meridia.core.facts import Fact
from meridia.core.text import shorten
from meridia.core.types import MemoryRecord
from meridia.core.vocabulary import Emotion
from meridia.resume.experience_views import ExperienceView
from meridia.resume.layout import PackItem, SectionTitle
from meridia.resume.pack import Pack
from meridia.resume.relationship_summary import RelationshipSummary

#: Topics looked at, and the entities among which they are the first.
_TOPICS, _ENTITIES = 20, 1000
_TEXT = 100
_WORD = re.compile(r"[a-z]+")
#: All words for a feeling, the product's and the readers'.
_FEELINGS = frozenset(Emotion) | frozenset().union(*FEELING_GROUPS)
_BAD = frozenset({"sad", "grieving", "concerned", "frustrated"})


@dataclass(frozen=True, slots=True)
class DerivedConversation:
    """What the product derived of one conversation; packs by person, views in order."""

    packs: dict[str, Pack]
    views: Sequence[ExperienceView]
    facts: Sequence[tuple[str, Fact]]
    names: Sequence[NamedThing]
    topics: Sequence[str]


def id_of(memory: MemoryRecord) -> str:
    """Return a message's id as labels have it."""
    (id,) = normalised_ids([memory.event_id])
    return id


def derive(here: Memory, tokens: int = TOKENS) -> DerivedConversation:
    """Read what was derived of the conversation in a space, as of its end."""
    people = [person.name for person in here.people.known().people]
    stories = [
        story
        for name in people
        if isinstance(story := here.people.relationship(name), RelationshipSummary)
    ]
    views = {view.memory.id: view for story in stories for view in story.shared}
    ends = max((view.memory.at for view in views.values()), default=None)
    packs = {
        story.person.name: here.resume(story.person.name, tokens, as_of=ends) for story in stories
    }
    return DerivedConversation(
        {name: pack for name, pack in packs.items() if isinstance(pack, Pack)},
        list(views.values()),
        [(id_of(here.get(fact.experience)), fact) for fact in here.chronicle.facts()],
        [
            *(NamedThing(name, judged_as_name=False) for name in people),
            *(
                NamedThing(row.name, row.type)
                for row in here.chronicle.entities()
                if row.merged_into is None
            ),
        ],
        [
            entity.name
            for entity in here.entities(_ENTITIES)
            if entity.label in ("Concept", "Topic")
        ][:_TOPICS],
    )


def score_conversation(
    labels: Labels, derived: DerivedConversation, statements: StatementScorer
) -> Iterator[Item]:
    """Yield every item of one conversation."""
    for person, pack in derived.packs.items():
        yield from _news(labels, person, pack)
    for person, pack in derived.packs.items():
        yield from _events(labels, person, pack)
    yield from _feelings(labels, derived.views)
    for pack in derived.packs.values():
        yield from _promises_in_pack(labels, pack)
    yield from statements.facts(derived.facts)
    yield from statements.names(derived.names)
    yield from statements.topics(derived.topics)


def _news(labels: Labels, person: str, pack: Pack) -> Iterator[Item]:
    """Yield what a pack quotes of its person: news, and of use."""
    for memory in (memory for item in _items(pack) for memory in item.memories):
        id, text = id_of(memory), f"[{person}] {shorten(memory.text, _TEXT)}"
        of_use = bool(labels.at(id, "news", "fact", "feeling", "promise"))
        for row, right in {
            "quotes useful": of_use,
            "quotes news": bool(labels.at(id, "news")),
        }.items():
            yield Item(row, labels.source, id, judged(right), text)


def _events(labels: Labels, person: str, pack: Pack) -> Iterator[Item]:
    cited = normalised_ids(pack.cited)
    for label in labels.of("event"):
        _, name, _ = label.id.split("/")
        if name == person and label.messages:
            verdict = judged(bool(cited & label.messages))
            yield Item("events in packs", labels.source, label.id, verdict, label["messages"])


def _feelings(labels: Labels, views: Sequence[ExperienceView]) -> Iterator[Item]:
    """Yield the words that each message of a person has, and what readers felt in it."""
    by_id = {id_of(view.memory): view for view in views}

    def item(row: str, id: str, right: bool, word: str = "") -> Item:
        text = shorten(by_id[id].memory.text, _TEXT) if id in by_id else "not there"
        return Item(row, labels.source, id, judged(right), f"{word}: {text}" if word else text)

    for id, view in by_id.items():
        for word in _primary(view):
            yield item("feelings", id, _is_felt(labels, id, word, grouped=True), word)
            yield item("feelings, strict", id, _is_felt(labels, id, word, grouped=False), word)
    for label in labels.of("feeling"):
        words = _primary(by_id.get(label.id))
        felt = any(feels(word, label, grouped=True) for word in words)
        yield item("feelings recall", label.id, felt, label["words"])
    for label in labels.of("notfeeling"):
        yield item("no feeling where none is", label.id, not _primary(by_id.get(label.id)))
    for tone, row, wanted in (
        ("bad", "bad news noticed", True),
        ("good", "good news not taken for bad", False),
    ):
        for label in labels.of("news"):
            if label["tone"] == tone:
                yield item(row, label.id, _is_bad(by_id.get(label.id)) is wanted)


def _promises_in_pack(labels: Labels, pack: Pack) -> Iterator[Item]:
    """Yield what a pack tells to be open: right when it is a promise, and open."""
    for item in _items(pack, SectionTitle.OPEN):
        if not item.before:
            id = id_of(item.memories[0])
            right = any(label["state"] == "open" for label in labels.at(id, "promise"))
            yield Item("promises open in packs", labels.source, id, judged(right), item.text)


def _items(pack: Pack, title: str = "") -> Iterator[PackItem]:
    """Yield the items of the sections with a title, or of all."""
    for section in pack.sections:
        if section.title.endswith(title):
            for line in section.lines:
                yield from line.items


def _is_felt(labels: Labels, id: str, word: str, *, grouped: bool) -> bool:
    return any(feels(word, label, grouped=grouped) for label in labels.at(id, "feeling"))


def _primary(view: ExperienceView | None) -> list[str]:
    return [word.value for word in view.signature.primary] if view and view.signature else []


def _is_bad(view: ExperienceView | None) -> bool:
    return view is not None and (view.valence < 0 or not _BAD.isdisjoint(_primary(view)))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
