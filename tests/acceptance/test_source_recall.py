"""Features 82 to 99 as somebody sees them who types commands: the source's own recall.

A pottery of invented messages; the profile `reference` ranks by the source's formulas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command, Done

FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAID = (
    ("kiln", "The kiln trips the breaker when both elements heat; a 32 A circuit solved it."),
    ("glaze", "The glaze crawled because the bisque was dusty; next time wash the pots first."),
    ("cone", "I fired the kiln to cone six on Saturday."),
    ("heat", "The kiln fired to cone six with both elements heating."),
    ("cake", "Kilian brought pastries to the studio."),
    ("dust", "The bisque was dusty and the glaze crawled on three pots."),
)
TRIGGERS = {"kiln": "problem-solution", "glaze": "learning-failure", "cake": "positive-feedback"}
QUESTION = "Why did the glaze crawl on the pots?"
_HEADER = re.compile(r"(?m)^ ?(\d+) +(-?\d+\.\d\d)  .*  (@\d+)  (\w+), (\d+) hops?$")


def events() -> Iterator[dict[str, Any]]:
    """Yield the pottery's messages, a day between two, and notices that are much alike."""
    notices = [(f"n{n}", f"Notice {n} about parking spaces on street {n}.") for n in range(20)]
    for day, (id, text) in enumerate((*SAID, *notices)):
        event = {"id": id, "kind": "user_message", "person": "Ines", "session": {"key": id}}
        event["ts"] = (FIRST + timedelta(days=day)).isoformat()
        trigger = {"metadata": {"trigger": TRIGGERS[id]}} if id in TRIGGERS else {}
        yield event | trigger | {"payload": {"text": text}}


@pytest.fixture(scope="module")
def pottery(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the journal of a pottery."""
    db = tmp_path_factory.mktemp("pottery") / "agent.db"
    done = meridia("capture", "--db", db, stdin="\n".join(map(json.dumps, events())))
    assert done.status == 0, done.err
    assert meridia("enrich", "--db", db).status == 0
    return db


@pytest.fixture(scope="module")
def ask(meridia: Command, pottery: Path) -> Any:
    """Give a way to recall with the profile `reference` and settings by their variables."""

    def recall(question: str, *options: str, **settings: str) -> Done:
        env = {f"MERIDIA_REFERENCE_{name.upper()}": value for name, value in settings.items()}
        where = ("--db", pottery, "--profile", "reference")
        done = meridia("recall", question, *where, *options, env={**env, "COLUMNS": "300"})
        assert done.status == 0, done.err
        return done

    return recall


def nodes(reason: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield reason
    for child in reason.get("children", []):
        yield from nodes(child)


def labels(hit: dict[str, Any]) -> str:
    return "\n".join(node["label"] for node in nodes(hit["trace"]))


def test_rows_82_and_83_what_solved_or_failed_has_questions_and_nothing_else(meridia, pottery):
    found = meridia(
        *("query", "--json", "--db", pottery),
        "MATCH (e:Experience) WHERE e.questions IS NOT NULL RETURN e.event_id AS id, e.questions",
    ).json["rows"]
    questions = {id: asked for id, asked in found if asked}
    assert set(questions) == {"kiln", "glaze"}
    assert all(1 <= len(asked) <= 2 for asked in questions.values())
    assert questions["kiln"][0].startswith("What solved this: the kiln trips the breaker")
    assert questions["kiln"][0].count(".") == 0


def test_rows_84_to_86_the_printed_numbers_are_those_of_the_formulas(ask):
    hits = ask(QUESTION, "--json").json["hits"]
    (glaze,) = [hit for hit in hits if hit["event_id"] == "glaze"]
    content, share = re.search(r"close in meaning \(\.4 · (\d\.\d+)\)", labels(glaze)), 0.0
    asked = re.search(r"it answers “(.+)” \(\.6 · (\d\.\d+)\)", labels(glaze))
    share = 0.4 * float(content[1]) + 0.6 * float(asked[2])
    (meaning,) = [c for c in glaze["trace"]["children"] if c["label"] == "meaning"]
    assert meaning["value"] == pytest.approx(share, abs=1e-3)
    for hit in hits:
        if "direct match" not in labels(hit):
            continue
        numbers = re.search(
            r"hybrid (\S+) = 0\.6 · \(\.5 · (\S+) keywords \+ \.3 · (\S+) recency "
            r"\+ \.2 · (\S+) entities\) \+ 0\.4 · (\S+)",
            labels(hit),
        )
        hybrid, keywords, recency, entities, semantic = map(float, numbers.groups())
        metadata = 0.5 * keywords + 0.3 * recency + 0.2 * entities
        assert hybrid == pytest.approx(0.6 * metadata + 0.4 * semantic, abs=2e-3)


def test_rows_87_and_88_three_start_and_five_are_recalled_at_most(ask):
    hits = ask(QUESTION, "--json", "--limit", "20").json["hits"]
    starts = [hit for hit in hits if "direct match" in labels(hit)]
    assert (len(starts), len(hits)) == (3, 5)
    assert len({hit["id"] for hit in hits}) == 5


def test_rows_89_to_93_what_a_walk_reached_tells_path_hops_signal_and_probability(ask):
    hits = ask(QUESTION, "--json", literal="on").json["hits"]
    hits += ask("parking on street 7", "--json", literal="on").json["hits"]
    walked = [hit for hit in hits if "graph traversal" in labels(hit)]
    assert walked
    for hit in walked:
        (leaf,) = [node for node in nodes(hit["trace"]) if "path" in node]
        assert leaf["hops"] == len(leaf["path"])
        assert {edge for edge, _, _ in leaf["path"]} == {"RELATED"}
        assert f"{leaf['hops']} hop" in labels(hit)
        signal = float(re.search(r"it was reached by a walk: signal (\d\.\d+)", labels(hit))[1])
        assert 0 < signal < 1
        before = hit["score"] - leaf["value"]
        assert hit["score"] == pytest.approx(before * signal, abs=0.01 * before)
        assert "reached from @" in hit["why"].lower()
    assert (
        max(len(leaf["path"]) for h in walked for leaf in nodes(h["trace"]) if "path" in leaf) > 1
    )


def test_row_90_runs_vary_where_chance_decides_and_each_can_be_repeated(meridia, ask, pottery):
    answers = set()
    for _ in range(12):
        found = ask("parking on street 7", "--json", exploration="0.4", nodes="9").json
        answers.add(frozenset(hit["event_id"] for hit in found["hits"]))
        if len(answers) > 1:
            break
    assert len(answers) > 1
    again = meridia("replay", found["recall"], "--json", "--db", pottery)
    assert again.json["identical"] is True


def test_rows_94_and_95_a_header_has_score_method_and_hops_and_explain_adds_the_numbers(ask):
    plain = ask("parking on street 7", literal="on").out
    headers = _HEADER.findall(plain)
    assert len(headers) == 5
    assert {(method, hops) for _, _, _, method, hops in headers} > {("meaning", "0")}
    assert ("traversal", "1") in {(method, hops) for _, _, _, method, hops in headers}
    assert plain.count("    why: ") == 5
    assert "it most depends on" not in plain
    explained = ask("parking on street 7", "--explain", literal="on").out
    assert explained.count("it most depends on") == 5


def test_row_96_each_part_has_a_switch_and_all_of_it_has_one(meridia, ask, pottery):
    assert "it answers" not in ask(QUESTION, "--explain=all", anticipated="off").out
    hits = ask(QUESTION, "--json", walk="off").json["hits"]
    assert not [hit for hit in hits if "graph traversal" in labels(hit)]
    simple = meridia("recall", QUESTION, "--json", "--db", pottery, "--profile", "simple").json
    assert simple["profile"] == "simple"
    assert not [h for h in simple["hits"] if "path" in json.dumps(h["trace"])]


def test_rows_97_and_123_with_neither_vectors_nor_graph_words_alone_answer(meridia, pottery):
    without = {"MERIDIA_EMBEDDING_ENABLED": "false", "MERIDIA_RECALL_SPREAD": "false"}
    found = meridia("recall", "dusty bisque", "--json", "--db", pottery, env=without).json
    assert {hit["event_id"] for hit in found["hits"][:2]} == {"glaze", "dust"}


def test_row_102_related_edges_weigh_their_cosine_from_point_six_and_ten_at_most(meridia, pottery):
    rows = meridia(
        *("query", "--json", "--db", pottery),
        "MATCH (a)-[r:RELATED]->(b) RETURN a.event_id AS a, r.weight AS weight",
    ).json["rows"]
    assert rows
    assert all(0.6 <= weight <= 1.0001 for _, weight in rows)
    count = {a: sum(a == b for b, _ in rows) for a, _ in rows}
    assert max(count.values()) == 10
