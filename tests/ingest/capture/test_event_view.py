"""Reading events: who acted, when, about what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.capture.event_view import OWNER_KEY, at_of, is_message, read_event
from meridia.language.runs.failure_signs import is_error
from meridia.language.runs.tool_calls import is_result, leaves, tool_of
from tests.ingest.ingest_events import EVENTS, agent, at, boundary, result, user


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
    assert read_event(result("Bash")).actor == "tool:bash"
    assert tool_of(user("hi")) == ""
    assert read_event(user("hi", person="  DANA ")).actor == "said:dana"
    assert read_event(user("hi")).actor == "said:user_message"
    assert read_event(user("hi")).person == OWNER_KEY
    assert read_event(agent("hi")).person is None


def test_the_same_words_of_the_same_actor_have_the_same_hash_at_any_time():
    assert read_event(user("hi", 1)).hash == read_event(user("hi", 900)).hash
    assert read_event(user("hi")).hash != read_event(agent("hi")).hash
    assert read_event(result(output="a")).hash != read_event(result(output="b")).hash


def test_the_gist_of_a_call_is_its_description_or_its_short_arguments():
    assert read_event(result(meta="deploying", args={"cmd": "make"})).gist == "deploying"
    call = result("write_file", args={"path": "/a.py", "content": "x" * 201})
    assert read_event(call).gist == "write file /a.py"
    assert read_event(user("a" * 2_000)).gist == "a" * 1_000


def test_a_result_is_as_long_as_its_texts():
    assert read_event(result(output="abc")).chars == 3
    assert read_event(result(output={"a": ["xy", 12], "b": None})).chars == 4


def test_four_characters_are_about_a_token_and_a_long_text_is_cut():
    assert read_event(user("abcde")).tokens == 2
    assert read_event(user("a" * 100_000)).tokens == 2_000


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
    assert len(read_event(event).hash) == 32
    assert read_event(event).tokens >= 0
    assert len(read_event(event).gist) <= 1_000


@given(EVENTS)
def test_what_is_read_at_once_is_what_each_function_reads(event):
    event_view = read_event(event)
    assert event_view.fields is event
    assert event_view.kind == event["kind"]
    assert (event_view.is_result, event_view.is_message) == (is_result(event), is_message(event))
    assert (event_view.is_error, event_view.at, event_view.tool) == (
        is_error(event),
        at_of(event),
        tool_of(event),
    )


def test_an_event_is_marked_by_its_caller_and_only_by_a_plain_yes():
    assert read_event(user("hi", metadata={"important": True})).is_marked
    assert read_event(user("hi", metadata={"userMarkedImportant": True})).is_marked
    assert not read_event(user("hi", metadata={"important": "no"})).is_marked
    assert not read_event(user("hi")).is_marked
