"""Full text: every term that was indexed is found, in its own space, by its own statistics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from meridia.language.analyser import Analyser
from meridia.storage.search import full_text
from meridia.storage.store import Store
from tests.fakes import numbered, private_journal
from tests.graph.journal_drafts import message_draft
from tests.graph.journal_files import opened
from tests.graph.listed import HOME, expected_terms, indexed, journal_with_lists
from tests.histories import HELD, START, Step, histories, play

analyser = Analyser()


@pytest.fixture
def file(private_file) -> Store:
    return private_file


def index(file: Store, texts: dict[int, str], space: int = 1) -> None:
    with file.database.writing():
        for seq, text in texts.items():
            full_text.index(numbered(file, space).space_scope, seq, " ".join(analyser.terms(text)))


def found(file: Store, question: str, space: int = 1, **more) -> list[int]:
    terms = analyser.terms(question)
    return [seq for seq, _ in numbered(file, space).full_text.match(terms, 100, **more)]


def test_any_of_the_terms_is_enough_and_rarer_ones_weigh_more(file):
    index(file, {1: "a red barn", 2: "a red fox", 3: "a red car", 4: "the blue sea"})
    assert found(file, "red fox")[0] == 2
    assert set(found(file, "red fox")) == {1, 2, 3}
    assert found(file, "green") == []


def test_scores_are_not_negative_and_come_best_first(file):
    index(file, {seq: "walk " * seq + "rain" for seq in range(1, 20)})
    scores = [score for _, score in numbered(file).full_text.match(["walk"], 100)]
    assert len(scores) == 19
    assert scores == sorted(scores, reverse=True)
    assert min(scores) >= 0
    assert len(numbered(file).full_text.match(["walk"], 5)) == 5


def test_filters_leave_only_what_they_name(file):
    index(file, {1: "red barn", 2: "red fox", 3: "blue sea"})
    assert found(file, "red", among=np.array([2, 3, 9])) == [2]
    assert found(file, "red", among=np.zeros(0, np.int64)) == []


def test_nothing_asked_and_nothing_indexed_give_nothing(file):
    assert found(file, "red") == []
    assert numbered(file).full_text.phrase(["red"]) == []
    index(file, {1: "red"})
    assert found(file, "") == []
    assert numbered(file).full_text.phrase([]) == []


def test_a_space_finds_and_counts_only_its_own(file):
    index(file, {1: "red barn"}, space=1)
    index(file, {2: "red fox"}, space=2)
    assert found(file, "red", space=1) == [1]
    assert found(file, "red barn fox", space=2) == [2]
    assert found(file, "red", space=3) == []


def test_what_another_space_holds_moves_no_score(file):
    index(file, {1: "red barn", 2: "blue sea"}, space=1)
    before = numbered(file).full_text.match(["red"], 9)
    index(file, dict.fromkeys(range(10, 60), "red red red"), space=2)
    assert numbered(file).full_text.match(["red"], 9) == before


def test_a_phrase_is_terms_side_by_side_in_order(file):
    index(file, {1: "a red old barn", 2: "the old red barn", 3: "barn red"})
    assert numbered(file).full_text.phrase(["red", "barn"]) == [2]
    assert numbered(file).full_text.phrase(["barn"]) == [1, 2, 3]


def test_words_of_the_query_language_are_just_words(file):
    words = ["and", "or", "not", "near", "terms"]
    with file.database.writing():
        full_text.index(numbered(file, 1).space_scope, 1, " ".join(words))
    for term in words:
        assert [seq for seq, _ in numbered(file).full_text.match([term], 9)] == [1]
    assert numbered(file).full_text.phrase(["not", "near"]) == [1]


def test_a_question_may_be_very_long(file):
    index(file, {1: "needle"})
    haystack = " ".join(f"straw{i}" for i in range(5000))
    assert found(file, f"{haystack} needle") == [1]


@given(
    st.text(st.characters(codec=None), min_size=1, max_size=40)
    | st.text(st.sampled_from("ẞßſİıΣςǅﬃ½²Ⅷ٣ߕ𞤀𐒰ᎠꭰაᲐᏸ東がﾊﾞ한नि์ั"), min_size=1, max_size=8)
)
@example("".join(chr(i) for i in range(0x250) if chr(i).isalnum()))
def test_every_term_that_was_indexed_is_found_and_in_order(text):
    with private_journal() as file:
        index(file, {1: text, 2: "something else"})
        terms = analyser.terms(text)
        for term in terms:
            assert 1 in [seq for seq, _ in numbered(file).full_text.match([term], 9)]
        if terms:
            assert 1 in numbered(file).full_text.phrase(terms)


def test_a_space_can_be_cleared_and_filled_again(file):
    index(file, {1: "red barn"}, space=1)
    index(file, {1: "red barn"}, space=2)
    with file.database.writing():
        full_text.clear(numbered(file, 1).space_scope)
        full_text.clear(numbered(file, 7).space_scope)
    assert found(file, "red", space=1) == []
    assert found(file, "red", space=2) == [1]
    index(file, {1: "red fox"}, space=1)
    assert found(file, "barn", space=1) == []
    assert found(file, "fox", space=1) == [1]


def replace(file: Store, seq: int, text: str) -> None:
    with file.database.writing():
        full_text.replace(numbered(file, 1).space_scope, seq, " ".join(analyser.terms(text)))


def test_an_experience_can_say_something_else(file):
    index(file, {1: "red barn red", 2: "red fox"})
    replace(file, 1, "blue sea")
    assert found(file, "red barn") == [2]
    assert found(file, "sea") == [1]


def test_an_experience_can_say_nothing_any_more_and_something_again(file):
    index(file, {1: "red barn", 2: ""})
    replace(file, 1, "")
    assert found(file, "red barn") == []
    replace(file, 1, "red barn")
    replace(file, 2, "red fox")
    assert set(found(file, "red")) == {1, 2}


said_by_one = st.text(st.sampled_from("ab é東"), max_size=8)


@given(st.lists(st.tuples(st.integers(1, 3), said_by_one), max_size=12))
def test_full_text_after_any_changes_is_as_if_the_last_texts_had_been_the_first(changes):
    with private_journal() as file:
        texts = dict.fromkeys((1, 2, 3), "a b")
        index(file, texts)
        for seq, text in changes:
            replace(file, seq, text)
            texts[seq] = text
        index(file, texts, space=2)
        connection = file.database.connection
        assert indexed(connection, 1) == indexed(connection, 2)
        for term in analyser.terms("a b ab é 東 東東"):
            ranked = [numbered(file, space).full_text.match([term], 9) for space in (1, 2)]
            assert ranked[0] == ranked[1]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.integers(0, 20))
def test_full_text_says_what_the_experiences_say_after_any_history(
    history: Sequence[Step], expired_after: int
):
    """With texts that expire in between."""
    with journal_with_lists() as (journal, file):
        count = 0

        def now_and_then() -> None:
            nonlocal count
            count += 1
            if count == expired_after and journal.spaces():
                numbered(file).held_events.expire(START + HELD)

        play(journal, HOME, [step for step in history if step[0] != "erase"], now_and_then)
        if journal.spaces():
            assert indexed(file.database.connection) == expected_terms(file)


def test_who_holds_arrays_sees_what_others_add_change_and_remove(file):
    index(file, {1: "red barn", 2: "red fox"})
    held = numbered(file).full_text
    assert [seq for seq, _ in held.match(["red"], 9)] == [1, 2]
    index(file, {3: "red sea"})
    replace(file, 1, "blue barn")
    assert [seq for seq, _ in held.match(["red"], 9)] == [2, 3]
    assert held.phrase(["blue", "barn"]) == [1]
    with file.database.writing():
        full_text.clear(numbered(file, 1).space_scope)
    index(file, {2: "green"})
    assert held.match(["red"], 9) == []
    assert held.phrase(["green"], 1) == [2]
    assert held.phrase(["green"], 2) == []


def test_what_was_undone_is_found_by_nobody(file):
    index(file, {1: "red barn"})
    held = numbered(file).full_text

    def undone() -> None:
        with file.database.writing():
            full_text.index(numbered(file, 1).space_scope, 2, "red fox")
            assert [seq for seq, _ in held.match(["red"], 9)] == [1, 2]
            raise KeyError

    with pytest.raises(KeyError):
        undone()
    assert [seq for seq, _ in held.match(["red"], 9)] == [1]
    index(file, {2: "blue sea"})
    assert [seq for seq, _ in held.match(["red"], 9)] == [1]


def test_what_an_older_version_indexed_is_taken_over_by_who_asks(tmp_path):
    with opened(tmp_path / "journal.db") as file:
        for text in ("red barn", "the red fox"):
            file.journal.append(HOME, [message_draft(text)])
        as_version_23(file)
    with opened(tmp_path / "journal.db") as file:
        file.journal.append(HOME, [message_draft("a red sea")])
        assert not file.space(HOME).full_text.is_made
        assert [seq for seq, _ in file.space(HOME).full_text.match(["red"], 9)] == [1, 2, 3]
        assert file.space(HOME).full_text.is_made
        assert indexed(file.database.connection) == expected_terms(file)
        tables = "SELECT name FROM sqlite_master WHERE name GLOB 'search_*'"
        assert file.database.connection.execute(tables).fetchall() == []


def as_version_23(file: Store) -> None:
    """Have a file of one space look as it did when each space had an FTS5 table of its own."""
    with file.database.writing() as connection:
        connection.execute("CREATE VIRTUAL TABLE search_1 USING fts5 (terms, content = '')")
        connection.execute(
            "CREATE VIRTUAL TABLE search_1_vocabulary USING fts5vocab (search_1, row)"
        )
        for table in ("full_text", "text_change", "full_text_unmade"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP INDEX fact_entry_by_end")
        connection.execute("ALTER TABLE entity DROP COLUMN first_seq")
        connection.execute("ALTER TABLE fact_entry DROP COLUMN by_fact")
        connection.execute("DELETE FROM migration WHERE name >= '0024'")
        connection.execute("PRAGMA user_version = 23")
