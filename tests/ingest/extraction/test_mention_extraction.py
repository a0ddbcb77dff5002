"""Stage entities (feature 102): what an event names, how sure that is, and what names nothing."""

from __future__ import annotations

import calendar
import timeit
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import encode
from meridia.core.entities.entity_gazetteer import (
    EntityGazetteer,
    EntityType,
    GazetteerEntity,
    entity_id,
)
from meridia.core.entries import EntityMention
from meridia.core.people import Gazetteer, Person
from meridia.ingest.extraction.entities import (
    MENTION_CONFIDENCE_MIN,
    MENTIONS_MAX,
    NameRecogniser,
    extract_mentions,
)
from meridia.language.tagging import analyse
from meridia.models.embedder import MiniLmEmbedder
from tests.ingest.ingest_events import EVENTS, agent, result, user

PEOPLE = Gazetteer(Person(name, name) for name in ("Dana Reed", "Grace Hill", "Will", "User"))


def entry(
    type: str, name: str, *aliases: str, into: GazetteerEntity | None = None
) -> GazetteerEntity:
    kind = EntityType(type)
    id = entity_id("s", kind, name)
    return GazetteerEntity(id, kind, name, aliases, into.id if into else None)


def mentions(
    event: dict[str, Any],
    *entities: GazetteerEntity,
    people: Gazetteer = PEOPLE,
    find: NameRecogniser | None = None,
) -> list[EntityMention]:
    return extract_mentions(event, "s", EntityGazetteer(entities), people, find)


def named(event: dict[str, Any], *entities: GazetteerEntity, **more: Any) -> list[tuple[str, str]]:
    return [(m.type.value, m.name) for m in mentions(event, *entities, **more)]


def reported(entities: Any) -> dict[str, Any]:
    return {
        "kind": "user_message",
        "payload": {"text": "so it is"},
        "metadata": {"entities": entities},
    }


def test_row_102_each_type_is_found_in_its_own_way():
    event = user(
        "Dana Reed of Acme GmbH showed the Harbour Lights plan: Harbour Lights in Oslo needs "
        "welding, see src/plan.py on https://github.com/acme/widget",
        metadata={"entities": [{"type": "SKILL", "name": "welding"}]},
    )
    results = named(event, entry("PLACE", "Oslo"))
    assert {type for type, _ in results} == {
        "PERSON", "ORG", "PLACE", "SKILL", "FILE", "PROJECT", "SYSTEM"
    }  # fmt: skip
    assert named(result("read_file"))[0] == ("TOOL", "read_file")
    text = "we plan the Harbour Lights walk and at Harbour Lights we eat"
    read = extract_mentions(
        user(text), "s", EntityGazetteer(), PEOPLE, None, analyse(text, MiniLmEmbedder().encode)
    )
    assert [(mention.type, mention.name) for mention in read] == [("CONCEPT", "Harbour Lights")]


def test_row_102_at_most_ten_are_kept_and_those_the_surest():
    text = " ".join(f"src/file{n}.py" for n in range(30))
    results = mentions(user(text, metadata={"entities": ["Harbour Lights"]}))
    assert len(results) == MENTIONS_MAX == 10
    assert results[0].name == "Harbour Lights"
    assert [m.confidence for m in results] == sorted((m.confidence for m in results), reverse=True)


def test_a_mention_is_plain_json_with_the_id_of_its_type_and_name():
    (results,) = mentions(user("at Acme GmbH today"))
    assert encode(results) == {
        "id": entity_id("s", EntityType.ORG, "Acme GmbH"),
        "type": "ORG",
        "name": "Acme GmbH",
        "confidence": 0.9,
    }


def test_what_is_known_is_found_under_its_own_id_and_name():
    acme = GazetteerEntity("entity_7", EntityType.ORG, "Acme Robotics", ("Acme",))
    (results,) = mentions(user("at Acme today"), acme)
    assert (results.id, results.name, results.confidence) == ("entity_7", "Acme Robotics", 0.9)


def test_a_merged_entity_is_mentioned_as_itself():
    full = entry("ORG", "Acme Robotics")
    short = entry("ORG", "Acme", into=full)
    assert [m.id for m in mentions(user("at Acme today"), full, short)] == [short.id]


def test_what_is_known_keeps_its_type_where_a_rule_would_guess_another():
    assert named(user("at Acme Inc"), entry("PROJECT", "Acme Inc")) == [("PROJECT", "Acme Inc")]


def test_a_part_of_an_address_names_nothing():
    event = user("see https://acme.io/Oslo/plan and lib/Oslo.py")
    assert named(event, entry("PLACE", "Oslo")) == [("SYSTEM", "acme.io"), ("FILE", "lib/Oslo.py")]


def test_an_address_that_is_an_alias_is_known_by_its_name():
    portal = entry("SYSTEM", "Acme Portal", "acme.io")
    assert [m.id for m in mentions(user("see https://acme.io/x"), portal)] == [portal.id]


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("I met Dana Reed", ["Dana Reed"]),
        ("dana reed called", ["Dana Reed"]),
        ("Dana’s idea", ["Dana Reed"]),
        ("DANA!", ["Dana Reed"]),
        ("up the hill, with grace, I will", []),
        ("Will it rain?", []),
        ("I asked Will", ["Will"]),
        ("the user is the User", []),
    ],
)
def test_people_are_named_and_words_that_are_names_too_are_not(text, results):
    assert [name for _, name in named(user(text))] == results


def test_a_whole_name_is_surer_than_a_part():
    (whole,), (fragment,) = mentions(user("I met Dana Reed")), mentions(user("I met Dana"))
    assert whole.id == fragment.id
    assert whole.confidence > fragment.confidence


def test_a_call_names_its_tool_its_files_and_its_repository():
    event = result(
        "Edit File",
        {"file_path": "Makefile", "repo": "acme/widget", "edits": [{"path": "a.weird"}]},
    )
    assert named(event) == [
        ("TOOL", "Edit File"),
        ("FILE", "Makefile"),
        ("PROJECT", "acme/widget"),
        ("FILE", "a.weird"),
    ]


def test_a_folder_that_is_called_path_is_no_file():
    assert named(result("ls", {"path": "/usr/bin"})) == [("TOOL", "ls")]


def test_the_caller_names_entities_with_types_or_without():
    event = reported([{"type": "place", "name": " Oslo "}, "Harbour Lights", {"name": "Acme"}])
    assert named(event, entry("ORG", "Acme")) == [
        ("PLACE", "Oslo"),
        ("CONCEPT", "Harbour Lights"),
        ("ORG", "Acme"),
    ]


def test_the_caller_may_be_less_than_sure_and_is_then_heard_or_not():
    event = reported(
        [
            {"type": "ORG", "name": "A1", "confidence": 0.8},
            {"type": "ORG", "name": "B2", "confidence": 0.74},
            {"type": "ORG", "name": "C3", "confidence": "high"},
            {"type": "ORG", "name": "D4", "confidence": float("nan")},
        ]
    )
    assert [(m.name, m.confidence) for m in mentions(event)] == [("A1", 0.8)]


@pytest.mark.parametrize(
    "entities",
    [
        None,
        "Acme",
        7,
        {"name": "Acme"},
        [None, 7, [], {}, "", "  ", "...", ["Acme"], {"name": 7}, {"type": "ORG"}],
        [{"type": "DOG", "name": "Rex"}, {"type": 3, "name": "Rex"}, {"type": "ORG", "name": None}],
        [{"type": "ORG", "name": "x" * 500}],
    ],
)
def test_a_remark_that_is_no_entity_yields_nothing(entities):
    assert named(reported(entities)) == []


@pytest.mark.parametrize("metadata", [None, "x", 7, [], {"entities": {"a": [1]}}])
def test_metadata_of_any_shape_yields_nothing(metadata):
    assert named(reported([]) | {"metadata": metadata}) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "name", "confidence"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_whatever_the_caller_says_never_raises(entities):
    for mention in mentions(reported(entities)):
        assert MENTION_CONFIDENCE_MIN <= mention.confidence <= 1
        assert mention.name.strip()


@given(EVENTS, st.sampled_from([(), (entry("ORG", "API"), entry("PLACE", "Oslo"))]))
def test_mentions_are_few_sure_enough_and_each_once(event, entities):
    results = mentions(event, *entities)
    assert len(results) <= MENTIONS_MAX
    assert all(MENTION_CONFIDENCE_MIN <= mention.confidence <= 1 for mention in results)
    assert len({mention.id for mention in results}) == len(results)


@pytest.mark.parametrize(
    "text",
    [
        "Hi! Thanks. I'm fine.",
        "Hello, Good Morning! Sounds great, Congrats!",
        f"See you on {', '.join(calendar.day_name)} or in {', '.join(calendar.month_name)}",
        "Wow! That's amazing. Yes, Sure. Okay. OK. No Problem. Thank You! Thank You!",
        "I’ll be there. I’ve seen it. It’s fine. We’re good.",
        "- **Flight Number**: HAT1\n- **Flight Number**: HAT2\n- **Total Price**: $5",
    ],
)
def test_greetings_thanks_pronouns_and_times_are_nobody(text):
    assert named(user(text)) == []
    assert named(agent(text)) == []


def test_what_a_library_finds_fills_in_what_is_not_known():
    text = "Hi Thanks to Oslo, Bergen, Acme GmbH"
    names = ["Hi", "Thanks", "Oslo", "Bergen", "Acme", "Acme GmbH"]

    def find(read: str) -> list[tuple[int, int, str]]:
        spans = [(read.index(name), read.index(name) + len(name)) for name in names]
        results = [(start, end, "PLACE") for start, end in [*spans, (-1, 3), (7, 7), (30, 90)]]
        return [(*spans[3], "DOG"), *results]

    assert named(user(text), entry("ORG", "Oslo"), find=find) == [
        ("ORG", "Oslo"),
        ("ORG", "Acme GmbH"),
        ("PLACE", "Bergen"),
    ]


@pytest.mark.parametrize(
    ("text", "name", "retained"),
    [
        ("we saw the Grand Canyon", "the Grand Canyon", ["Grand Canyon"]),
        ("with Ed Sheeran's band", "Ed Sheeran's", ["Ed Sheeran"]),
        ("hey ya", "ya", []),
        ("Dance is fun", "Dance", []),
        ("we love Bach", "Bach", ["Bach"]),
        ("Grand Canyon trip", "Grand Canyon", ["Grand Canyon"]),
    ],
)
def test_what_a_library_takes_for_a_name_is_looked_at(text, name, retained):
    start = text.index(name)
    results = named(user(text), find=lambda _: [(start, start + len(name), "PLACE")])
    assert [name for _, name in results] == retained


def test_a_skill_that_a_library_finds_may_be_written_small():
    assert named(user("good at welding"), find=lambda _: [(8, 15, "SKILL")]) == [
        ("SKILL", "welding")
    ]


def test_the_same_thing_named_twice_is_one_mention_and_the_surer_word_counts():
    event = user(
        "at Acme GmbH and acme gmbh", metadata={"entities": [{"type": "ORG", "name": "Acme GmbH"}]}
    )
    assert [(m.name, m.confidence) for m in mentions(event)] == [("Acme GmbH", 1.0)]


def test_a_long_result_is_read_as_far_as_its_beginning():
    event = result("bash", output="x " * 30_000 + "at Acme GmbH")
    assert named(event) == [("TOOL", "bash")]


def test_thousands_of_known_names_cost_a_chat_message_little():
    event = user(
        "Hey Dana, I was thinking about the trip to Lake Tahoe next weekend, do you want to come "
        "with us or would you rather stay home and finish the painting you started?"
    )
    few = EntityGazetteer([entry("PLACE", "Lake Tahoe")])
    many = EntityGazetteer(
        [entry("PLACE", "Lake Tahoe"), *(entry("ORG", f"Acme {n}") for n in range(2_000))]
    )
    assert extract_mentions(event, "s", many, PEOPLE) == extract_mentions(event, "s", few, PEOPLE)
    rounds = [[_seconds(event, known) for known in (few, many)] for _ in range(15)]
    with_few, with_many = map(min, zip(*rounds, strict=True))
    assert with_many < 3 * with_few


def _seconds(event: dict[str, Any], known: EntityGazetteer) -> float:
    return timeit.timeit(lambda: extract_mentions(event, "s", known, PEOPLE), number=100)
