"""A session as a model is shown it: every message numbered, in windows."""

from __future__ import annotations

from meridia.ingest.enrichment.session_question import WINDOW_CHARS, render, windows_of
from meridia.storage.store import Store
from tests.ingest.model_session import BUILD, GREETING, HOME, LIGHT, NEAR, WISH, add, whole


def said(text: str, person: str = "Dana") -> dict[str, object]:
    return WISH | {"person": person, "payload": {"text": text}}


def test_messages_are_numbered_light_ones_too_and_results_are_only_shown(private_file: Store):
    add(private_file, whole(GREETING, LIGHT), whole(BUILD, NEAR), whole(said("On\n1 May."), LIGHT))
    (window,) = windows_of(private_file.journal.read(HOME))
    first, result, last = render(window).splitlines()
    assert first.startswith("[1] 20")
    assert first.endswith(" Dana: Good morning!")
    assert last.startswith("[3] ")
    assert last.endswith(" Dana: On 1 May.")
    assert result.startswith("(20")
    assert "failed: " in result
    assert [line.place for line in window] == [1, None, 3]


def test_what_came_out_of_a_recall_is_restricted_or_was_erased_is_not_shown(private_file: Store):
    secret = whole(WISH | {"metadata": {"visibility": "private"}}, LIGHT)
    add(private_file, whole(GREETING, LIGHT, marks=["echo"]), whole(WISH, LIGHT), secret)
    assert len(windows_of(private_file.journal.read(HOME))[0]) == 1
    private_file.database.connection.execute("DELETE FROM payload WHERE seq = 2")
    assert windows_of(private_file.journal.read(HOME)) == []


def test_a_long_session_is_read_in_windows_that_leave_nothing_out(private_file: Store):
    add(private_file, *(whole(said(f"{n} " + "boat " * 500), LIGHT) for n in range(25)))
    windows = windows_of(private_file.journal.read(HOME))
    assert len(windows) > 1
    assert all(len(render(window)) <= WINDOW_CHARS for window in windows)
    assert [line.place for window in windows for line in window] == list(range(1, 26))
