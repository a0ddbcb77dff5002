"""House rules of the statement files, checked by reading them."""

from __future__ import annotations

import re
from pathlib import Path

from meridia.graph.queries.query_guard import check_statement
from meridia.graph.schema import CYPHER, EDGES, LABELS, OWN_LABEL, comment, cypher

FILES = sorted(CYPHER.rglob("*.cypher"))
ENGINES = {"kglite", "neo4j"}
FOLDERS = {"named", "read", "schema", "traversal", "write"}
PLACEHOLDERS = {
    *("label", "type", "source", "target", "properties", "property", "index"),
    *("scope", "ours", "any_of_ours"),  # filled by the store: graph/schema.py
}
#: What one of the engines cannot do, or does otherwise (each was tried).
FORBIDDEN = {
    r"\bIN TRANSACTIONS\b": "kglite has none",
    r"\bUSING\b": "kglite has no hints",
    r"\belementId\b": "no engine's own id is kept",
    r":\w+\s*[&|!]\s*:?\w+\)": "kglite knows no label expressions",
    r"/\*": "kglite knows no block comments",
    r"\{id: [^}]*,": "only the key stands in a pattern: kglite scans for the rest",
}


def statement(file: Path) -> str:
    return cypher(str(file.relative_to(CYPHER).with_suffix("")))


def test_there_are_statements_in_every_folder_and_nowhere_else():
    assert {file.relative_to(CYPHER).parts[0] for file in FILES} - ENGINES == FOLDERS


def test_few_statements_are_of_one_engine():
    own = {file.stem for file in FILES if file.relative_to(CYPHER).parts[0] in ENGINES}
    # Neo4j: one plan for all labels and types, what others added, and vectors.
    assert own == {
        *("upsert_nodes", "upsert_edges", "added_to_nodes", "added_to_edges"),
        *("create_nodes", "create_edges"),
        *("set_vectors", "remove_vectors", "vectors_position", "move_vectors"),
        *("near_vectors", "compare_vectors"),
    }


def test_the_first_line_says_why():
    for file in FILES:
        first = file.read_text("utf-8").splitlines()[0]
        assert first.startswith("// ")
        assert comment(file).endswith(".")
        assert len(first) <= 100


def test_a_file_holds_one_statement_and_nothing_else():
    for file in FILES:
        text = statement(file)
        assert text
        assert ";" not in text
        assert "//" not in text
        assert file.read_text("utf-8").endswith("\n")
        assert max(map(len, text.splitlines())) <= 100


def test_a_statement_carries_its_space():
    for file in FILES:
        # Indexes and constraints are of the whole database.
        if file.parent.name != "schema":
            assert re.search(r"\$(space|projection)\b", statement(file))


def test_only_names_of_ours_are_put_into_a_statement():
    for file in FILES:
        assert set(re.findall(r"\{(\w+)\}", statement(file))) <= PLACEHOLDERS


def test_a_statement_keeps_to_what_both_engines_do_alike():
    for file in FILES:
        if file.relative_to(CYPHER).parts[0] in ENGINES:
            continue
        for pattern, why in FORBIDDEN.items():
            assert not re.search(pattern, statement(file)), why


def test_labels_and_types_written_out_are_of_the_schema():
    for file in FILES:
        written = set(re.findall(r":([A-Z]\w*)", statement(file)))
        known = set(LABELS) | set(EDGES) | {"Memory", OWN_LABEL}
        assert written - known == set()


def test_what_is_returned_has_a_name():
    for file in FILES:
        _, found, returned = statement(file).rpartition("RETURN ")
        if found:
            listed = re.split(r"\b(?:ORDER BY|LIMIT)\b", returned)[0]
            for part in re.split(r",(?![^(\[]*[)\]])", listed):
                assert re.search(r"\bAS \w+\s*$|^\s*(\w+|\{properties\})\s*$", part), part


def test_a_named_query_names_its_parameters_and_is_admitted():
    for file in [f for f in FILES if f.parent.name == "named"]:
        text = statement(file)
        asked = set(re.findall(r"\$(\w+)", text)) - {"space"}
        assert set(re.findall(r"\$(\w+)", comment(file))) == asked
        assert check_statement(text).text == text
        assert "LIMIT" in text or "UNWIND" in text
