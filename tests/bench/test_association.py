"""The association set is what it claims to be, and its bench scores what it is given."""

import json
from collections import Counter
from itertools import pairwise

import pytest
from fakes import FakeEmbedder

from bench import association
from bench.association import CUTS, KINDS, compare, import_cues, main, pairs
from bench.baselines import settings
from meridia import Memory
from meridia.language.analyser import Analyser

PAIRS = pairs()
STEMS_SHARED_MAX, KIND_MIN, COUNT_MIN = 1, 25, 110


def test_there_are_enough_pairs_of_each_kind():
    kinds = Counter(pair.kind for pair in PAIRS)
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= KIND_MIN
    assert len(PAIRS) >= COUNT_MIN


def test_no_id_cue_or_trigger_comes_twice():
    for part in ("id", "cue", "trigger", "why"):
        texts = [getattr(pair, part).casefold() for pair in PAIRS]
        assert [text for text, times in Counter(texts).items() if times > 1] == []


def test_a_pair_has_its_form():
    for pair in PAIRS:
        assert pair.id.startswith(f"{pair.kind}-"), pair.id
        assert 12 <= len(pair.cue.split()) <= 40, pair.id
        assert 8 <= len(pair.trigger.split()) <= 30, pair.id
        assert pair.why, pair.id
        assert "\n" not in pair.why, pair.id
        assert all(text == text.strip() for text in (pair.cue, pair.trigger, pair.why)), pair.id


def test_a_trigger_shares_hardly_a_word_with_its_cue():
    analyser = Analyser()
    for pair in PAIRS:
        shared = set(analyser.terms(pair.cue)) & set(analyser.terms(pair.trigger))
        assert len(shared) <= STEMS_SHARED_MAX, (pair.id, shared)


def test_words_do_not_betray_the_pairs_on_the_whole():
    analyser = Analyser()
    shared = [
        bool(set(analyser.terms(pair.cue)) & set(analyser.terms(pair.trigger))) for pair in PAIRS
    ]
    assert sum(shared) <= len(PAIRS) / 20


@pytest.mark.parametrize(("per_session", "sessions"), [(1, 8), (3, 3)])
def test_cues_are_remembered_under_their_ids_in_sessions_in_order(tmp_path, per_session, sessions):
    database = tmp_path / "a.db"
    texts = import_cues(PAIRS[:8], database, per_session, FakeEmbedder())
    assert {text.id: text.text for text in texts} == {pair.id: pair.cue for pair in PAIRS[:8]}
    assert len({text.session for text in texts}) == sessions
    with Memory(database, association.SPACE, settings(), embedder=FakeEmbedder()) as memory:
        times = [found.at for found in memory.list().memories]
    assert all(before < after for before, after in pairwise(times))


@pytest.mark.thorough
def test_all_rankers_are_scored_by_kind():
    few = [pair for pair in PAIRS if pair.id.endswith(("-01", "-02"))]
    scores = compare(few, ["default", "simple"], 1, FakeEmbedder())
    assert list(scores) == ["default", "words alone", "meaning alone", "prototype G", "chance"]
    for groups in scores.values():
        assert set(groups) == {"all", *KINDS}
        assert all(0 <= value <= 1 for row in groups.values() for value in row.values())
    assert scores["chance"]["all"][f"recall@{max(CUTS)}"] == 1.0  # of eight cues, all are in ten


def test_the_bench_prints_a_table_and_writes_its_scores(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(association, "encoder_of", lambda model: FakeEmbedder())
    monkeypatch.setattr(association, "pairs", lambda: PAIRS[:4])
    main(["--profile", "simple", "--json", str(tmp_path / "scores.json")])
    rankers = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]
    assert {"words alone", "meaning alone", "prototype G", "chance"} <= set(rankers)
    assert "default" not in json.loads((tmp_path / "scores.json").read_text("utf-8"))
