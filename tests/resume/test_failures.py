"""What tools failed at: open until a later call of the same purpose works, anywhere."""

from __future__ import annotations

from dataclasses import replace

from meridia.core.vocabulary import Trigger
from meridia.language.runs.fixes import Attempt, attempt_of
from meridia.language.runs.tool_intent import ToolIntent
from meridia.resume.failures import failures_of
from tests.ingest.ingest_events import result
from tests.resume.experience_builders import agent, experience


def step(seq, command, reason="", session="s1", tool="bash"):
    event = result(tool, args={"command": command}, output=reason, failed=bool(reason))
    attempt = attempt_of(event)
    return experience(seq, "", None, session, "tool_result", tool=tool, attempt=attempt)


def test_a_failure_is_open_until_the_same_call_works_in_the_same_session():
    first = step(1, "publish site", "fatal: no space left")
    other = step(2, "print labels", "jammed", session="s2")
    assert [failure.opened.id for failure in failures_of([first, other])] == ["m1", "m2"]
    elsewhere = step(3, "publish site", session="s3")
    assert all(failure.is_open for failure in failures_of([first, other, elsewhere]))
    worked = step(4, "publish site --now")
    solved, left = failures_of([first, agent(2, "I'll look."), other, worked])
    assert [memory.id for memory in solved.memories] == ["m1", "m4"]
    assert not solved.is_open
    assert solved.text == "`publish site` failed: “fatal: no space left”"
    assert solved.fix == "it worked as `publish site --now`"
    assert (left.is_open, left.tool, left.text) == (True, "bash", "`print labels` failed: “jammed”")


def test_another_call_of_the_tool_solves_nothing():
    (failure,) = failures_of([step(1, "publish site", "no"), step(2, "make pages")])
    assert failure.is_open


def test_what_nothing_solved_stays_until_a_user_says_that_it_works():
    other_way = step(2, "publish site", tool="upload")
    failed = step(1, "publish site", "no")
    assert failures_of([failed, other_way])[0].is_open
    praise = replace(experience(3, "It works!", "Dana"), trigger=Trigger.POSITIVE_FEEDBACK)
    assert failures_of([failed, other_way, praise]) == []
    cannot = reported(1, "I couldn't find the order.")
    assert failures_of([cannot])[0].is_open
    assert failures_of([cannot, step(2, "ls orders")]) == []


def test_of_a_call_that_keeps_failing_the_last_time_stands_for_all():
    (failure,) = failures_of([step(n, "publish site", "no") for n in range(3)])
    assert failure.memories[0].id == "m2"
    assert failure.text == "`publish site` failed 3 times, the last time: “no”"


def test_of_a_person_only_what_they_asked_for():
    asked = [experience(1, "Build it.", "Dana"), step(2, "build", "no"), agent(3, "It failed.")]
    then = [experience(4, "Print it.", "Oskar"), step(5, "print", "jammed")]
    elsewhere = [step(6, "sweep", "no broom", session="s2")]
    lived = [*asked, *then, *elsewhere]
    assert [failure.opened.id for failure in failures_of(lived, "Dana")] == ["m2"]
    assert [failure.opened.id for failure in failures_of(lived, "Oskar")] == ["m5"]
    assert len(failures_of(lived)) == 3


def reported(seq, text):
    attempt = Attempt(ToolIntent("", failed=True), None, text)
    return replace(agent(seq, text), attempt=attempt)


def test_what_the_agent_told_is_open_until_an_answer_helped():
    unable = reported(1, "I couldn't find it. What is your number?")
    (failure,) = failures_of([unable])
    assert failure.is_open
    assert failure.text == "the agent said: “I couldn't find it. What is your number?”"
    answer, found = experience(2, "It is 77.", "Dana"), replace(step(3, "get"), settles=True)
    (failure,) = failures_of([unable, answer, found])
    assert failure.fix == "it worked once it was answered: “It is 77.”"
    assert [memory.id for memory in failure.memories] == ["m1", "m3"]


def test_what_another_look_found_without_an_answer_is_told_so():
    asked = experience(1, "Where is my order?", "Dana")
    unable = reported(2, "I couldn't find it. Let me try the archive.")
    (failure,) = failures_of([asked, unable, replace(step(3, "get"), settles=True)])
    assert failure.fix == "another look found it"
