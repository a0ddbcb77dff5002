"""Errands: which success solves which failure."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from meridia.core.codec import decode, encode
from meridia.language.runs.tool_intent import ToolIntent, solves, tool_intent_of
from tests.ingest.ingest_events import RESULTS, result


def run(command, **fields):
    return tool_intent_of(result("Bash", args={"command": command}, **fields))


@pytest.mark.parametrize(
    ("failure", "success", "solved"),
    [
        ("make", "make -j1", True),
        ("cd /src && make test", "make", True),
        ("pytest -x tests", "python -m pytest tests/test_a.py", False),
        ("pytest", "pytest -q tests/test_a.py", False),
        ("pytest tests/test_a.py", "pytest", True),
        ("python3 main.py", "python main.py", True),
        ("release --to 0.8", "truncate -s 0 log && release --to 0.8 --node 2", True),
        ("npm run build", "yarn build", False),
        ("make", "make --dry-run", False),
        ("pip install foo", "pip install --user foo", True),
        ("cat a.txt", "cat b.txt", False),
        ("FLAG=1 sudo make", "make", True),
        ("make", "ls", False),
        ("git push", "git status", False),
        ("npm test", "npm install", False),
        ("./build.sh /src/app.c", "cat /src/app.c", False),
        ("gcc /src/app.c", "clang /src/app.c", False),
        ("git push", "git push origin main", True),
        ("kubectl apply -f a.yaml", "kubectl apply -f a.yaml -n prod", True),
        ("cargo build", "cargo test", False),
        ("./deploy.sh", "bash deploy.sh", True),
        ("ssh web1 uptime", "ssh web2 uptime", False),
        ("cd api && npm test", "cd web && npm test", False),
        ("cd api && npm test", "cd api && npm test", True),
        ("npm test", "npm run build", False),
        ("gcc a.c 2>/dev/null", "clang b.c 2> /dev/null", False),
        ("make", "make clean && make", True),
        ("make", "make clean", False),
        ("make", "make -j 4 CC=clang all", True),
        ("make", "make clean && make docs", False),
        ("mvn package", "mvn clean package", True),
        ("pytest", "pytest -n 2 -p no:randomly", True),
    ],
)
def test_a_shell_solves_with_the_same_program_on_as_much_as_before(failure, success, solved):
    assert solves(run(success), run(failure, failed=True)) is solved


def test_what_works_in_another_directory_solves_nothing():
    failed = run("make", failed=True, metadata={"cwd": "/srv/api"})
    assert not solves(run("make", metadata={"cwd": "/srv/web"}), failed)
    assert not solves(run("cd web && make", metadata={"cwd": "/srv/api"}), failed)
    assert solves(run("cd api && make", metadata={"cwd": "/srv"}), failed)
    assert solves(run("make"), failed)


def test_an_editor_in_a_shell_works_on_the_file_that_it_has_open():
    refused = "The edit has a syntax error.\n[File: /repo/a.py (9 lines total)]"
    failed = run("edit 3:4\nreturn 1 +\nend_of_edit", output=refused, failed=True)
    assert failed.failed
    worked = "[File: /repo/{} (9 lines total)]\n3: return 1"
    command = "edit 3:3\nmake install\nend_of_edit"
    assert solves(run(command, output=worked.format("a.py")), failed)
    assert not solves(run(command, output=worked.format("b.py")), failed)
    assert not solves(run("make install"), failed)


def test_another_file_of_one_folder_is_another_thing():
    failed = result("read_file", args={"path": "src/a.py"}, output="not found", failed=True)
    assert not solves(
        tool_intent_of(result("read_file", args={"path": "src/b.py"})), tool_intent_of(failed)
    )


def test_another_use_of_a_tool_with_one_purpose_solves():
    failed = tool_intent_of(result("book_flight", args={"price": 375}, failed=True))
    assert solves(tool_intent_of(result("book_flight", args={"price": 385})), failed)
    assert not solves(tool_intent_of(result("get_flight", args={"price": 385})), failed)


def test_a_shell_whose_command_is_unknown_is_one_tool():
    assert solves(
        tool_intent_of(result("bash")),
        tool_intent_of(result("bash", failed=True)),
    )


def test_another_tool_solves_by_the_same_topic_unless_it_only_looks():
    failed = tool_intent_of(result("edit", args={"path": "./src/a.py"}, failed=True))
    assert solves(tool_intent_of(result("write", args={"file": "src/a.py"})), failed)
    assert not solves(tool_intent_of(result("write", args={"file": "src/b.py"})), failed)
    assert not solves(tool_intent_of(result("read", args={"file": "src/a.py"})), failed)


def test_the_caller_can_name_the_topic():
    failed = tool_intent_of(result("pay", failed=True, metadata={"topic": "Refund 7"}))
    assert solves(tool_intent_of(result("transfer", metadata={"topic": "refund 7"})), failed)
    assert not solves(tool_intent_of(result("transfer", metadata={"topic": "refund 8"})), failed)


def test_an_errand_keeps_no_path_and_no_command():
    intent = run("deploy --key hunter2 /secret/place", failed=True)
    written = json.dumps(encode(intent))
    assert intent.failed
    assert not any(word in written for word in ("hunter2", "secret", "deploy"))


@given(RESULTS)
def test_an_errand_written_and_read_again_is_the_same(event):
    intent = tool_intent_of(event)
    assert decode(ToolIntent, json.loads(json.dumps(encode(intent)))) == intent


@given(RESULTS)
def test_every_call_solves_its_own_failure(event):
    assert solves(tool_intent_of(event), tool_intent_of(event))
