"""What is read of facets and hints, and what their agreement is worth."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.retrieval.rerank.facets import (
    BOOST_MAX,
    Boost,
    BoostLine,
    Facets,
    Hints,
    Range,
    boost,
    capped,
    document_of,
    facets_of,
    hints_of,
    parse_texts,
    population,
    related_entity_ids,
)
from tests.retrieval.rerank.facet_strategies import NAMES, facets_drawn, hints_drawn, json_values


def worth(given: Boost) -> dict[str, float]:
    return {line.term: line.value for line in given.lines}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, []),
        ([], []),
        ("", []),
        ("null", []),
        (["Owner", "Prospect"], ["owner", "prospect"]),
        ('["owner","prospect"]', ["owner", "prospect"]),
        (" Owner ,prospect,, OWNER", ["owner", "prospect"]),
        ('"Owner"', ["owner"]),
        (["A", '["b", "a"]', {"0": "C"}, "d,e", 5], ["a", "b", "c", "d", "e", "5"]),
        ({"a": ["X", None, True]}, ["x"]),
        ("[draft] notes", ["[draft] notes"]),
        (True, []),
        (float("nan"), []),
        pytest.param(10**5000, [], id="a number of 5000 digits"),
        pytest.param("[" * 9999, ["[" * 9999], id="brackets"),
        ([[[["four deep"]]]], ["four deep"]),
        ([[[[["five deep"]]]]], []),
    ],
)
def test_texts_are_lower_trimmed_and_distinct_from_any_shape(value, expected):
    """Row 110: null gives none; lower case, trimmed, each once; JSON text, list or commas."""
    assert parse_texts(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["MX8", "hts"], ["mx8", "hts"]),
        ([{"entity_id": "MX8"}], ["mx8"]),
        ([{"slug": "mx8"}], ["mx8"]),
        ({"models": ["mx8", {"code": "SCO"}]}, ["mx8", "sco"]),
        ('{"models": [{"slug": "MX8"}]}', ["mx8"]),
        ("mx8, HTS", ["mx8", "hts"]),
        ([{"entity_id": "a", "entityId": "b", "slug": "c", "id": "d", "code": "e"}], ["a"]),
        ([{"entityId": "b", "slug": "c", "id": "d", "code": "e"}], ["b"]),
        ([{"slug": "c", "id": "d", "code": "e"}], ["c"]),
        ([{"id": "d", "code": "e"}], ["d"]),
        ([{"entity_id": None, "slug": " ", "code": 7}], ["7"]),
        ([["mx8"], "mx8"], ["mx8"]),
        ([[[["mx8"]]]], ["mx8"]),
        ([[[[["mx8"]]]]], []),
        ({"other": ["mx8"]}, []),
        ([1, 2.5, True, None], []),
        (8, []),
        (None, []),
    ],
)
def test_entities_are_read_from_three_shapes_and_from_models(value, expected):
    """Row 111 and D24: the first of five ids, four levels deep; anything else yields nothing."""
    assert related_entity_ids(value) == expected


@given(json_values)
def test_nothing_that_json_can_say_is_refused(value):
    """Rows 110 and 111: never raises; what comes out is tidy and goes through unchanged."""
    for read in (parse_texts, related_entity_ids):
        found = read(value)
        assert found == list(dict.fromkeys(text.strip().lower() for text in found))
        assert all(found)
    given_boost = boost(facets_of(value), hints_of(value))
    assert 0 <= given_boost.value <= BOOST_MAX


def test_facets_are_read_from_a_memory_and_its_document():
    """D22: platforms, disciplines, audiences, tags, modes, entities, at both levels."""
    found = facets_of(
        {
            "platforms": ["Web"],
            "primary_modes": '["owner"]',
            "contextTags": "Fitting, stock",
            "entities": [{"name": "Dana", "type": "PERSON"}, "mx8"],
            "archetype_bias": ["Analyst"],
            "topic": "Rib height",
            "document": {
                "platforms": ["iOS", "web"],
                "disciplines": ["trap"],
                "audiences": ["owner"],
                "related_entities": {"models": ["ht"]},
                "path": "guides/fitting.md",
            },
        }
    )
    assert found == Facets(
        platforms=("web", "ios"),
        disciplines=("trap",),
        audiences=("owner",),
        tags=("fitting", "stock"),
        modes=("owner",),
        entities=("mx8", "ht", "dana"),
        archetypes=("analyst",),
        titles=("rib height", "guides/fitting.md"),
    )


@pytest.mark.parametrize("metadata", [None, 3, "tags", [], {"tags": {"a": {}}, "document": 5}])
def test_metadata_without_facets_have_none(metadata):
    assert facets_of(metadata) == Facets()


def test_a_document_may_be_json_in_a_text():
    assert document_of({"document": '{"tags": ["a"]}'}) == {"tags": ["a"]}
    assert document_of({"document": "guide.pdf"}) is None


def test_a_settled_mode_beats_the_hinted_one():
    """Row 121: the mode in force for this very message counts."""
    value = {"mode": "Prospect", "focusEntities": [{"slug": "MX8"}], "intents": ["Buy"]}
    assert hints_of(value) == Hints("prospect", topics=("buy",), focus_entities=("mx8",))
    assert hints_of(value, mode="Owner").mode == "owner"
    assert hints_of(value, mode="").mode == "prospect"
    assert hints_of(None) == Hints()


def test_without_a_match_there_is_no_boost():
    """Row 112: 0 without a match."""
    asked = Hints("owner", ("platform_web",), ("mx8",), ("boat",), ("ios",), ("trap",))
    assert boost(Facets(), asked) == Boost(0.0, ())
    filed = Facets(("tv",), ("golf",), ("kids",), ("sea",), ("prospect",), ("ht",))
    assert boost(filed, asked) == Boost(0.0, ())
    assert boost(replace(filed, platforms=("web",)), Hints()) == Boost(0.0, ())


@pytest.mark.parametrize(
    ("term", "field", "asked", "low", "high"),
    [
        ("platform", "platforms", "platforms", 0.05, 0.12),
        ("discipline", "disciplines", "disciplines", 0.03, 0.08),
        ("audience", "audiences", "audiences", 0.03, 0.08),
        ("entity", "entities", "focus_entities", 0.10, 0.20),
        ("keyword", "titles", "keywords", 0.02, 0.06),
    ],
)
def test_one_match_gives_the_low_end_and_many_the_high(term, field, asked, low, high):
    """Row 113: platform .05–.12, discipline .03–.08, entity .10–.20, keyword .02–.06."""
    every = tuple(NAMES)
    one = boost(Facets(**{field: every[2:3]}), Hints(**{asked: every}))
    most = boost(Facets(**{field: every}), Hints(**{asked: every}))
    assert worth(one) == {term: low}
    assert worth(most) == {term: high}


def test_a_memory_for_the_asked_mode_alone_gains_most():
    """Row 113: mode .03–.08."""
    asked = Hints(mode="owner")
    assert worth(boost(Facets(modes=("owner",)), asked)) == {"mode": 0.08}
    both = worth(boost(Facets(modes=("owner", "prospect")), asked))["mode"]
    many = worth(boost(Facets(modes=("owner", *map(str, range(10**4)))), asked))["mode"]
    assert both == pytest.approx(0.055)
    assert many == pytest.approx(0.03, abs=1e-4)
    assert many > 0.03


def test_a_topic_asks_for_a_facet_and_adds_to_what_is_asked_for_already():
    """Row 113: a platform that the hints name and a topic names too gives more than either."""
    filed = Facets(platforms=("web",), disciplines=("trap",))
    stated, topic = Hints(platforms=("web",)), Hints(topics=("platform_web", "discipline_trap"))
    assert worth(boost(filed, stated)) == {"platform": 0.05}
    assert worth(boost(filed, topic)) == {"platform": 0.05, "discipline": 0.03}
    both = boost(filed, replace(topic, platforms=("web",)))
    assert worth(both)["platform"] == pytest.approx(0.085)
    assert both.lines[0].label == "is for platform web"


def test_one_entity_is_worth_more_than_all_keywords():
    """Row 112: entity > keyword."""
    entity = boost(Facets(entities=("mx8",)), Hints(focus_entities=("mx8",)))
    keywords = boost(Facets(titles=tuple(NAMES)), Hints(keywords=tuple(NAMES)))
    assert entity.value == 0.10
    assert keywords.value == 0.06


@pytest.mark.parametrize(
    ("keyword", "title", "stands"),
    [
        ("boat", "docs/painting_the_boat.md", True),
        ("oat", "docs/painting_the_boat.md", False),
        ("point of impact", "choosing a point-of-impact", True),
        ("mx", "the mx 8", False),
        ("+++", "a +++ b", False),
        ("東京", "東京旅行", True),
        ("東", "東京旅行", False),
    ],
)
def test_a_keyword_of_three_letters_is_looked_for_as_whole_words(keyword, title, stands):
    """Row 113: keywords are looked for in titles, paths, headings and tags."""
    for filed in (Facets(titles=(title,)), Facets(tags=(title,))):
        assert (boost(filed, Hints(keywords=(keyword,))).value == 0.02) is stands


def test_a_tag_that_is_asked_for_counts_like_a_keyword_and_once():
    filed = Facets(tags=("fitting", "stock"))
    asked = Hints(topics=("fitting",), tags=("fitting",), keywords=("fitting",))
    assert worth(boost(filed, asked)) == {"keyword": 0.02}
    assert worth(boost(filed, replace(asked, tags=("stock",)))) == {"keyword": 0.03}


def test_what_the_limit_cuts_is_a_line():
    """D23: the real sum exceeds .35; it is cut there, and the trace shows by how much."""
    every = tuple(NAMES)
    filed = Facets(every, every, (), (), ("owner",), every, (), every)
    given_boost = boost(filed, Hints("owner", (), every, every, every, every))
    assert given_boost.value == 0.35
    assert math.fsum(line.value for line in given_boost.lines) == pytest.approx(0.35, abs=1e-12)
    *summands, cut = given_boost.lines
    assert [line.value for line in summands] == [0.08, 0.12, 0.08, 0.20, 0.06]
    assert (cut.term, cut.label) == ("limit", "no more than 0.35")
    assert cut.value == pytest.approx(-0.19)


def test_a_sum_at_the_limit_is_not_cut():
    lines = [BoostLine("a", "a", 0.25), BoostLine("b", "b", 0.125)]
    assert capped(lines, 0.375) == Boost(0.375, tuple(lines))


def test_a_range_goes_in_even_steps():
    assert [Range(0.1, 0.2, 3).at(n) for n in (-1, 0, 1, 3, 9)] == [0.0, 0.0, 0.1, 0.2, 0.2]
    assert Range(0.1, 0.2, 3).at(2) == pytest.approx(0.15)


@given(facets_drawn, hints_drawn)
def test_a_boost_is_the_sum_of_its_lines_and_within_its_limits(filed, asked):
    """Rows 112 and 113: finite, within 0 to .35, each line within its range."""
    given_boost = boost(filed, asked)
    ranges = {
        "mode": (0.03, 0.08),
        "platform": (0.05, 0.12),
        "discipline": (0.03, 0.08),
        "audience": (0.03, 0.08),
        "entity": (0.10, 0.20),
        "keyword": (0.02, 0.06),
        "limit": (-1.0, 0.0),
    }
    assert 0 <= given_boost.value <= 0.35
    assert math.fsum(worth(given_boost).values()) == pytest.approx(given_boost.value, abs=1e-12)
    assert len(worth(given_boost)) == len(given_boost.lines)
    for line in given_boost.lines:
        low, high = ranges[line.term]
        assert low <= line.value <= high


@given(facets_drawn, hints_drawn, st.data())
def test_a_further_match_never_lowers_a_boost(filed, asked, data):
    """Row 112: boosts grow with what agrees."""
    asks_for = {
        "platforms": asked.platforms,
        "disciplines": asked.disciplines,
        "audiences": asked.audiences,
        "entities": asked.focus_entities,
        "tags": (*asked.tags, *asked.topics),
        "titles": asked.keywords,
        "modes": (asked.mode,) if asked.mode else (),
    }
    field = data.draw(st.sampled_from(sorted(asks_for)))
    for name in asks_for[field]:
        more = tuple(dict.fromkeys((*getattr(filed, field), name)))
        assert boost(replace(filed, **{field: more}), asked).value >= boost(filed, asked).value


def test_what_no_memory_is_filed_under_is_named():
    """Row 127: which facets are filled is known before any boost is tuned."""
    counted = population([Facets(tags=("a",)), Facets(tags=("b",), modes=("m",)), Facets()])
    assert counted.memories == 3
    assert counted.filled["tags"] == 2
    assert counted.filled["modes"] == 1
    assert counted.empty == [
        "platforms", "disciplines", "audiences", "entities", "archetypes", "titles"
    ]  # fmt: skip
    assert population([]).memories == 0
