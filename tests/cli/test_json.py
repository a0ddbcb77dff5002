"""The shapes of `--json` are those that docs/json.md promises."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("without_encoder")

DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"
ROWS = dict(re.findall(r"^\| ([a-z -]+) \| (.+) \|$", DOCUMENT.read_text("utf-8"), re.MULTILINE))
EVENT = json.dumps({"id": "x-1", "kind": "user_message", "payload": {"text": "Hi"}})
#: Command → its arguments, and the way to the object that the document describes.
COMMANDS = {
    "recall": (["recall", "boat"], lambda found: found),
    "plan": (["plan", "boat"], lambda found: found),
    "node": (["plan", "boat"], lambda found: found["nodes"][0]),
    "plan --stats": (["plan", "--stats"], lambda found: found),
    "plan --draft": (["plan", "boat", "--draft"], lambda found: found),
    "resume": (["resume", "Dana"], lambda found: found),
    "reconstitute --modes": (["reconstitute", "--modes"], lambda found: found[0]),
    "feedback": (["feedback", "d1-01", "useful"], lambda found: found),
    "show": (["show", "d1-01"], lambda found: found),
    "list": (["list"], lambda found: found),
    "query": (["query", "RETURN 1 AS one"], lambda found: found),
    "schema": (["schema"], lambda found: found),
    "status": (["status"], lambda found: found[0]),
    "verify": (["verify"], lambda found: found[0]),
    "rebuild": (["rebuild"], lambda found: found[0]),
    "config": (["config"], lambda found: found[0]),
    "show --kit": (["show", "--kit", "d1-04"], lambda found: found),
    "people": (["people"], lambda found: found[0]),
    "people set": (["people", "set", "Dana", "primary"], lambda found: found),
    "sessions": (["sessions"], lambda found: found[0]),
    "spaces": (["spaces"], lambda found: found[0]),
    "entities": (["entities"], lambda found: found[0]),
    "entities merge": (["entities", "merge", "bash", "fetch"], lambda found: found),
    "transitions": (["transitions", "2026-03-02"], lambda found: found),
    "facts": (["facts"], lambda found: found[0]),
    "episodes": (["episodes"], lambda found: found[0]),
    "artifacts": (["artifacts"], lambda found: found[0]),
    "enrich": (["enrich"], lambda found: found["demo"]),
    "enrich --retry": (["enrich", "--retry"], lambda found: found[0]),
}


def promised(row):
    """Return the names of the outermost object of a row, and those of them that may be absent."""
    names, optional, depth, newest = set(), set(), 0, ""
    for token in re.finditer(r'([{}])(\?)?|"(\w+)"(\?)?', ROWS[row].split("`")[1]):
        if token[1]:
            depth += 1 if token[1] == "{" else -1
            if depth == 1 and token[2]:
                optional.add(newest)
        elif depth == 1:
            newest = token[3]
            names.add(newest)
            if token[4]:
                optional.add(newest)
    assert names, row
    return names, optional


@pytest.mark.parametrize("name", COMMANDS)
def test_an_answer_has_the_names_that_are_promised(meridia, demo_copy, name):
    arguments, found = COMMANDS[name]
    done = meridia(*arguments, "--db", demo_copy, "--space", "demo", "--json")
    assert done.status == 0, done.err
    names, optional = promised(name)
    assert names - optional <= set(found(done.json)) <= names


def test_a_decision_has_the_names_that_are_promised(meridia, db):
    names, optional = promised("decide")
    decision = meridia("decide", "--db", db, "--json", stdin=EVENT).json
    assert names - optional <= set(decision) <= names
    assert {frozenset(factor) for factor in decision["factors"]} == {
        frozenset({"name", "value", "weight", "contribution", "reason"})
    }


def test_hits_and_reasons_have_the_names_that_are_promised(meridia, demo):
    hits = meridia("recall", "boat", *demo.where, "--json").json["hits"]
    assert {frozenset(hit) for hit in hits} == {frozenset(promised("hit")[0])}
    names, optional = promised("reason")
    more = meridia("recall", "Why did publishing the website fail?", *demo.where, "--json").json
    pending = [hit["trace"] for hit in hits + more["hits"]]
    seen = set()
    while pending:
        reason = pending.pop()
        assert names - optional <= set(reason) <= names
        seen |= set(reason)
        pending += reason.get("children", [])
    # Paths are those of a walk, which is drawn and may bring nothing.
    assert names - {"hops", "path"} <= seen <= names


def test_acknowledgements_and_imports_have_the_names_that_are_promised(meridia, db, tmp_path):
    (line,) = meridia("capture", "--db", db, "--json", stdin=EVENT).lines
    assert set(line) == promised("capture")[0]
    (tmp_path / "a.jsonl").write_text(EVENT)
    done = meridia("import", "--no-enrich", "--db", db, "--json", tmp_path / "a.jsonl").json
    assert set(done) == {
        *("cleaned", "cut", "forgotten", "imported", "problems", "read", "redacted")
    }
    names = re.findall(r'"(\w+)"', ROWS["import"])
    assert set(done["imported"][0]) == set(names) - set(done)


@pytest.mark.parametrize("name", ["people", "sessions", "entities", "spaces"])
def test_lists_are_lists_of_objects(meridia, demo, name):
    found = meridia(name, *demo.where, "--json").json
    assert found
    assert len({frozenset(row) for row in found}) == 1


def test_what_is_asked_after_an_answer_has_the_names_that_are_promised(meridia, demo):
    recall = meridia("recall", "boat", *demo.where, "--json", "--limit", 2).json
    first = recall["hits"][0]["id"]
    whole = meridia("why", recall["recall"], *demo.where, "--json").json
    assert set(whole) == promised("recall")[0]
    one = meridia("why", recall["recall"], first, *demo.where, "--json").json
    assert one["hits"] == whole["hits"][:1]
    why_not = meridia("why-not", recall["recall"], "d1-01", *demo.where, "--json").json
    assert set(why_not) == promised("why-not")[0]
    assert set(why_not["lacked"][0]) == {"term", "its", "last"}
    (edge, *_) = meridia("what-if", recall["recall"], first, *demo.where, "--json").json
    assert set(edge) == promised("what-if")[0]
    assert set(edge["edge"]) == {"type", "source", "target", "description"}
    replay = meridia("replay", recall["recall"], *demo.where, "--json").json
    assert set(replay) == promised("replay")[0]
    assert {frozenset(row) for row in replay["then"]} == {frozenset({"id", "score"})}
