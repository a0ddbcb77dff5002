"""Features 82 to 99 as somebody sees them who types commands: the source's own recall.

A pottery of invented messages; the profile `reference` ranks by the source's formulas.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from meridia import Memory
from tests.cli.command import Command, Done

#: The units that these go through have tests of their own.
pytestmark = pytest.mark.thorough

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
THINGS = "boat house horse table lamp tractor piano tent barrel clock".split()
COLOURS = "red blue green black white old new small big broken".split()
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
    numbers = re.compile(r"^ +-?\d+\.\d\d  (?:its|the|a) ", re.MULTILINE)
    assert not numbers.search(plain)
    explained = ask("parking on street 7", "--explain", literal="on").out
    assert len(numbers.findall(explained)) >= 5


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


def given(meridia: Command, db: Path, said: list[tuple[str, str, str]]) -> Path:
    """Fill a journal with what Mira said: id, time and text; an hour ends a session."""
    events = [
        {"id": id, "kind": "user_message", "person": "Mira", "session": {"key": at[:13]}}
        | {"ts": f"{at}:00Z", "payload": {"text": text}}
        for id, at, text in said
    ]
    done = meridia("capture", "--db", db, stdin="\n".join(map(json.dumps, events)))
    assert done.status == 0, done.err
    assert meridia("enrich", "--db", db).status == 0
    return db


KEY = "The spare key hangs behind the boathouse door."


@pytest.fixture(scope="module")
def boathouse(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a journal in which one thing is said four times, and a home changes."""
    said = [
        ("home", "2026-03-01T09:00", "I live in Bergen."),
        ("born", "2026-03-01T09:01", "I was born on 4 May 1990 in Ghent."),
        ("key", "2026-03-01T09:02", KEY),
        ("again", "2026-03-15T09:02", KEY),
        ("burst", "2026-03-15T19:02", KEY),
        ("near", "2026-03-17T19:02", "The spare key is hanging behind the boathouse door."),
        ("moved", "2026-05-01T09:00", "I moved to Oslo."),
    ]
    return given(meridia, tmp_path_factory.mktemp("boathouse") / "agent.db", said)


def test_row_92_the_factors_that_are_printed_are_those_of_tracerank_at_the_time_of_as_of(
    meridia, boathouse
):
    def factors(id: str, question: str, as_of: str) -> dict[str, float]:
        where = ("--json", "--db", boathouse, "--profile", "reference", "--as-of", as_of)
        hits = meridia("recall", question, *where).json["hits"]
        (hit,) = [hit for hit in hits if hit["event_id"] == id]
        found = re.findall(r"\b([RGT]) = (\d\.\d+)", labels(hit))
        assert hit["score"] == pytest.approx(
            sum(node["value"] for node in hit["trace"]["children"]), abs=1e-6
        )
        return {name: float(value) for name, value in found}

    edges = "MATCH (a)-[r]->(b) WHERE b.event_id = 'key' RETURN count(r)"
    ((inbound,),) = meridia("query", edges, "--json", "--db", boathouse).json["rows"]
    for day in (0, 30):
        now = datetime(2026, 3, 17, 19, 2, tzinfo=UTC) + timedelta(days=day)
        ages = [day + 2 + 10 / 24, day + 2, day]  # again, burst, near
        trace = sum(
            share * math.exp(-age / 21) for share, age in zip((0.2, 1, 1), ages, strict=True)
        )
        found = factors("key", "Where is the spare key?", now.isoformat())
        assert found["R"] == pytest.approx(1 + 0.35 * math.log1p(trace), abs=6e-4)
        if day:  # before, the edges of an episode were not there yet
            assert found["G"] == pytest.approx(1 + 0.15 * math.log1p(inbound), abs=6e-4)
        assert "T" not in found
    later = factors("home", "Where does Mira live?", "2026-03-31T09:00:00Z")
    assert later["T"] == pytest.approx(math.exp(-30 / 90), abs=6e-4)
    assert "T" not in factors("born", "Where was Mira born?", "2026-03-31T09:00:00Z")


def test_row_100_the_same_words_and_nearly_the_same_are_kept_and_make_the_first_stronger(
    meridia, boathouse
):
    shown = {
        id: meridia("show", id, "--json", "--db", boathouse).json
        for id in ("key", "again", "burst", "near", "home")
    }
    assert {id: one["repeats"] for id, one in shown.items()} == {
        "key": None,
        **dict.fromkeys(("again", "burst", "near"), shown["key"]["id"]),
        "home": None,
    }
    archive = meridia("export", "--db", boathouse).lines
    stronger = [line["payload"] for line in archive if line.get("kind") == "MemoryReinforced"]
    assert {one["canonical"] for one in stronger} == {shown["key"]["id"]}
    assert sorted(one["reason"] for one in stronger) == ["exact", "exact", "near"]
    assert all(one["similarity"] >= 0.92 for one in stronger)


def test_row_101_a_fact_has_four_times_and_how_stable_it_is(meridia, boathouse):
    def facts(*options: object) -> dict[str, dict[str, Any]]:
        rows = meridia("facts", *options, "--json", "--db", boathouse).json
        return {row["text"]: row for row in rows}

    told = facts()
    home, now = told["Mira lives in Bergen."], told["Mira lives in Oslo."]
    assert (home["stability"], told["Mira has the date of birth 4 May 1990."]["stability"]) == (
        "dynamic",
        "static",
    )
    assert home["t_valid"].startswith("2026-03-01T09:00")
    assert home["t_invalid"] == now["t_valid"] == "2026-05-01T09:00:00.000000Z"
    assert home["t_expired"] >= now["t_created"] >= home["t_created"] > now["t_valid"]
    assert (now["t_invalid"], now["t_expired"]) == (None, None)
    assert "Mira lives in Bergen." in facts("--as-of", "2026-04-01")
    assert "Mira lives in Oslo." not in facts("--as-of", "2026-04-01")
    assert "Mira lives in Bergen." not in facts("--as-of", "2026-06-01")
    before = facts("--known-at", home["t_created"])
    assert before["Mira lives in Bergen."]["t_invalid"] is None


def leaf(hit: dict[str, Any], label: str) -> float:
    """Return what one mechanism gave a memory."""
    return sum(node["value"] for node in nodes(hit["trace"]) if node["label"].startswith(label))


def test_rows_22_and_103_each_mechanism_counts_by_the_weight_of_its_setting(meridia, pottery):
    weights = {"SIGNIFICANCE": 3, "RECENCY": 2, "RECENCY_DAYS": 10, "MEMRANK": 4, "DIVERSITY": 5}
    env = {f"MERIDIA_RECALL_{name}": str(value) for name, value in weights.items()}
    where = ("recall", "Why did the glaze crawl on the dusty pots?", "--json", "--db", pottery)
    where += ("--limit", "26", "--as-of", (FIRST + timedelta(days=25)).isoformat())
    hits = meridia(*where, env=env).json["hits"]
    plain = meridia(*where).json["hits"]
    told = {"was significant", "happened lately", "much is associated", "says what stands before"}
    assert len(hits) == len(plain) == 26
    assert not [hit for hit in plain if any(leaf(hit, label) for label in told)]
    query = "MATCH (a)-[r:RELATED]->(b) RETURN a.event_id, b.event_id, r.weight"
    graph = nx.Graph()
    graph.add_nodes_from(hit["event_id"] for hit in hits)
    graph.add_weighted_edges_from(meridia("query", query, "--json", "--db", pottery).json["rows"])
    steps = np.linalg.matrix_power(nx.google_matrix(graph, alpha=0.85), 200)[0]
    ranks = dict(zip(graph, steps / steps.max(), strict=True))
    days = {event["id"]: day for day, event in enumerate(events())}
    for hit in hits[:5]:
        kit = meridia("show", hit["id"], "--kit", "--json", "--db", pottery).json
        assert leaf(hit, "was significant") == pytest.approx(
            3 * kit["capture"]["significance"], abs=1e-3
        )
    for hit in hits:
        id = hit["event_id"]
        assert leaf(hit, "happened lately") == pytest.approx(2 * 0.5 ** ((25 - days[id]) / 10))
        assert leaf(hit, "much is associated") == pytest.approx(4 * ranks[id], abs=1e-6)
    best = {hit["event_id"]: leaf(hit, "says what stands before") for hit in hits}
    assert best[hits[0]["event_id"]] == 0
    assert best["dust"] < -2, "nearly the words of another one"
    assert any(leaf(hit, "close in meaning") > 1 for hit in plain), "similarity"
    assert any("edge" in node for hit in plain for node in nodes(hit["trace"])), "proximity"


def test_row_99_of_a_thousand_memories_the_best_are_found_within_two_seconds(meridia, tmp_path):
    things = [f"{colour} {thing}" for thing in THINGS for colour in COLOURS]
    said = [
        {"kind": "user_message", "person": f"P{n // 100}", "session": {"key": str(n // 20)}}
        | {"payload": {"text": f"I sold the {things[n % 100]}."}}
        for n in range(1000)
    ]
    db = tmp_path / "a.db"
    meridia("capture", "--db", db, stdin="\n".join(map(json.dumps, said)))
    took = []
    with Memory.open(db) as memory:
        memory.enrich()
        for thing in things[:5]:
            began = time.perf_counter()
            found = memory.recall(f"Who sold the {thing}?")
            took.append(time.perf_counter() - began)
            assert thing in found.hits[0].text
    assert sorted(took)[2] < 2
