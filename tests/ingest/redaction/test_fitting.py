"""An event that is too large is kept with its longest texts cut."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import bytes_of, encode
from meridia.ingest.redaction.sanitise import fit_event

words = st.sampled_from(["log line ", "é", "\n", '"', "😀", "x" * 40])
texts = st.builds(lambda word, times: word * times, words, st.integers(0, 3000))
values = st.recursive(
    texts | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(texts.map(lambda t: t[:20]), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["args", "result", "text"]), values), values)
def test_any_event_is_fitted_and_its_head_stays(payload: dict[str, Any], about: Any) -> None:
    event = {"kind": "user_message", "id": "m", "payload": payload, "metadata": {"about": about}}
    fitted, _ = fit_event(event, 8192)
    assert bytes_of(encode(fitted)) <= 8192
    assert (fitted["kind"], fitted["id"]) == ("user_message", "m")
    if bytes_of(encode(event)) <= 8192:
        assert fitted == event


def test_only_the_longest_text_pays() -> None:
    payload = {"args": {"command": "make world"}, "result": "line\n" * 10_000 + "E77"}
    fitted, number = fit_event({"kind": "tool_result", "payload": payload}, 4096)
    assert number == 1
    assert fitted["payload"]["args"] == {"command": "make world"}
    assert fitted["payload"]["result"].startswith("line\n")
    assert fitted["payload"]["result"].endswith("E77")


def test_many_short_texts_become_one_that_is_cut() -> None:
    rows = [{"n": n, "word": "heron"} for n in range(10_000)]
    fitted, number = fit_event({"kind": "tool_result", "payload": {"result": rows}}, 4096)
    assert number == 1
    assert fitted["payload"]["result"].startswith('[{"n": 0, "word": "heron"}')
    assert fitted["payload"]["result"].endswith('{"n": 9999, "word": "heron"}]')
