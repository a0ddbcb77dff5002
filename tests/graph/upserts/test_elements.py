"""What a graph browser writes on a node."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.graph.test_mutations import captured


@given(st.text(max_size=400))
def test_what_a_browser_shows_of_a_text_is_one_line_of_bounded_length(text):
    name = captured({"payload": {"text": text}})["Experience", "e-7"]["name"]
    assert 0 < len(name) <= 60
    assert "\n" not in name
    assert name == "user_message" or text.split()[0].startswith(name.split()[0].rstrip("…"))
