"""Reading events: who acted, when, about what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.reading import (
    actor_of,
    at_of,
    gist_of,
    hash_of,
    is_error,
    is_message,
    is_result,
    leaves,
    person_of,
    result_chars,
    tokens_of,
    tool_of,
)
from tests.ingest.happenings import EVENTS, agent, at, boundary, result, user


def test_the_class_of_an_event_follows_from_its_kind():
    for event, kinds in (
        (result(), (True, False)),
        (user("hi"), (False, True)),
        (agent("hi"), (False, True)),
        (boundary(), (False, False)),
    ):
        assert (is_result(event), is_message(event)) == kinds


def test_the_time_of_an_event_is_its_own_or_none():
    assert at_of(user("hi", 5)) == at(5)
    assert at_of(user("hi")) is None


def test_only_a_tool_can_fail():
    assert is_error(result(failed=True))
    assert not is_error(result())
    assert not is_error(user("it failed"))


def test_the_actor_is_the_tool_or_the_speaker():
    assert actor_of(result("Bash")) == "tool:bash"
    assert tool_of(user("hi")) == ""
    assert actor_of(user("hi", person="  DANA ")) == "said:dana"
    assert actor_of(user("hi")) == "said:user_message"
    assert person_of(user("hi")) is None


def test_the_same_words_of_the_same_actor_have_the_same_hash_at_any_time():
    assert hash_of(user("hi", 1)) == hash_of(user("hi", 900))
    assert hash_of(user("hi")) != hash_of(agent("hi"))
    assert hash_of(result(output="a")) != hash_of(result(output="b"))


def test_the_gist_of_a_call_is_its_description_or_its_short_arguments():
    assert gist_of(result(meta="deploying", args={"cmd": "make"})) == "deploying"
    call = result("write_file", args={"path": "/a.py", "content": "x" * 201})
    assert gist_of(call) == "write file /a.py"
    assert gist_of(user("a" * 2_000)) == "a" * 1_000


def test_a_result_is_as_long_as_its_texts():
    assert result_chars(result(output="abc")) == 3
    assert result_chars(result(output={"a": ["xy", 12], "b": None})) == 4


def test_four_characters_are_about_a_token_and_a_long_text_is_cut():
    assert tokens_of(user("abcde")) == 2
    assert tokens_of(user("a" * 100_000)) == 2_000


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_leaves_are_the_texts_inside_any_json(value):
    assert all(isinstance(leaf, str) for leaf in leaves(value))


@given(EVENTS)
def test_every_event_can_be_read(event):
    assert len(hash_of(event)) == 32
    assert tokens_of(event) >= 0
    assert len(gist_of(event)) <= 1_000
