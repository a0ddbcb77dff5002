"""The model pass: what a model says is added, and whatever a model does wrong, nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from meridia.core.settings import ModelSettings, Settings
from meridia.core.types import EntryKind
from meridia.ingest.capture.scoring import Scoring
from meridia.ingest.enrichment.model_pass import PROJECTION, VERSION, ModelPass
from meridia.models.answer_types import QuestionsAnswer
from meridia.models.budget import RetryPolicy
from meridia.models.model_client import ModelClient
from meridia.models.model_factory import open_model
from meridia.models.model_types import Model, ModelAnswer, ModelOutcome
from meridia.storage import work
from meridia.storage.store import Store, open_store
from meridia.storage.upkeep import rebuild_lists, verify
from tests.drafts import a_draft, recorded
from tests.fakes import TickingClock
from tests.ingest.model_session import (
    ASKED,
    ASKED_AT_FIRST,
    BUILD,
    FULL,
    GOOD,
    GREETING,
    HOME,
    LIGHT,
    LOOK,
    NEAR,
    WISH,
    a_day,
    add,
    by_model,
    contradict,
    episode,
    prompt_of,
    prompts_asked,
    questions,
    skeleton,
    well,
    whole,
)
from tests.model_server import ModelServer, Received, Reply, model_server

#: Two tries and next to no wait, so that a failing server does not hold up the tests.
QUICK = RetryPolicy(attempts_max=2, wait_s=0.01, pause_after=0)
#: A budget that never ends.
UNLIMITED = dict.fromkeys(
    ("calls_per_hour", "calls_per_day", "tokens_per_hour", "tokens_per_day"), 10**9
)
CAPTURED, REEVALUATED = EntryKind.EXPERIENCE_CAPTURED, EntryKind.EXPERIENCE_REEVALUATED
ENRICHED = EntryKind.EXPERIENCE_ENRICHED


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        running.by_rule = well
        yield running


@pytest.fixture
def client(server: ModelServer, clock: TickingClock) -> Iterator[Callable[..., ModelClient]]:
    """Yield a way to open clients of the server."""
    opened: list[ModelClient] = []

    def open_(policy: RetryPolicy = QUICK, **limits: int) -> ModelClient:
        address = {"dialect": "openai", "name": "m-1", "base_url": f"{server.origin}/v1"}
        settings = ModelSettings(**address, **{**UNLIMITED, **limits})
        opened.append(open_model(settings, policy=policy, clock=clock))
        return opened[-1]

    yield open_
    for client in opened:
        client.close()


def opinions_of(
    file: Store, model: Model | None, limits: ModelSettings | None = None, **more
) -> ModelPass:
    return ModelPass(file, lambda: model, limits or ModelSettings(), Scoring(), **more)


@pytest.fixture
def opinions(journal_file: Store, client) -> ModelPass:
    return opinions_of(journal_file, client())


def counts(file: Store) -> dict[str, int]:
    return file.space(HOME).tasks.counts()


def waiting(file: Store) -> list[work.Task]:
    return file.space(HOME).tasks.waiting()


def listed(file: Store, id: str) -> tuple[str, float]:
    """Return status and significance of an experience as they are listed."""
    row = file.database.connection.execute(
        "SELECT status, significance FROM experience WHERE id = ?", (id,)
    ).fetchone()
    return row[0], row[1]


def traced(file: Store) -> list[str]:
    return [line.decision for line in file.trace.read(HOME) if line.kind == "model"]


def at_the_end(file: Store, opinions: ModelPass) -> bool:
    return opinions.cursor(HOME) == file.journal.head(HOME).seq


def forget_cursor(file: Store, opinions: ModelPass) -> None:
    """Let the pass begin again, as if it had never run."""
    file.space(HOME).cursors.move(PROJECTION, VERSION - 1, 0)
    assert opinions.cursor(HOME) == 0


def test_a_model_is_asked_what_it_does_better_than_a_rule(journal_file, opinions, server):
    day = a_day(journal_file)
    assert opinions.catch_up(HOME)
    answers = {(entry.kind, entry.key) for entry in by_model(journal_file)}
    assert answers == {
        (REEVALUATED, f"{day.near}#decision"),
        (REEVALUATED, f"{day.look}#decision"),
        (ENRICHED, f"{day.near}#model"),
        (ENRICHED, f"{day.look}#model"),
        (ENRICHED, f"{day.wish}#model"),
        (EntryKind.QUESTIONS_ANTICIPATED, f"{day.near}#model"),
        (EntryKind.EPISODE_SYNTHESISED, f"{journal_file.journal.read(HOME)[5].key}#model"),
    }
    assert len(server.received) == len(traced(journal_file)) == ASKED
    assert counts(journal_file) == {"waiting": 0, "dead": 0}
    assert at_the_end(journal_file, opinions)


def test_an_answer_is_kept_with_who_gave_it(journal_file, opinions):
    a_day(journal_file)
    opinions.catch_up(HOME)
    for entry in by_model(journal_file):
        assert entry.payload is not None
        record = recorded(entry)["model"]
        assert (record["outcome"], record["model"]) == ("answered", "scripted-1")
        assert record["prompt"] in GOOD
        assert record["prompt_version"] >= 1
        assert "detail" not in record


def test_a_skeleton_that_a_model_values_is_raised_with_its_whole_event(journal_file, opinions):
    (id,) = add(journal_file, skeleton())
    opinions.catch_up(HOME)
    (raised,) = by_model(journal_file, REEVALUATED)
    assert raised.payload is not None
    assert (recorded(raised)["experience"], recorded(raised)["status"]) == (
        id,
        "upgraded",
    )
    assert recorded(raised)["event"] == LOOK
    assert recorded(raised)["reason"].endswith(GOOD["decision"]["reason"])
    assert listed(journal_file, id) == ("upgraded", 0.7)
    assert "oak" in journal_file.catalog.find(HOME, id).text


@pytest.mark.parametrize(
    ("score", "status"), [(0.5, "upgraded"), (0.49, "skeleton"), (0.2, "noise"), (0.0, "noise")]
)
def test_a_score_raises_or_lowers_a_skeleton(journal_file, opinions, server, score, status):
    (id,) = add(journal_file, skeleton())
    server.will(Reply(json.dumps({"score": score})))
    opinions.catch_up(HOME)
    assert listed(journal_file, id) == (status, score)
    assert journal_file.journal.read(HOME)[0].provisional == LOOK, "nothing is thrown away"


@pytest.mark.parametrize("score", [0.05, 0.3, 0.9])
def test_what_was_captured_stays_captured_whatever_its_score(journal_file, opinions, server, score):
    (id,) = add(journal_file, whole(BUILD, NEAR))
    server.will(Reply(json.dumps({"score": score})))
    opinions.catch_up(HOME)
    assert listed(journal_file, id) == ("evaluated", score)
    (lowered,) = by_model(journal_file, REEVALUATED)
    assert lowered.payload is not None
    assert "event" not in recorded(lowered)
    assert journal_file.catalog.find(HOME, id).text


def test_what_was_raised_since_by_its_neighbourhood_is_not_lowered(journal_file, opinions, server):
    (id,) = add(journal_file, skeleton())

    def meanwhile(request: Received) -> Reply:
        payload = {"experience": id, "status": "upgraded", "significance": 0.8, "event": LOOK}
        add(journal_file, a_draft(REEVALUATED, id, payload))
        server.by_rule = well
        return Reply('{"score": 0.1}')

    server.by_rule = meanwhile
    opinions.catch_up(HOME)
    assert listed(journal_file, id) == ("upgraded", 0.8)
    assert prompts_asked(server) == ["decision", "phenomenology"]


def test_light_experiences_and_those_that_are_settled_are_not_asked_about(
    journal_file, opinions, server
):
    sure = {**NEAR, "near": False, "mode": "light"}
    (id,) = add(journal_file, whole(GREETING, LIGHT))
    add(
        journal_file,
        whole(BUILD, sure),
        skeleton(decision={"significance": 0.3, "status": "skeleton"}),
        skeleton(duplicate_of=id),
        skeleton(marks=["echo"]),
        whole(WISH, FULL, marks=["echo"]),
        whole({"kind": "session_boundary", "payload": {"type": "end"}}, FULL),
        questions(id, by="model"),
        episode(id, by="model"),
    )
    assert opinions.catch_up(HOME)
    assert server.received == []
    assert at_the_end(journal_file, opinions)


def slow(request: Received) -> Reply:
    return Reply("{}", wait_s=20.0)


BAD = {
    "429": (lambda request: Reply("slow down", status=429), "rate_limited"),
    "500": (lambda request: Reply("it broke", status=500), "server_error"),
    "slow": (slow, "timed_out"),
    "half": (lambda request: Reply(json.dumps(GOOD[prompt_of(request)]), cut=True), "server_error"),
    "nonsense": (lambda request: Reply("As a model of language I am glad."), "invalid"),
    "other JSON": (lambda request: Reply('{"answer": [1, 2]}'), "invalid"),
    "no JSON body": (lambda request: Reply(raw="<html>busy</html>"), "invalid"),
    "closed": (lambda request: Reply(drop=True), "server_error"),
}


@pytest.mark.parametrize("way", BAD)
def test_a_bad_server_loses_nothing_and_once_it_is_well_everything_is_completed(
    journal_file, client, server, way
):
    day = a_day(journal_file)
    before = journal_file.journal.read(HOME)
    server.by_rule, outcome = BAD[way]
    limits = (
        ModelSettings(decision_s=0.3, extraction_s=0.3, session_s=0.3) if way == "slow" else None
    )
    opinions = opinions_of(journal_file, client(), limits)

    assert opinions.catch_up(HOME), "it finishes"
    assert at_the_end(journal_file, opinions)
    assert journal_file.journal.read(HOME) == before, "what rules found stands"
    assert listed(journal_file, day.look) == ("skeleton", 0.45)
    assert len(traced(journal_file)) == ASKED_AT_FIRST
    failed = waiting(journal_file)
    assert len(failed) == ASKED_AT_FIRST
    assert all(task.error.startswith(outcome) and task.attempts == 1 for task in failed)

    server.by_rule = well
    assert opinions.catch_up(HOME)
    assert by_model(journal_file) == [], "it is not time yet"
    assert opinions.retry(HOME) == ASKED_AT_FIRST
    assert opinions.catch_up(HOME)
    assert len(by_model(journal_file)) == ASKED
    assert counts(journal_file) == {"waiting": 0, "dead": 0}
    assert list(verify(journal_file, HOME)) == []


def prose_around(request: Received) -> Reply:
    return Reply(f"Gladly!\n```json\n{json.dumps(GOOD[prompt_of(request)])}\n```\nAnything else?")


def out_of_range(request: Received) -> Reply:
    answer = json.loads(json.dumps(GOOD[prompt_of(request)]))
    if "emotionalSignature" in answer:
        answer["emotionalSignature"] |= {"intensity": 12, "valence": -7, "primary": ["blue"]}
    return Reply(json.dumps(answer))


def test_prose_around_an_answer_is_taken_off(journal_file, opinions, server):
    a_day(journal_file)
    server.by_rule = prose_around
    opinions.catch_up(HOME)
    assert len(by_model(journal_file)) == ASKED
    assert set(traced(journal_file)) == {"repaired"}


def test_degrees_out_of_range_are_moved_into_it_and_gaps_are_filled_by_rule(
    journal_file, opinions, server
):
    add(journal_file, whole(BUILD, FULL))
    server.by_rule = out_of_range
    opinions.catch_up(HOME)
    (described,) = by_model(journal_file, ENRICHED)
    assert described.payload is not None
    felt = recorded(described)["phenomenology"]["emotionalSignature"]
    assert (felt["intensity"], felt["valence"]) == (1.0, -1.0)
    assert felt["primary"] == ["concerned"], "the rule's word, where the model has none"
    assert recorded(described)["model"]["clamped"] == 2


def test_a_score_out_of_range_is_no_score(journal_file, opinions, server):
    (id,) = add(journal_file, skeleton())
    server.by_rule = lambda request: Reply('{"score": 7, "reason": "much"}')
    assert opinions.catch_up(HOME)
    (failed,) = waiting(journal_file)
    assert failed.error.startswith("invalid: score: ")
    assert listed(journal_file, id) == ("skeleton", 0.45)


@dataclass
class HalfCharacters:
    """A model whose words no journal can keep, as no client should let through."""

    asked: int = 0

    def ask(self, prompt, variables, answer_type, time_limit_s, at=None) -> ModelAnswer:
        self.asked += 1
        value = QuestionsAnswer(questions=("Where is \ud800?",))
        return ModelAnswer(ModelOutcome.ANSWERED, value, "m", prompt.name, 1, attempts=1)

    def close(self) -> None:
        """Hold nothing."""


def test_an_answer_that_cannot_be_kept_is_a_failure_and_does_not_stop_the_pass(journal_file):
    first, second = add(journal_file, whole(GREETING, LIGHT), whole(GREETING, LIGHT))
    add(journal_file, questions(first), questions(second))
    model = HalfCharacters()
    opinions = opinions_of(journal_file, model)
    assert opinions.catch_up(HOME)
    assert model.asked == 2
    assert {task.error.split(":")[0] for task in waiting(journal_file)} == {"invalid"}
    assert at_the_end(journal_file, opinions)


def test_the_name_that_a_server_gives_its_model_is_kept_as_far_as_it_is_text(
    journal_file, opinions, server
):
    add(journal_file, skeleton())
    answer = json.loads(Reply(json.dumps(GOOD["decision"])).body(messages=False))
    server.will(Reply(raw=json.dumps(answer | {"model": "m\ud800-" + "x" * 5000})))
    assert opinions.catch_up(HOME)
    (raised,) = by_model(journal_file, REEVALUATED)
    assert raised.payload is not None
    assert recorded(raised)["model"]["model"] == "m-" + "x" * 196 + "…"


def test_a_contradiction_is_settled_once_the_server_is_well(journal_file, opinions, server):
    contradict(journal_file)
    server.by_rule = BAD["nonsense"][0]
    assert opinions.catch_up(HOME)
    assert [task.stage for task in waiting(journal_file)] == ["model:facts"]
    server.by_rule = well
    opinions.retry(HOME)
    assert opinions.catch_up(HOME)
    (answer,) = by_model(journal_file)
    assert answer.payload is not None
    assert (answer.kind, recorded(answer)["fact"]) == (EntryKind.FACT_SUPERSEDED, "fact_1")
    assert recorded(answer)["relation"] == "supersedes"
    assert counts(journal_file) == {"waiting": 0, "dead": 0}


def test_an_opinion_that_changes_nothing_is_no_entry_and_no_failure(journal_file, opinions, server):
    contradict(journal_file)
    server.will(Reply('{"relation": "unrelated", "confidence": 0.9}'))
    assert opinions.catch_up(HOME)
    assert at_the_end(journal_file, opinions)
    assert opinions.catch_up(HOME)
    assert len(server.received) == 1
    assert by_model(journal_file) == []
    assert counts(journal_file) == {"waiting": 0, "dead": 0}


def test_neither_a_dead_letter_nor_the_trace_says_what_was_said(journal_file, opinions, server):
    a_day(journal_file)
    server.by_rule = lambda request: Reply('{"score": "Dana wept", "questions": "keel", "x": 1}')
    opinions.catch_up(HOME)
    texts = [task.error for task in waiting(journal_file)]
    texts += [json.dumps(line.as_json()) for line in journal_file.trace.read(HOME)]
    assert texts
    assert not any(word in line for line in texts for word in ("wept", "keel", "launched"))


def test_what_keeps_failing_becomes_a_dead_letter_and_is_left_until_somebody_asks(
    journal_file, opinions, server, clock
):
    (id,) = add(journal_file, skeleton())
    server.by_rule = BAD["500"][0]
    for _ in range(5):
        assert opinions.catch_up(HOME)
        clock.now += timedelta(hours=2)
    assert counts(journal_file) == {"waiting": 0, "dead": 1}
    asked = len(server.received)
    server.by_rule = well
    assert opinions.catch_up(HOME)
    assert len(server.received) == asked
    assert opinions.retry(HOME) == 1
    assert opinions.catch_up(HOME)
    assert listed(journal_file, id)[0] == "upgraded"
    assert counts(journal_file) == {"waiting": 0, "dead": 0}


def test_a_dead_letter_is_left_alone_even_by_a_pass_that_begins_again(
    journal_file, opinions, server, clock
):
    add(journal_file, skeleton())
    server.by_rule = BAD["500"][0]
    for _ in range(5):
        opinions.catch_up(HOME)
        clock.now += timedelta(hours=2)
    server.received.clear()
    forget_cursor(journal_file, opinions)
    assert opinions.catch_up(HOME)
    assert server.received == []
    assert counts(journal_file) == {"waiting": 0, "dead": 1}


def test_a_failed_question_is_asked_again_when_its_time_has_come(
    journal_file, opinions, server, clock
):
    add(journal_file, whole(WISH, FULL))
    server.will(Reply("no", status=500), Reply("no", status=500))
    opinions.catch_up(HOME)
    opinions.catch_up(HOME)
    assert by_model(journal_file) == []
    clock.now += timedelta(minutes=2)
    opinions.catch_up(HOME)
    assert len(by_model(journal_file)) == 1


def test_a_server_that_is_left_alone_does_not_use_up_the_attempts(
    journal_file, client, server, clock
):
    add(journal_file, *[whole(WISH | {"id": str(n)}, FULL) for n in range(9)])
    opinions = opinions_of(journal_file, client(replace(QUICK, pause_after=2, pause_s=600.0)))
    server.by_rule = BAD["500"][0]
    assert opinions.catch_up(HOME)
    asked = len(server.received)
    assert [task.attempts for task in waiting(journal_file)] == [1] * 9
    for _ in range(5):
        clock.now += timedelta(hours=1)
        assert opinions.catch_up(HOME)
    assert len(server.received) == asked
    assert [task.attempts for task in waiting(journal_file)] == [1] * 9


def test_a_spent_budget_stops_the_pass_where_it_is_and_makes_no_dead_letter(
    journal_file, client, server, clock
):
    day = a_day(journal_file)
    opinions = opinions_of(journal_file, client(calls_per_hour=1))
    assert not opinions.catch_up(HOME)
    assert opinions.cursor(HOME) == 0, "one of its two questions is still open"
    assert not opinions.catch_up(HOME)
    assert [entry.key for entry in by_model(journal_file)] == [f"{day.near}#decision"]
    assert counts(journal_file) == {"waiting": 0, "dead": 0}
    for _ in range(ASKED - 1):
        clock.now += timedelta(hours=1)
        opinions.catch_up(HOME)
    assert at_the_end(journal_file, opinions)
    assert len(by_model(journal_file)) == len(server.received) == ASKED, "nothing was asked twice"


def test_a_spent_budget_does_not_count_against_what_failed_before(
    journal_file, client, server, clock
):
    add(journal_file, whole(WISH, FULL))
    opinions = opinions_of(journal_file, client(calls_per_hour=2))
    server.by_rule = BAD["500"][0]
    assert opinions.catch_up(HOME)
    clock.now += timedelta(minutes=5)
    assert not opinions.catch_up(HOME)
    assert [task.attempts for task in waiting(journal_file)] == [1]


def test_without_a_model_nothing_moves_and_a_later_one_begins_at_the_beginning(
    journal_file, client
):
    a_day(journal_file)
    assert opinions_of(journal_file, None).catch_up(HOME)
    assert opinions_of(journal_file, None).cursor(HOME) == 0
    assert traced(journal_file) == []
    opinions_of(journal_file, client()).catch_up(HOME)
    assert len(by_model(journal_file)) == ASKED


def test_what_is_erased_while_a_model_thinks_does_not_come_back(journal_file, opinions, server):
    add(journal_file, whole(WISH, FULL))

    def erased(request: Received) -> Reply:
        # Another connection writes while the model is asked: no transaction is open meanwhile.
        with journal_file.database.writing() as connection:
            connection.execute("DELETE FROM payload")
        return well(request)

    server.by_rule = erased
    assert opinions.catch_up(HOME)
    assert len(server.received) == 1
    assert by_model(journal_file) == []
    assert counts(journal_file) == {"waiting": 0, "dead": 0}


def test_what_was_erased_is_not_asked_about_and_its_task_is_over(journal_file, opinions, server):
    add(journal_file, whole(WISH, FULL), skeleton())
    server.by_rule = BAD["500"][0]
    opinions.catch_up(HOME)
    with journal_file.database.writing() as connection:
        connection.execute("DELETE FROM payload")
    server.received.clear()
    opinions.retry(HOME)
    assert opinions.catch_up(HOME)
    assert server.received == []
    assert counts(journal_file) == {"waiting": 0, "dead": 0}


def test_a_skeleton_whose_event_has_expired_is_not_asked_about(journal_file, opinions, server):
    add(journal_file, skeleton())
    with journal_file.database.writing() as connection:
        connection.execute("DELETE FROM provisional")
    assert opinions.catch_up(HOME)
    assert server.received == []


@pytest.mark.parametrize("bad", [False, True])
def test_two_processes_at_once_neither_write_twice_nor_count_twice(
    journal_file, journal_path, client, server, clock, bad
):
    add(journal_file, whole(WISH, FULL))
    other_file = open_store(journal_path, Settings(), clock)
    other = opinions_of(other_file, client())

    def both(request: Received) -> Reply:
        if len(server.received) == 1:
            other.catch_up(HOME)  # the other process asks and writes while this one waits
        return BAD["500"][0](request) if bad else well(request)

    server.by_rule = both
    try:
        assert opinions_of(journal_file, client()).catch_up(HOME)
    finally:
        other_file.close()
    assert len(by_model(journal_file)) == (0 if bad else 1)
    assert [task.attempts for task in waiting(journal_file)] == ([1] if bad else [])


def test_a_rebuild_asks_nobody(journal_file, opinions, server):
    day = a_day(journal_file)
    opinions.catch_up(HOME)
    before = [listed(journal_file, id) for id in (day.near, day.look, day.greeting, day.wish)]
    entries = journal_file.journal.read(HOME)
    server.received.clear()
    rebuild_lists(journal_file, HOME)
    forget_cursor(journal_file, opinions)
    assert opinions.catch_up(HOME)
    assert server.received == []
    assert journal_file.journal.read(HOME) == entries
    after = [listed(journal_file, id) for id in (day.near, day.look, day.greeting, day.wish)]
    assert after == before


def test_it_stops_when_it_is_told_to_and_goes_on_later(journal_file, opinions, server):
    a_day(journal_file)
    turns = iter([True, False])
    reports: list[tuple[int, int]] = []
    should_continue = lambda: next(turns)  # noqa: E731
    assert not opinions.catch_up(
        HOME, should_continue, lambda done, total: reports.append((done, total))
    )
    assert opinions.cursor(HOME) == 1
    assert reports[0] == (0, 6)
    assert opinions.catch_up(HOME)
    assert len(by_model(journal_file)) == len(server.received) == ASKED


def test_it_does_not_overtake_the_rules(journal_file, client):
    a_day(journal_file)
    far = iter([1, 1, 1, 99, 99, 99, 99])
    opinions = opinions_of(journal_file, client(), limit_of=lambda space: next(far))
    assert opinions.catch_up(HOME)
    assert opinions.cursor(HOME) == 1
    assert len(by_model(journal_file)) == 2
    opinions.catch_up(HOME)
    opinions.catch_up(HOME)
    assert len(by_model(journal_file)) == ASKED


def test_only_its_own_failed_work_is_taken_up(journal_file, opinions, server, clock):
    add(journal_file, whole(GREETING, LIGHT))
    journal_file.space(HOME).tasks.fail(1, "understanding", "e", clock())
    clock.now += timedelta(hours=1)
    assert opinions.catch_up(HOME)
    assert counts(journal_file) == {"waiting": 1, "dead": 0}
