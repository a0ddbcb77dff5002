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
        ("npm run build", "yarn build", True),
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
        ("cargo build", "cargo test", True),
        ("go build ./...", "go test ./...", True),
        ("git merge feature", "git commit -m merge", True),
        ("npm test", "npx jest", True),
        ("npm test", "npx jest src/a.test.js", False),
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


def test_another_program_on_the_same_things_solves_only_at_once_and_if_it_changes_something():
    failed, success = run("rsync -a out/ host:/srv", failed=True), run("scp -r out/ host:/srv")
    assert solves(success, failed, at_once=True)
    assert not solves(success, failed)
    assert not solves(run("ls out/ host:/srv"), failed, at_once=True)


NOT_FOUND = {"output": "cat: no such file or directory", "failed": True}


@pytest.mark.parametrize(
    ("failure", "success", "solved"),
    [
        ("cat src/uitls.py", "cat src/utils.py", True),
        ("cat src/utils.py", "cat src/core/utils.py", True),
        ("pytest tests/test_user.py", "pytest tests/unit/test_user.py", True),
        ("cat src/a.py", "cat src/b.py", False),
        ("cat chapter1.md", "cat chapter2.md", False),
    ],
)
def test_a_mistyped_or_moved_file_is_known_again(failure, success, solved):
    assert solves(run(success), run(failure, **NOT_FOUND), at_once=True) is solved
    assert solves(run(success), run(failure, **NOT_FOUND)) is solved


def test_another_check_at_once_solves_nothing():
    failed = run("pytest tests/a/test_user.py", output="1 failed", failed=True)
    assert not solves(run("pytest tests/b/test_user.py"), failed, at_once=True)
    assert not solves(run("make lint"), run("make test", failed=True), at_once=True)


@pytest.mark.parametrize(
    ("wrong", "right", "printed", "solved"),
    [
        ("#W2378165", "#W2378156", "order not found", True),
        ("4WQ15O", "4WQ150", "order not found", True),
        ("#W2378165", "#W2378156", "order cannot be cancelled", False),
        ("#W1001", "#W1002", "order not found", False),
        ("#W2378156", "#W9182736", "order not found", False),
    ],
)
def test_a_mistyped_number_is_known_again_where_there_was_none(wrong, right, printed, solved):
    failed = result("cancel_order", args={"order_id": wrong}, output=printed, failed=True)
    worked = tool_intent_of(result("cancel_order", args={"order_id": right}))
    assert solves(worked, tool_intent_of(failed)) is solved


def test_another_file_of_one_folder_is_another_thing():
    failed = result("read_file", args={"path": "src/a.py"}, output="not found", failed=True)
    assert not solves(
        tool_intent_of(result("read_file", args={"path": "src/b.py"})), tool_intent_of(failed)
    )
    absolute = tool_intent_of(result("read_file", args={"path": "/home/src/a.py"}))
    assert solves(absolute, tool_intent_of(failed))


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
