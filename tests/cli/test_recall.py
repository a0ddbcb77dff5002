"""`meridia recall` and `show`: memories, and reasons that add up."""

from __future__ import annotations

import json
import re

import pytest

QUESTION = "Why did publishing the club website keep failing?"
WIDE = {"COLUMNS": "500"}
_BRANCH = re.compile(r"^((?:[│ ] {3})*)(?:├── |└── ) *([+-]\d+\.\d{3})  (.+)$")
_HEADER = re.compile(
    r"^ ?(\d+) +(-?\d+\.\d\d)  (.+?)  \d{4}-\d\d-\d\d \d\d:\d\d  (@\d+)  (\w+), (\d+) hops?"
)
_PLACE = re.compile(r"(?m)^ +(-?\d+\.\d\d)  ((?:its|a shared|the rest).*)$")
_SCORE = re.compile(r"^score (-?\d+\.\d{3}), the sum of:$")


def leaves(reason):
    """Return the values of a trace's leaves."""
    children = reason.get("children", [])
    return [value for child in children for value in leaves(child)] or [reason["value"]]


def nodes(reason):
    """Yield every node of a trace."""
    yield reason
    for child in reason.get("children", []):
        yield from nodes(child)


def sources(answer):
    """Return the address of every memory that a reason names."""
    return {
        node["source"] for hit in answer["hits"] for node in nodes(hit["trace"]) if "source" in node
    }


def trees(text):
    """Return each explained score as (score, [(depth, value, label)]) from what was printed."""
    found = []
    for line in text.splitlines():
        if score := _SCORE.match(line):
            found.append((float(score[1]), []))
        elif branch := _BRANCH.match(line):
            found[-1][1].append((len(branch[1]) // 4 + 1, float(branch[2]), branch[3]))
    return found


def children_of(rows, place, depth):
    """Return the values one level below the node at `place`."""
    found = []
    for level, value, _ in rows[place + 1 :]:
        if level <= depth:
            break
        if level == depth + 1:
            found.append(value)
    return found


def test_json_scores_are_the_sum_of_their_leaves(meridia, demo):
    done = meridia("recall", QUESTION, *demo.where, "--json", "--limit", 20)
    hits = done.json["hits"]
    assert len(hits) == 20
    for hit in hits:
        assert sum(leaves(hit["trace"])) == pytest.approx(hit["score"], abs=1e-9)
        for node in nodes(hit["trace"]):
            if "children" in node:
                below = sum(child["value"] for child in node["children"])
                assert node["value"] == pytest.approx(below, abs=1e-9)
    assert [hit["rank"] for hit in hits] == list(range(1, 21))
    assert hits == sorted(hits, key=lambda hit: -hit["score"])


def test_reasons_name_memories_that_exist(meridia, demo):
    answer = meridia("recall", QUESTION, *demo.where, "--json", "--limit", 3).json
    assert sources(answer)
    known = {
        f"meridia://{memory['id']}"
        for memory in meridia("list", *demo.where, "--json", "--limit", 1000).json["memories"]
    }
    assert sources(answer) <= known


def test_explained_scores_are_trees_whose_numbers_add_up(meridia, demo):
    done = meridia("recall", QUESTION, *demo.where, "--explain=all", "--limit", 5, env=WIDE)
    found = trees(done.out)
    assert len(found) == 5
    for score, rows in found:
        assert rows
        top = children_of([(0, score, "score"), *rows], 0, 0)
        assert sum(top) == pytest.approx(score, abs=0.0006 * (len(top) + 1))
        for place, (depth, value, _) in enumerate(rows):
            below = children_of(rows, place, depth)
            if below:
                assert sum(below) == pytest.approx(value, abs=0.0006 * (len(below) + 1))
    labels = {label for _, rows in found for _, _, label in rows}
    assert any(label.endswith("via NEXT") for label in labels)
    assert any(label.startswith("says “") for label in labels)


def test_reasons_are_shown_only_when_asked_for(meridia, demo):
    plain = meridia("recall", QUESTION, *demo.where, "--limit", 2)
    assert "the sum of" not in plain.out
    assert not re.search(r"[0-9a-f]{8}-", plain.out)
    explained = meridia("recall", QUESTION, *demo.where, "--limit", 2, "--explain")
    assert re.search(r"^recall [0-9a-f-]{36}$", explained.out, re.MULTILINE)


def test_each_memory_has_a_header_a_quote_and_a_sentence_that_says_why(meridia, demo):
    printed = meridia("recall", QUESTION, *demo.where, "--limit", 3, env=WIDE).out.splitlines()
    answer = meridia("recall", QUESTION, *demo.where, "--limit", 3, "--json").json
    headers = [line for line in printed if _HEADER.match(line)]
    for header, hit in zip(headers, answer["hits"], strict=True):
        rank, score, who, address, method, hops = _HEADER.match(header).groups()
        assert (int(rank), who) == (hit["rank"], hit["person"] or "tool bash")
        assert float(score) == round(hit["score"], 2)
        assert meridia("show", address, *demo.where, "--json").json["id"] == hit["id"]
        evidence = {"words": "own_words", "activation": "topic"}.get(method, method)
        assert evidence in {node.get("evidence") for node in nodes(hit["trace"])}
        assert (hops == "0") == (method in {"words", "meaning"})
        quote = printed[printed.index(header) + 1]
        assert quote.strip() == f"“{' '.join(hit['text'].split())}”"
        assert f"    why: {hit['why']}" in printed
    assert any("say “" in hit["why"] for hit in answer["hits"])


def test_explained_places_are_at_most_five_lines_that_sum_to_the_score(meridia, demo):
    done = meridia("recall", QUESTION, *demo.where, "--explain", "--limit", 10, env=WIDE)
    hits = re.split(r"(?m)^(?= ?\d+ +-?\d+\.\d\d  )", done.out)[1:]
    assert len(hits) == 10
    for hit in hits:
        score = float(_HEADER.match(hit.splitlines()[0])[2])
        lines = [(float(line[1]), line[2]) for line in _PLACE.finditer(hit)]
        assert 0 < len(lines) <= 4
        assert sum(value for value, _ in lines) == pytest.approx(score, abs=1e-6)
        for value, rest in lines:
            components = [float(n) for n in re.findall(r" (-?\d+\.\d\d)(?=,|$)", rest)]
            assert not components or sum(components) == pytest.approx(value, abs=1e-6)


def test_explain_speaks_in_the_words_of_the_texts(meridia, db):
    text = "We are publishing the studies."
    event = {"id": "m", "kind": "user_message", "person": "Dana", "payload": {"text": text}}
    meridia("capture", "--db", db, stdin=json.dumps(event))
    for detail in ("--explain", "--explain=all"):
        done = meridia("recall", "published study", "--db", db, detail, env=WIDE)
        assert "read as words: published, study" in done.out
        assert "“studies”" in done.out
        assert not {"“studi”", "“publish”"} & set(done.out.split())


def test_an_answer_that_is_not_sure_says_so_first(meridia, demo):
    first = meridia("recall", "Capital of Mongolia?", *demo.where).out.splitlines()[0]
    assert re.fullmatch(
        r"(maybe|probably) nothing here answers this \(confidence 0\.\d\d\); the nearest:", first
    )
    asked = "When did Dana hand in her letter to Mr Kolle?"
    sure = meridia("recall", asked, *demo.where, "--limit", 2).out.splitlines()[0]
    assert re.fullmatch(r"the best 2 memories \(confidence [01]\.\d\d\)", sure)


def test_explain_leaves_the_question_behind_it_alone(meridia, demo):
    asked = meridia("recall", "--explain", QUESTION, *demo.where, "--limit", 1)
    assert asked.status == 0, asked.err
    assert meridia("recall", "--explain=some", QUESTION, *demo.where).status == 2


def test_last_names_the_newest_answer_in_every_command(meridia, demo_copy):
    where = ("--db", demo_copy, "--space", "demo")
    hits = meridia("recall", QUESTION, *where, "--json", "--limit", 4).json["hits"]
    third = hits[2]
    assert meridia("show", "last", 3, *where, "--json").json["id"] == third["id"]
    address = f"@{meridia('show', 'last', 3, *where, '--json').json['seq']}"
    for name in ("3", address, third["uri"]):
        (shown,) = meridia("why", "last", name, *where, "--json").json["hits"]
        assert shown["id"] == third["id"]
        assert meridia("why-not", "last", name, *where, "--json").json["cause"] == "recalled"
        assert {one["rank"] for one in meridia("what-if", "last", name, *where, "--json").json} == {
            3
        }
    given = meridia("feedback", "last", 3, "useful", *where, "--json").json["feedback"]
    assert meridia("feedback", address, "--undo", *where, "--json").json == {"undone": given}
    assert meridia("show", "last", 5, *where).status == 3
    assert meridia("show", "last", 3, 4, *where).status == 2


def test_a_person_a_session_and_a_kind_narrow_the_answer(meridia, demo):
    for option, name, field in (
        ("--person", "Oskar", "person"),
        ("--session", "2026-05-15", "session"),
        ("--kind", "tool_result", "kind"),
    ):
        answer = meridia("recall", "boat", *demo.where, option, name, "--json").json
        assert {hit[field] for hit in answer["hits"]} == {name}


def test_times_narrow_the_answer(meridia, demo):
    options = ["--since", "2026-04-01", "--until", "2026-05-01", "--json", "--limit", 100]
    hits = meridia("recall", "boat", *demo.where, *options).json["hits"]
    assert hits
    assert all("2026-04-01" <= hit["at"] < "2026-05-01" for hit in hits)


def test_metadata_narrows_the_answer(meridia, db):
    events = [
        {
            "id": channel,
            "kind": "user_message",
            "payload": {"text": "The heron is back."},
            "metadata": {"channel": channel, "n": 3},
        }
        for channel in ("chat", "mail")
    ]
    meridia("capture", "--db", db, stdin="".join(json.dumps(one) + "\n" for one in events))
    for options, expected in (
        (["--where", "channel=mail"], ["mail"]),
        (["--where", "channel=mail", "--where", "n=3"], ["mail"]),
        (["--where", "n=4"], []),
    ):
        answer = meridia("recall", "heron", "--db", db, "--json", *options).json
        assert [hit["event_id"] for hit in answer["hits"]] == expected


def test_the_limit_bounds_the_answer(meridia, demo):
    for limit in (1, 7):
        answer = meridia("recall", "boat", *demo.where, "--limit", limit, "--json").json
        assert len(answer["hits"]) == limit


@pytest.mark.parametrize("policy", ["spread", "sample", "walk"])
def test_every_policy_answers(meridia, demo, policy):
    answer = meridia("recall", QUESTION, *demo.where, "--policy", policy, "--json").json
    assert answer["hits"]
    assert policy == "sample" or not any("random walks" in note for note in answer["notes"])


def test_as_of_a_time_nothing_later_is_known(meridia, demo):
    answer = meridia(
        "recall", "boat", *demo.where, "--as-of", "2026-03-12", "--json", "--limit", 100
    ).json
    assert answer["hits"]
    assert all(hit["at"] < "2026-03-12" for hit in answer["hits"])


def test_as_of_a_sequence_nothing_later_is_known(meridia, demo):
    memories = meridia("list", *demo.where, "--json", "--limit", 1000).json["memories"]
    early = {memory["id"] for memory in memories if memory["seq"] <= 20}
    answer = meridia("recall", "boat", *demo.where, "--as-of", 20, "--json", "--limit", 100).json
    assert answer["hits"]
    assert {hit["id"] for hit in answer["hits"]} <= early
    assert {source.removeprefix("meridia://") for source in sources(answer)} <= early
    whole = meridia("recall", "boat", *demo.where, "--as-of", 2026, "--json", "--limit", 100).json
    assert len(whole["hits"]) > len(answer["hits"]), "four digits are a sequence too"


def test_the_simple_profile_is_words_alone(meridia, demo):
    answer = meridia("recall", "compass", *demo.where, "--profile", "simple", "--json").json
    assert answer["profile"] == "simple"
    assert answer["hits"]
    for hit in answer["hits"]:
        assert "compass" in (hit["text"] + json.dumps(hit["artifacts"])).lower()
        assert [leaf["label"] for leaf in hit["trace"]["children"]] == ["words"]


def test_an_empty_answer_is_an_answer(meridia, demo):
    done = meridia("recall", "boat", *demo.where, "--until", "1999-01-01")
    assert (done.status, done.out) == (0, "no memories recalled\n")
    done = meridia("recall", "", *demo.where, "--json")
    assert (done.status, done.json["hits"]) == (0, [])


def test_a_picture_is_found_by_its_caption_and_shown_apart(meridia, demo):
    done = meridia("recall", "a pale new block of oak", *demo.where, "--limit", 1)
    assert "[image: a pale new block of oak bolted across" in done.out


def test_without_the_encoder_recall_says_so_and_answers(meridia, demo):
    environment = {"MERIDIA_EMBEDDING_ENABLED": "false"}
    done = meridia("recall", QUESTION, *demo.where, "--json", env=environment)
    assert done.status == 0
    assert done.json["hits"]
    assert "embedding is off" in done.json["notes"][0]
    printed = meridia("recall", QUESTION, *demo.where, env=environment)
    assert "embedding is off" in printed.err


def test_asking_changes_no_later_answer(meridia, demo):
    def ask():
        hits = meridia("recall", QUESTION, *demo.where, "--json").json["hits"]
        return [(hit["id"], hit["score"]) for hit in hits]

    first = ask()
    meridia("recall", "the compass", *demo.where)
    assert ask() == first


def test_show_finds_a_memory_by_address_id_and_the_callers_id(meridia, demo):
    memory = meridia("list", *demo.where, "--json", "--limit", 1).json["memories"][0]
    asked = [f"meridia://{memory['id']}", memory["id"], memory["event_id"]]
    found = [meridia("show", one, *demo.where, "--json").json for one in asked]
    assert found[0] == found[1] == found[2]
    assert found[0]["uri"] == asked[0]
    printed = meridia("show", asked[0], *demo.where).out
    assert memory["text"].split(".")[0] in printed


def test_an_address_is_found_in_whichever_space_it_is(meridia, demo):
    memory = meridia("list", *demo.where, "--json", "--limit", 1).json["memories"][0]
    address = f"meridia://{memory['id']}"
    assert meridia("show", address, "--db", demo.db).status == 0
    assert meridia("show", address, "--db", demo.db, "--space", "nowhere").status == 3
    assert meridia("show", memory["event_id"], "--db", demo.db).status == 3


def test_show_makes_no_journal(meridia, db):
    assert meridia("show", "x", "--db", db).status == 3
    assert not db.exists()


def test_the_reference_profile_tells_how_each_memory_was_found(meridia, demo):
    done = meridia(
        "recall", "Who makes sails?", *demo.where, "--profile", "reference", "--explain=all"
    )
    assert "by direct match, hybrid" in " ".join(done.out.split())
    assert "the walk is drawn anew for each answer" in done.err


def test_hints_count_where_reranking_is_on(meridia, tmp_path):
    where = ("--db", str(tmp_path / "shop.db"))
    event = {
        "kind": "user_message",
        "payload": {"text": "The stock is fitted."},
        "metadata": {"platforms": ["mx8"]},
    }
    meridia("capture", *where, stdin=json.dumps(event))
    asked = ("recall", "fitted stock", *where, "--hint", "topics=platform_mx8", "--json")
    (plain,) = meridia(*asked).json["hits"]
    (hit,) = meridia(*asked, env={"MERIDIA_ENABLE_RERANK": "1"}).json["hits"]
    assert plain["score"] == pytest.approx(plain["base"], abs=1e-9)
    assert plain["base"] == pytest.approx(hit["base"], abs=1e-9)
    assert hit["score"] > hit["base"]


def test_a_long_memory_is_quoted_from_the_passage_that_answers(meridia, tmp_path):
    filler = [f"On day {day} the tide was {day % 7} feet and nobody came." for day in range(90)]
    filler.insert(70, "The spare key of the boathouse is under the third flowerpot.")
    event = {"id": "m", "kind": "user_message", "payload": {"text": " ".join(filler)}}
    meridia("capture", "--db", tmp_path / "m.db", stdin=json.dumps(event))
    asked = "Where is the spare key of the boathouse?"
    done = meridia("recall", asked, "--db", tmp_path / "m.db", "--wait", "60", env=WIDE)
    assert "under the third flowerpot" in done.out
    assert re.search(r"from characters [\d,]+ to [\d,]+ of 4,\d{3}", done.out)
    (hit,) = json.loads(meridia("recall", asked, "--db", tmp_path / "m.db", "--json").out)["hits"]
    place = hit["passage"]
    assert hit["text"][place["start"] : place["end"]] == place["text"]
