"""Getting the JSON out of what stands around it, and making nothing up."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from meridia.models.answer_types import COMMA, CUT_OFF, FENCE, PROSE, read_object

texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts, values, max_size=4)
#: Sentences that cannot be taken for JSON or for a fence.
sentences = st.text(st.sampled_from("abc XYZ.,:;!?\n'()"), max_size=40)


@given(objects)
def test_json_as_it_should_be_is_read_without_repair(value):
    assert read_object(json.dumps(value, ensure_ascii=False)) == (value, ())


@given(objects, sentences, sentences)
def test_sentences_around_an_object_are_left_out(value, before, after):
    found = read_object(f"{before}{json.dumps(value)}{after}")
    assert found is not None
    assert found[0] == value
    assert set(found[1]) <= {PROSE}


@given(objects, st.sampled_from(["json", "", "JSON"]), sentences)
def test_a_code_fence_is_taken_off(value, language, before):
    fenced = f"```{language}\n{json.dumps(value, indent=2)}\n```"
    assert read_object(fenced) == (value, (FENCE,))
    found = read_object(f"{before}x\n{fenced}\nthere you go")
    assert found is not None
    assert found[0] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2, ], }', {"a": [1, 2]}),
        ('{"a": ",}", "b": "x,]",\n}', {"a": ",}", "b": "x,]"}),
    ],
)
def test_a_comma_before_a_closing_bracket_goes_but_not_one_within_a_text(text, value):
    assert read_object(text) == (value, (COMMA,))


def test_several_repairs_at_once_are_all_named():
    found = read_object('Sure!\n```json\n{"a": [1,],}\n```\nAnything else?')
    assert found == ({"a": [1]}, (PROSE, FENCE, COMMA))


def test_brackets_in_prose_before_the_object_do_not_hide_it():
    assert read_object('I use {placeholders} here: {"a": {"b": "}"}} ok') == (
        {"a": {"b": "}"}},
        (PROSE,),
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "one", "b": "tw', {"a": "one"}),
        ('{"a": ["one", "tw', {"a": ["one"]}),
        ('Well: {"a": 1, "b": {"c": tru', {"a": 1, "b": {}}),
        ('{"a": true, "b": 0.1', {"a": True}),
        ('{"a": true, "b": -', {"a": True}),
    ],
)
def test_what_was_cut_off_is_read_without_the_value_it_was_cut_in(text, value):
    assert read_object(text) == (value, (CUT_OFF,))


@given(objects.filter(bool), st.data())
def test_an_object_cut_anywhere_never_gains_a_value_it_did_not_have(value, data):
    whole = json.dumps(value)
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    found = read_object(cut)
    if found is not None:
        assert_part_of(found[0], value)


def assert_part_of(part, whole):
    if isinstance(part, dict):
        assert isinstance(whole, dict)
        for key, inner in part.items():
            assert key in whole
            assert_part_of(inner, whole[key])
    elif isinstance(part, list):
        assert isinstance(whole, list)
        for inner, outer in zip(part, whole, strict=False):
            assert_part_of(inner, outer)
    else:
        assert part == whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "[1, 2]",
        '"text"',
        "null",
        "{",
        "{{{{{{",
        "}{",
        '{"a": NaN}',
        "{'a': 1}",
        "```json\n```",
    ],
)
def test_where_there_is_no_object_there_is_no_answer(text):
    assert read_object(text) is None


@given(st.text(max_size=200))
@example("{" * 5_000)
@example('{"a":' * 2_000)
@example("```\n" * 500)
@example('{"a": "\\')
def test_no_text_whatever_breaks_the_reading(text):
    found = read_object(text)
    assert found is None or isinstance(found[0], dict)
