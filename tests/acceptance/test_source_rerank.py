"""Features 108 to 121 and 127 as somebody sees them who types commands: facets and profile.

Notes of an invented bicycle shop that say nearly the same, and differ in what they are filed under.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command

#: The units that these go through have tests of their own.
pytestmark = pytest.mark.thorough

ALL = ["loyalist", "prestige", "analyst", "achiever", "legacy"]
FILED: dict[str, dict[str, Any]] = {
    "plain": {},
    "mode": {"primary_modes": ["Owner", "owner "]},
    "platform": {"platforms": '["GR8"]'},
    "discipline": {"disciplines": ["Touring"]},
    "entity": {"related_entities": [{"entity_id": "GR8"}]},
    "entity2": {"related_entities": ["gr8"]},
    "entity3": {"related_entities": [{"slug": "gr8"}]},
    "keyword": {"title": "Fitting for beginners"},
    "broken": {"platforms": 7, "related_entities": [None, {"no": 1}], "archetype_bias": "{"},
    "analyst": {"archetype_bias": ["analyst"]},
    "legacy": {"archetype_bias": ["legacy"]},
    "everyone": {"archetype_bias": ALL},
    "private": {"visibility": "private"},
    "internal": {"document": {"confidentiality": "internal"}},
    "planned": {"document": {"status": "planned"}},
    "full": {"primary_modes": ["owner"], "platforms": ["gr8"], "disciplines": ["touring"]}
    | {"related_entities": {"models": ["gr8"]}, "title": "beginners"},
}
QUESTION = "How is the saddle adjusted?"
HINTS = (
    *("--hint", "mode=owner", "--hint", 'topics=["platform_gr8","discipline_touring"]'),
    *("--hint", 'focus_entities=["gr8"]', "--hint", 'keywords=["beginners"]'),
)
#: What a boost counts in the profile `default` (docs/rerank.md).
UNIT = 8


@pytest.fixture(scope="module")
def ask(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Give a way to ask the shop's notes, with variables and options."""
    db: Path = tmp_path_factory.mktemp("shop") / "agent.db"
    notes = [
        {
            "id": id,
            "kind": "user_message",
            "ts": f"2026-03-01T10:{minute:02}:00Z",
            "session": {"key": id},
            "payload": {"text": f"The saddle is adjusted with key number {minute}."},
            "metadata": filed,
        }
        for minute, (id, filed) in enumerate(
            {**FILED, **{f"more{n}": {} for n in range(6)}}.items()
        )
    ]
    assert meridia("capture", "--db", db, stdin="\n".join(map(json.dumps, notes))).status == 0
    assert meridia("enrich", "--db", db).status == 0

    def run(*options: str, rerank: str = "true", **settings: str) -> Any:
        env = {f"MERIDIA_{name}": value for name, value in settings.items()}
        env["MERIDIA_ENABLE_RERANK"] = rerank
        done = meridia("recall", QUESTION, "--json", "--db", db, *options, env=env)
        assert done.status == 0, done.err
        return done

    return run


def by_id(answer: Any) -> dict[str, Any]:
    return {hit["event_id"]: hit for hit in answer.json["hits"]}


def boost(hit: dict[str, Any], branch: str) -> float:
    """Return what a hit was given by facets or by the profile, in cosines."""
    parts = [c["value"] for c in hit["trace"]["children"] if c["label"] == branch]
    return sum(parts) / UNIT


def test_row_119_switched_off_hints_change_neither_order_nor_score(ask):
    without, off = ask(rerank="false").json, ask(*HINTS, rerank="false").json
    assert [(h["id"], h["score"]) for h in off["hits"]] == [
        (h["id"], h["score"]) for h in without["hits"]
    ]
    assert all(hit["score"] == hit["base"] for hit in off["hits"])


def test_rows_110_to_113_and_116_boosts_are_within_their_ranges_and_only_for_what_agrees(ask):
    hits = by_id(ask(*HINTS, "--limit", "20"))
    ranges = {"mode": (0.03, 0.08), "platform": (0.05, 0.12), "discipline": (0.03, 0.08)}
    ranges |= dict.fromkeys(("entity", "entity2", "entity3"), (0.10, 0.20))
    ranges |= {"keyword": (0.02, 0.06)}
    for id, (low, high) in ranges.items():
        assert low <= boost(hits[id], "facets") <= high, id
        assert hits[id]["score"] > hits[id]["base"]
    assert boost(hits["entity"], "facets") > boost(hits["keyword"], "facets")
    every = boost(hits["full"], "facets")
    assert 0.35 >= every > boost(hits["entity"], "facets")
    for id in ("plain", "broken", "everyone"):
        assert hits[id]["score"] == hits[id]["base"]
    scores = [hit["score"] for hit in hits.values()]
    assert scores == sorted(scores, reverse=True)


def test_rows_114_and_115_a_profile_lifts_its_archetype_and_what_is_for_all_is_for_nobody(ask):
    def given(**vector: float) -> dict[str, Any]:
        hint = f"profile_vector={json.dumps(vector)}"
        return by_id(ask("--hint", hint, "--limit", "20"))

    peaked = given(analyst=0.9, legacy=0.1)
    # K · alignment · (1 − n/5) · min(margin / .08, 1)
    assert boost(peaked["analyst"], "profile") == pytest.approx(0.08 * 0.9 * 0.8, abs=1e-6)
    assert boost(peaked["legacy"], "profile") == pytest.approx(0.08 * 0.1 * 0.8, abs=1e-6)
    for id in ("everyone", "plain"):
        assert boost(peaked[id], "profile") == 0
    neutral = given(**dict.fromkeys(ALL, 0.2))
    assert boost(neutral["analyst"], "profile") == 0


def test_row_121_what_this_message_signals_counts_at_once(ask):
    hits = by_id(ask("--hint", 'signals={"analyst": 3}', "--limit", "20"))
    assert boost(hits["analyst"], "profile") > boost(hits["legacy"], "profile")


def test_row_109_what_is_not_for_everybody_or_not_active_is_no_candidate(ask):
    answer = ask(*HINTS, "--limit", "20")
    assert not {"private", "internal", "planned"} & set(by_id(answer))


def test_rows_108_116_and_118_twelve_come_back_and_never_fewer_are_looked_at(ask):
    assert len(ask(*HINTS).json["hits"]) == 12
    few = ask(*HINTS, RERANK_CANDIDATE_LIMIT="12").json["hits"]
    assert len(few) == 12
    assert len(ask("--limit", "15", RERANK_CANDIDATE_LIMIT="13").json["hits"]) == 15


def test_row_117_the_best_score_without_boosts_stays_within_one(ask):
    off, on = ask().json, ask(*HINTS).json
    assert 0 < on["max_score"] <= 1
    assert on["max_score"] == pytest.approx(off["max_score"])


def test_row_120_the_log_is_json_with_every_boost_and_no_content_and_off_there_is_none(ask):
    assert "facet_boost" not in ask(*HINTS).err
    logged = ask(*HINTS, ENABLE_RETRIEVAL_DEBUG="true").err
    assert "saddle" not in logged
    line = next(json.loads(one) for one in logged.splitlines() if one.startswith("{"))
    assert len(line["top"]) == 12
    assert {"id", "score", "score_before_boosts", "facet_boost", "profile_boost"} <= set(
        line["top"][0]
    )
    assert line["candidates"] >= 12


def test_row_127_status_counts_what_is_filed_before_anything_is_tuned(meridia, tmp_path):
    db, note = tmp_path / "a.db", {"kind": "user_message", "payload": {"text": "A saddle."}}
    given = json.dumps(note | {"metadata": {"platforms": ["gr8"]}})
    meridia("capture", "--db", db, stdin=f"{given}\n{json.dumps(note)}")
    (space,) = meridia("status", "--facets", "--json", "--db", db).json
    assert (space["facets"]["platforms"], space["facets"]["modes"]) == (1, 0)
