"""Failures and fixes: what solved what, and how it worked in the end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.runs.fixes import (
    attempt_of,
    attempts_of,
    describe_attempts,
    difference,
    find_failures,
    solution,
)
from tests.ingest.ingest_events import EVENTS, agent, result


def bash(command, output="ok", **fields):
    return result("bash", args={"command": command}, output=output, **fields)


def solved(*events):
    """Return for each failure its places, its fix, and how that worked."""
    attempts = [attempt_of(event) for event in events]
    return [
        (failure.places, failure.fix, "" if failure.fix is None else difference(attempts, failure))
        for failure in find_failures(attempts)
    ]


def update(**args):
    return {"reservation_id": "4NQLHD", "cabin": "economy", **args}


def test_the_arguments_that_differ_are_what_fixed_a_call():
    failed = result("update_reservation", args=update(payment="gift_card_1"), failed=True)
    worked = result("update_reservation", args=update(payment="credit_card_9"))
    assert solved(failed, agent("Another card?"), worked) == [
        ((0,), 2, "with payment credit_card_9 instead of gift_card_1")
    ]


def test_the_same_on_another_thing_solves_nothing():
    failed = result("get_reservation", args={"reservation_id": "AAA"}, failed=True)
    other = result("get_reservation", args={"reservation_id": "BBB"})
    assert solved(failed, other) == [((0,), None, "")]


def test_running_a_script_otherwise_solves():
    failed = bash("./deploy.sh", "bash: ./deploy.sh: Permission denied", failed=True)
    assert solved(failed, bash("bash deploy.sh")) == [((0,), 1, "as `bash deploy.sh`")]


def test_another_step_of_the_same_program_solves_nothing():
    failed = bash("git push origin main", "! [rejected] main (fetch first)", failed=True)
    pull, push = bash("git pull --rebase origin main"), bash("git push origin main")
    assert solved(failed, pull) == [((0,), None, "")]
    assert solved(failed, pull, push) == [((0,), 2, "after git pull --rebase origin main")]
    denied = bash("docker push acme/web", "denied: access forbidden", failed=True)
    assert solved(denied, bash("docker pull acme/web")) == [((0,), None, "")]


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("ssh web1 uptime", "ssh web2 uptime"),
        ("kubectl get pods -n prod", "kubectl get pods -n dev"),
    ],
)
def test_the_answer_of_another_host_or_namespace_solves_nothing(asked, other):
    failed = bash(asked, "connection timed out", failed=True)
    assert solved(failed, bash(other)) == [((0,), None, "")]


@pytest.mark.parametrize("command", ["git merge --abort", "git rebase --quit"])
def test_giving_up_solves_nothing(command):
    failed = bash(command.rpartition(" ")[0] + " dev", "CONFLICT (content)", failed=True)
    assert solved(failed, bash(command)) == [((0,), None, "")]


def test_what_a_program_reads_in_its_command_line_is_no_command():
    script = "python - <<'END'\nimport yaml\nEND"
    failed = bash(script, "ModuleNotFoundError: No module named 'yaml'", failed=True)
    install = bash("pip install yaml")
    assert solved(failed, install) == [((0,), None, "")]
    assert solved(failed, install, bash(script)) == [((0,), 2, "after pip install yaml")]


@pytest.mark.parametrize(
    ("words", "failed"),
    [
        ("My edit did not change the loop. I will look again.", True),
        ("That didn't work.", True),
        ("The test still fails with the same message.", True),
        ("It works now.", False),
        ("If that did not work, we take the other one.", False),
        ("Now I run the tests.", False),
    ],
)
def test_a_call_failed_of_which_the_agent_says_so_right_after(words, failed):
    (attempt, _) = attempts_of([bash("python try.py", "344"), agent(words)])
    assert attempt is not None
    assert attempt.failed is failed
    assert attempt.reason in words
    assert bool(attempt.reason) is failed


def test_another_way_to_find_the_user_solves():
    failed = result("find_user_by_email", args={"email": "ada@example.com"}, failed=True)
    worked = result("find_user_by_name", args={"name": "Ada"})
    assert solved(failed, worked) == [((0,), 1, "with find_user_by_name Ada")]


def test_what_was_edited_between_is_what_fixed_a_command():
    edit = result("edit", args={"path": "ci/Dockerfile", "old": "gcc", "new": "gcc libproj-dev"})
    notes = result("edit", args={"path": "docs/ci.md", "old": "a", "new": "b"})
    steps = [bash("make", failed=True), bash("git log"), edit, notes, bash("make")]
    assert solved(*steps) == [((0,), 4, "after edit ci/Dockerfile: gcc libproj-dev instead of gcc")]


def test_a_command_line_that_worked_is_quoted():
    worked = "truncate -s 0 big.log && release --to 0.8 --node 2"
    assert solved(bash("release --to 0.8", failed=True), bash(worked)) == [
        ((0,), 1, f"as `{worked}`")
    ]


@pytest.mark.parametrize(
    ("printed", "is_solved"),
    [
        ("FAILED tests/test_a.py::test_x - KeyError: 1", True),
        ("FAILED tests/test_a.py::test_x - KeyError\nFAILED tests/test_b.py::test_y - E", False),
        ("1 failed", False),
    ],
)
def test_a_part_solves_the_whole_only_if_nothing_else_failed(printed, is_solved):
    failed = bash("pytest -q", printed, failed=True)
    ((_, fix, _),) = solved(failed, bash("pytest -q tests/test_a.py"))
    assert (fix == 1) is is_solved


def test_of_what_failed_again_the_last_stands_for_all_and_each_reason_is_apart():
    def call(payment, reason=""):
        args = update(payment=payment)
        return result("update_reservation", args=args, output=reason, failed=bool(reason))

    poor = "Error: balance is not enough"
    events = [call("gift_1", poor), call("gift_2", poor), call("voucher_3", "Error: no vouchers")]
    attempts = [attempt_of(event) for event in events]
    (left,) = find_failures(attempts)
    assert (left.places, left.fix) == ((0, 1, 2), None)
    assert describe_attempts(attempts, left) == (
        "update_reservation failed 3 times, the last time: “Error: no vouchers”"
    )
    assert [places for places, _, _ in solved(*events, call("card_4"))] == [(0, 1), (2,)]


def test_a_failure_is_told_with_the_line_that_says_why():
    printed = "building\na.c:4: fatal error: proj.h: No such file or directory\nmake: *** Error 1"
    attempts = [attempt_of(bash("make wheel", printed, failed=True))]
    (failure,) = find_failures(attempts)
    assert describe_attempts(attempts, failure) == (
        "`make wheel` failed: “a.c:4: fatal error: proj.h: No such file or directory”"
    )


@given(st.lists(EVENTS, max_size=12))
def test_every_failure_is_counted_once_and_solved_by_a_later_success(events):
    attempts = [attempt_of(event) for event in events]
    failures = find_failures(attempts)
    places = [place for failure in failures for place in failure.places]
    assert sorted(places) == [n for n, a in enumerate(attempts) if a is not None and a.failed]
    for failure in failures:
        if failure.fix is not None:
            fix = attempts[failure.fix]
            assert fix is not None
            assert not fix.failed
            assert failure.fix > failure.places[-1]
            assert len(difference(attempts, failure)) <= 200


def test_where_no_difference_is_known_only_that_a_later_call_did_not_fail_is_said():
    attempts = [attempt_of(bash("make", failed=True)), attempt_of(bash("make"))]
    (failure,) = find_failures(attempts)
    assert solution(attempts, failure) == "a later call did not fail"


def test_other_tests_of_what_failed_show_that_it_works():
    failed = bash(
        "tox -q", "py312: commands failed\nFAILED tests/test_gaps.py::test_fill", failed=True
    )
    assert solved(failed, bash("pytest -q tests/test_rates.py", "9 passed"))[0][1] is None
    assert solved(failed, bash("pytest -q tests/test_gaps.py", "9 passed"))[0][1] == 1


def test_a_command_in_a_longer_line_worked_by_what_was_changed_between():
    failed = bash("kubectl rollout status deploy/pay", "error: timed out", failed=True)
    edited = result("edit", args={"path": "a.yaml", "old": "port: 80", "new": "port: 81"})
    worked = bash("kubectl apply -f a.yaml && kubectl rollout status deploy/pay")
    assert solved(failed, edited, worked) == [
        ((0,), 2, "after edit a.yaml: port: 81 instead of port: 80")
    ]


def test_another_tool_that_does_the_same_to_the_same_thing_solves_a_refusal():
    args = {"order_id": "W12", "item_ids": ["A1", "A2"], "payment_method_id": "card_9"}
    failed = result("modify_pending_order_items", args=args, failed=True)
    worked = result("exchange_delivered_order_items", args=args)
    other = result("cancel_pending_order", args={"order_id": "W12", "reason": "too late"})
    assert [fix for _, fix, _ in solved(failed, worked)] == [1]
    assert [fix for _, fix, _ in solved(failed, other)] == [None]
