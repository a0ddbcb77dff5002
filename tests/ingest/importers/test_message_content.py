"""Message content"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.ingest.importers.message_content import (
    ToolCall,
    is_error_result,
    parse_arguments,
    read_call,
    read_content,
    read_result,
    replace_inline_data,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
TEXT = st.text().filter(lambda text: "base64," not in text)


def inline(data: bytes) -> str:
    return f"inline:{hashlib.sha256(data).hexdigest()}"


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def artifacts(block: Any) -> list[dict[str, Any]]:
    results = read_content([block], "here")
    assert results.problems == []
    return list(results.artifacts.values())


@given(st.lists(TEXT))
def test_the_words_of_text_parts_are_joined_in_order_without_blank_ones(texts: list[str]) -> None:
    content = [{"type": "text", "text": text} for text in texts]
    text = "\n".join(text for text in texts if text.strip())
    assert read_content(content, "here").text == text
    assert read_content(list(texts), "here").text == text
    noted = [{"type": "text", "text": {"value": text, "annotations": []}} for text in texts]
    assert read_content(noted, "here").text == text


@given(TEXT)
def test_text_is_one_part_and_kept_as_it_is(text: str) -> None:
    assert read_content(text, "here").text == (text if text.strip() else "")


@given(st.lists(JSON, max_size=4))
def test_any_list_of_parts_is_read_part_by_part(content: list[Any]) -> None:
    results = read_content(content, "here")
    assert len(results.problems) <= len(content)


@pytest.mark.parametrize("content", [{"type": "text", "text": "x"}, 7, True])
def test_content_is_text_or_a_list(content: Any) -> None:
    with pytest.raises(InvalidInput, match="text or a list of parts is needed"):
        read_content(content, "here")


def test_a_malformed_part_is_named_by_its_number_and_the_others_are_read() -> None:
    parts = [{"type": "text"}, {"no": "type"}, 7, {"type": "image"}, {"type": "text", "text": "x"}]
    results = read_content(parts, "here")
    assert [problem.partition(" is ")[0].split(" has ")[0] for problem in results.problems] == [
        "part 1 text",
        "part 2",
        "part 3",
        "part 4",
    ]
    assert results.text == "x"


@given(st.binary(min_size=1), st.sampled_from(["base64", "b64_json", "file_data"]))
def test_data_in_a_field_becomes_its_hash(data: bytes, name: str) -> None:
    results: dict[str, Any] = {}
    assert replace_inline_data({name: encoded(data), "n": 1}, results) == {
        name: inline(data),
        "n": 1,
    }
    assert results[inline(data)]["bytes"] == len(data)


@given(st.binary(min_size=1), TEXT, TEXT)
def test_a_data_uri_in_text_becomes_its_hash_and_an_artifact(
    data: bytes, before: str, after: str
) -> None:
    results: dict[str, Any] = {}
    text = f"{before} data:image/png;base64,{encoded(data)} {after}"
    assert replace_inline_data(text, results) == f"{before} {inline(data)} {after}"
    assert results[inline(data)]["mediaType"] == "image/png"
    assert results[inline(data)]["kind"] == "image"


@pytest.mark.parametrize(
    "value",
    [
        {"data": "aGVsbG8="},
        {"type": "text", "media_type": "text/plain", "data": "plain words"},
        "data: see below, thanks",
        "data:image/png;base64,",
        {"base64": None, "file_data": ""},
    ],
)
def test_what_is_no_data_stays(value: Any) -> None:
    results: dict[str, Any] = {}
    assert replace_inline_data(value, results) == value
    assert results == {}


@given(JSON)
def test_replacing_data_twice_changes_nothing_more(value: Any) -> None:
    once = replace_inline_data(value, {})
    assert replace_inline_data({"file_data": "data:,x", "inner": once}, {})["inner"] == once


def test_value_of_any_depth_is_searched_without_running_out_of_stack() -> None:
    nested: Any = "end"
    for _ in range(900):
        nested = [nested]
    assert replace_inline_data(nested, {}) == nested


PNG = encoded(b"a picture")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "image_url", "image_url": f"data:image/png;base64,{PNG}"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
        {"type": "image", "source_type": "base64", "data": PNG, "mime_type": "image/png"},
        {"type": "image", "base64": PNG, "mime_type": "image/png"},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "media", "mime_type": "image/png", "data": PNG},
    ],
)
def test_a_picture_is_the_same_reference_in_every_form(block: Any) -> None:
    assert artifacts(block) == [
        {
            "kind": "image",
            "uri": inline(b"a picture"),
            "sha256": hashlib.sha256(b"a picture").hexdigest(),
            "bytes": 9,
            "mediaType": "image/png",
        }
    ]
    assert PNG not in json.dumps(read_content([block], "here").metadata)


@pytest.mark.parametrize(
    ("block", "artifact"),
    [
        (
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
            {"kind": "image", "uri": "https://example.org/a.png"},
        ),
        (
            {"type": "document", "source": {"type": "url", "url": "https://x/a"}, "title": "A"},
            {"kind": "file", "uri": "https://x/a", "description": "A"},
        ),
        (
            {"type": "input_file", "file_id": "file-1", "filename": "a.pdf"},
            {"kind": "file", "uri": "file-id:file-1", "description": "a.pdf"},
        ),
        (
            {"type": "file", "file": {"filename": "a.pdf"}},
            {"kind": "file", "uri": "a.pdf", "description": "a.pdf"},
        ),
    ],
)
def test_what_is_only_referred_to_keeps_its_address(block: Any, artifact: Any) -> None:
    assert artifacts(block) == [artifact]


def test_audio_is_described_by_its_format() -> None:
    block = {"type": "input_audio", "input_audio": {"data": encoded(b"a tone"), "format": "wav"}}
    (results,) = artifacts(block)
    assert (results["kind"], results["mediaType"]) == ("audio", "audio/wav")


def test_a_data_uri_that_is_not_base64_is_hashed_too() -> None:
    (results,) = artifacts({"type": "image", "url": "data:image/svg+xml;utf8,<svg>-</svg>"})
    assert results["uri"] == inline(b"<svg>-</svg>")
    assert results["mediaType"] == "image/svg+xml"


def test_an_address_over_the_limit_is_a_problem_of_its_part() -> None:
    results = read_content([{"type": "image", "url": "https://x/" + "a" * 5_000}, "x"], "here")
    assert results.problems == [
        "part 1 has an address of 5,010 characters, over the limit of 4,096: shorten it"
    ]
    assert results.text == "x"


def test_fields_of_parts_that_nothing_else_says_are_kept() -> None:
    parts = [
        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}, "annotations": []},
        {"type": "image_url", "image_url": {"url": "https://x/a", "detail": "low"}},
        {"type": "poem", "lines": 4},
        {"type": "text", "text": "y"},
    ]
    results = read_content(parts, "here")
    assert results.metadata == [
        {"part": 1, "type": "text", "cache_control": {"type": "ephemeral"}},
        {"part": 2, "type": "image_url", "image_url": {"detail": "low"}},
        {"part": 3, "type": "poem", "lines": 4},
    ]
    assert results.has_unknown_block


def test_thoughts_are_told_apart_from_words() -> None:
    parts = [
        {"type": "thinking", "thinking": "one", "signature": "s"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "two"}, 7]},
        {"type": "reasoning", "reasoning": "three"},
        {"type": "redacted_thinking", "data": "xxx"},
        {"type": "text", "text": "said"},
    ]
    results = read_content(parts, "here")
    assert results.reasoning == ["one", "two", "three"]
    assert results.text == "said"


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "c", "custom": {"name": "f", "input": '{"a": 1}'}},
        {"id": "c", "name": "f", "args": {"a": 1}},
        {"id": "c", "name": "f", "input": {"a": 1}},
        {"call_id": "c", "id": "fc", "name": "f", "arguments": '{"a": 1}'},
    ],
)
def test_a_call_is_the_same_in_every_form(call: Any) -> None:
    assert read_call(call, "here") == ToolCall("here", "f", {"a": 1}, "c")


@pytest.mark.parametrize("call", [7, {}, {"id": "c"}, {"id": [], "name": "f"}, {"name": "\n"}])
def test_a_call_without_a_name_or_with_an_impossible_id_is_none(call: Any) -> None:
    with pytest.raises(InvalidInput):
        read_call(call, "here")


@pytest.mark.parametrize("arguments", ["[" * 100_000, '{"a": NaN}', "", None, "[1]", "words", 3])
def test_arguments_that_are_no_object_are_kept_as_they_came(arguments: Any) -> None:
    assert parse_arguments(arguments) == arguments


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ("x", "x"),
        (None, None),
        ([], []),
        ({"type": "text", "text": "x"}, {"type": "text", "text": "x"}),
        ([{"type": "text", "text": "x"}, {"type": "text", "text": "y"}], "x\ny"),
        ([{"type": "image", "base64": PNG}], ""),
        ([{"type": "text"}], [{"type": "text"}]),
        ([{"row": 1}], [{"row": 1}]),
        ([{"type": "row", "n": 1}], [{"type": "row", "n": 1}]),
    ],
)
def test_a_result_is_text_where_its_parts_are_words_and_references(
    content: Any, result: Any
) -> None:
    assert read_result(content, {}) == result


@pytest.mark.parametrize(
    ("result", "reported"),
    [
        ("Error: no such user", True),
        ('{"error": "no such user"}', True),
        ({"error": {"code": 1}}, True),
        ('{"error": null}', False),
        ("Errorless", False),
        ("", False),
        (None, False),
        ([1], False),
    ],
)
def test_a_result_tells_an_error_by_its_first_word_or_its_error_key(
    result: Any, reported: bool
) -> None:
    assert is_error_result(result) is reported


def test_parts_that_a_text_spells_out_are_parts() -> None:
    artifacts: dict[str, Any] = {}
    picture = {"type": "image", "data": "iVBORw0KGgo" * 60, "mimeType": "image/png"}
    spelled = json.dumps([{"type": "text", "text": "page one"}, picture])
    assert read_result(spelled, artifacts) == "page one"
    assert len(artifacts) == 1
    assert read_result('[{"type": "text"', {}) == '[{"type": "text"'
