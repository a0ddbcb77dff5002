"""The HTTP API as a caller sees it: a whole story, errors, idempotency, pages, the description."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from meridia.core.settings import DaydreamSettings
from meridia.service.operations import OPERATIONS
from meridia.storage.api_keys import Access
from tests.service.conftest import SETTINGS, run_service, say


def ok(answer):
    """Return the document of an answer that is none of an error."""
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer, status, code):
    """Check that an answer is a problem document."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem["code"]) == (status, code)
    return problem["detail"]


def test_the_whole_story(admin):
    event = {"kind": "user_message", "person": "Dana", "payload": {"text": "I bought red shoes."}}
    first = ok(admin.post("/v1/capture", json=event))
    say(admin, "The race is on the 12th of May.", person="Dana", session="s1")
    recall = ok(admin.post("/v1/recall", json={"question": "I bought red shoes."}))
    assert recall["hits"][0]["id"] == first["id"]
    assert recall["hits"][0]["why"].endswith(".")
    explained = ok(admin.get("/v1/explain", params={"recall": recall["recall"], "address": "1"}))
    assert sum_of(explained["hits"][0]["trace"]) == pytest.approx(recall["hits"][0]["score"])
    assert ok(admin.get("/v1/why-not", params={"address": first["id"]}))["cause"] == "recalled"
    pack = ok(admin.post("/v1/resume", json={"person": "Dana"}))
    assert "red shoes" in pack["text"]
    feedback = {"address": first["id"], "verdict": "useful"}
    assert ok(admin.post("/v1/feedback", json=feedback))["feedback"]
    shown = ok(admin.get("/v1/show", params={"address": first["id"]}))
    assert shown["text"] == "I bought red shoes."
    assert ok(admin.post("/v1/forget", json={"ids": [first["id"]]}))["memories"] == 1
    assert ok(admin.get("/v1/show", params={"address": first["id"]}))
    done = ok(admin.post("/v1/forget", json={"ids": [first["id"]], "dry_run": False}))
    assert done["receipt"]
    refused(admin.get("/v1/show", params={"address": first["id"]}), 404, "not_found")
    again = ok(admin.post("/v1/recall", json={"question": "I bought red shoes."}))
    assert "red shoes" not in str(again["hits"])


def test_the_doctor_is_for_who_administers_and_changes_nothing(service, admin):
    say(admin, "Jonas lives in Bern.", person="Dana")
    service.memory.enrich()
    before = service.memory.status().seq
    items = ok(admin.get("/v1/doctor", params={"quick": True}))["items"]
    assert not any(finding["damage"] for finding in items)
    with service.client("default", access=Access.WRITE) as writer:
        refused(writer.get("/v1/doctor"), 403, "refused")
    assert service.memory.status().seq == before


def sum_of(node):
    """Sum the leaves of a trace."""
    children = node.get("children", [])
    return sum(map(sum_of, children)) if children else node["value"]


def test_every_read_answers_over_a_space_with_something_in_it(admin):
    first = say(admin, "Jonas lives in Bern.", person="Dana", session="s1")
    ok(admin.post("/v1/recall", json={"question": "Where does Jonas live?"}))
    given = {
        "question": "Where does Jonas live?",
        "statement": "MATCH (e:Experience) RETURN count(e) AS n",
        "person": "Dana",
        "address": first["id"],
    }
    answers = {}
    for operation in OPERATIONS:
        if operation.access is not Access.READ:
            continue
        required = operation.parameters.model_json_schema().get("required", [])
        named = {name: given[name] for name in required if name in given}
        if operation.takes_query:
            answer = admin.get(operation.path, params=named)
        else:
            answer = admin.post(operation.path, json=named)
        answers[operation.name] = ok(answer)
    assert answers["query"]["rows"] == [[1]]
    assert answers["people"]["items"][0]["name"] == "Dana"
    assert answers["replay"]["identical"]
    assert answers["status"]["experiences"] == {"user_message": 1}


def test_lists_come_in_pages(admin):
    for number in range(5):
        say(admin, f"Message {number} of the day.", session=f"s{number}")
    page = ok(admin.post("/v1/list", json={"limit": 3}))
    rest = ok(admin.post("/v1/list", json={"limit": 3, "after": page["next_after"]}))
    assert [len(page["memories"]), len(rest["memories"])] == [3, 2]
    assert rest["next_after"] is None
    page = ok(admin.get("/v1/sessions", params={"limit": 4}))
    rest = ok(admin.get("/v1/sessions", params={"limit": 4, "after": page["next_after"]}))
    names = [session["session"] for session in page["items"] + rest["items"]]
    assert names == [f"s{number}" for number in range(5)]


def test_what_the_inspector_asks_for(admin):
    say(admin, "Jonas lives in Bern.", person="Dana", session="s1")
    say(admin, "Bern is far from here.", person="Dana", session="s1")
    for text in ("Buy new shoes.", "The kettle is broken.", "It rained all day."):
        say(admin, text, session="s2")
    asked = [
        ok(admin.post("/v1/recall", json={"question": f"Who lives in Bern {number}?"}))["recall"]
        for number in range(3)
    ]
    passing = admin.post("/v1/recall", json={"question": "Bern", "keep": False})
    refused(admin.get("/v1/replay", params={"recall": ok(passing)["recall"]}), 404, "not_found")
    first = ok(admin.get("/v1/recalls", params={"limit": 2}))
    assert [item["recall"] for item in first["items"]] == asked[:0:-1]
    older = {"before": first["next_before"]}
    rest = ok(admin.get("/v1/recalls", params=older))
    assert [item["recall"] for item in rest["items"]] == asked[:1]
    assert rest["next_before"] is None
    graph = ok(admin.get("/v1/activation"))
    edge = next(edge for edge in graph["edges"] if edge["hop"] == 1)
    assert edge["along"]
    what = {"address": "1", "type": edge["type"], "source": edge["source"]}
    refused(admin.get("/v1/what-if", params=what), 422, "invalid_input")
    (item,) = ok(admin.get("/v1/what-if", params={**what, "target": edge["target"]}))["items"]
    assert item["rank"] == 1
    newest = ok(admin.get("/v1/journal", params={"limit": 2}))
    seqs = [entry["seq"] for entry in newest["items"]]
    assert seqs == sorted(seqs, reverse=True)
    older = ok(admin.get("/v1/journal", params={"before": newest["next_before"]}))
    assert older["items"][0]["seq"] < seqs[-1]
    assert older["items"][-1]["kind"] == "ExperienceCaptured"
    assert "Bern" not in str(older)
    assert ok(admin.get("/v1/failures"))["items"] == []


def test_an_idempotency_key_makes_a_write_one_entry(admin):
    headers = {"Idempotency-Key": "a-1"}
    body = {"text": "Call Jonas back."}
    first = ok(admin.post("/v1/remember", json=body, headers=headers))
    again = ok(admin.post("/v1/remember", json=body, headers=headers))
    assert (again["id"], again["outcome"]) == (first["id"], "redelivered")
    other = admin.post("/v1/remember", json={"text": "Other."}, headers=headers)
    refused(other, 409, "id_conflict")
    corrected = {"address": "a-1", "text": "Call Jonas on Friday."}
    key = {"Idempotency-Key": "a-2"}
    versions = [ok(admin.post("/v1/update", json=corrected, headers=key)) for _ in range(2)]
    assert versions[0]["id"] == versions[1]["id"]
    own = admin.post("/v1/update", json=corrected, headers=headers)
    refused(own, 409, "id_conflict")
    rated, key = {"address": "a-1", "rating": 5}, {"Idempotency-Key": "a-3"}
    given = [ok(admin.post("/v1/feedback", json=rated, headers=key)) for _ in range(2)]
    assert given[0] == given[1]
    batch, key = {"messages": [{"text": "One."}, {"text": "Two."}]}, {"Idempotency-Key": "a-4"}
    for _ in range(2):
        answers = ok(admin.post("/v1/remember-batch", json=batch, headers=key))["answers"]
    assert [a["outcome"] for a in answers] == ["redelivered"] * 2
    assert len(ok(admin.post("/v1/list", json={}))["memories"]) == 3


def test_each_event_of_a_batch_has_its_own_answer(admin):
    events = [
        {"kind": "user_message", "payload": {"text": "One."}},
        {"kind": "nothing", "payload": {}},
        {"kind": "user_message", "payload": {"text": "Two."}},
    ]
    answers = ok(admin.post("/v1/capture-batch", json={"events": events}))["answers"]
    assert [answer["outcome"] for answer in answers] == ["captured", "refused", "text_only"]
    assert answers[1]["code"] == "invalid_input"


def test_an_unknown_route_says_where_the_known_ones_are(admin):
    detail = refused(admin.post("/v1/recal", json={}), 404, "not_found")
    assert "there is no /v1/recal (POST was asked); did you mean /v1/recall?" in detail
    assert "/openapi.json" in detail


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/remember", "POST"),
        ("DELETE", "/v1/recall", "POST"),
        ("POST", "/v1/reflect", "GET"),
        ("PUT", "/healthz", "GET"),
        ("GET", "/mcp", "POST"),
        ("POST", "/", "GET, HEAD"),
        ("PATCH", "/docs", "GET, HEAD"),
        ("POST", "/inspect/", "GET, HEAD"),
    ],
)
def test_a_method_that_is_not_allowed_is_named_beside_those_that_are(admin, method, path, allowed):
    answer = admin.request(method, path, timeout=5)
    detail = refused(answer, 405, "not_allowed")
    assert f"{method} is not allowed for {path}: use {allowed}; " in detail
    assert sorted(answer.headers["allow"].split(", ")) == sorted(allowed.split(", "))


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/v1/recall", b"{", 422, "invalid_input"),
        ("/v1/recall", b"\xff\xfe", 422, "invalid_input"),
        ("/v1/recall", b"{}", 422, "invalid_input"),
        ("/v1/recall", b'{"question": "a", "colour": 1}', 422, "invalid_input"),
        ("/v1/recall", b'{"question": "a", "since": "soon"}', 422, "invalid_input"),
        ("/v1/recall", b'{"question": "a", "as_of": "99999999999999999999"}', 422, "invalid_input"),
        ("/v1/remember", b'{"text": " "}', 422, "invalid_input"),
        ("/v1/query", b'{"statement": "CREATE (n)"}', 403, "refused"),
        ("/v1/query", b'{"statement": "nonsense"}', 422, "invalid_input"),
        ("/v1/reflect", b"{}", 405, "not_allowed"),
        ("/v1/nowhere", b"{}", 404, "not_found"),
        ("/v1/recall", b"[" * 50_000, 400, "invalid_input"),
    ],
)
def test_bad_input_is_a_problem_that_says_what_is_wrong(admin, path, body, status, code):
    detail = refused(
        admin.post(path, content=body, headers={"content-type": "application/json"}), status, code
    )
    assert detail
    assert "Traceback" not in detail


def test_a_body_of_another_type_is_told_what_to_send(admin):
    types = ("application/x-www-form-urlencoded", "text/plain")
    for path, body in (("/v1/recall", b'{"question": "a"}'), ("/v1/remember", b"not json")):
        for type in types:
            answer = admin.post(path, content=body, headers={"content-type": type})
            assert "Content-Type: application/json" in refused(answer, 422, "invalid_input")


def test_what_can_be_cleaned_is_kept_and_told(admin):
    def post(path: str, body: bytes) -> dict[str, Any]:
        answer = admin.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def text_of(answer: dict[str, Any]) -> str:
        return admin.get("/v1/show", params={"address": answer["id"]}).json()["text"]

    said = post("/v1/remember", b'{"text": "caf\xe9 \\u0000 \\ud800", "id": "dirty"}')
    assert said["cleaned"] == {"invalid_text": 2, "nul": 1}
    assert text_of(said) == "caf� ␀ �"
    message = b'{"kind": "user_message", "payload": {"text": "raw \0 byte"}, "person": "D\\ud800"}'
    caught = post("/v1/capture", message)
    assert caught["cleaned"] == {"invalid_text": 1, "nul": 1}
    assert text_of(caught) == "raw ␀ byte"
    empty = b'{"kind": "user_message", "payload": {"text": " "}}'
    assert post("/v1/capture", empty)["outcome"] == "empty"
    several = post("/v1/capture-batch", b'{"events": [' + empty + b", " + message + b"]}")
    assert [answer["outcome"] for answer in several["answers"]] == ["empty", "text_only"]
    assert several["cleaned"] == {"invalid_text": 1, "nul": 1}
    lines = b"\n".join([empty, message.replace(b"raw", b"other")])
    *_, summary = map(json.loads, admin.post("/v1/import", content=lines).text.splitlines())
    assert (summary["empty"], summary["refused"]) == (1, 0)
    assert summary["cleaned"] == {"invalid_text": 1, "nul": 1}


def test_keys_are_asked_for_and_do_what_they_allow(service):
    with httpx.Client(base_url=service.url) as nobody:
        refused(nobody.get("/v1/people"), 401, "unauthenticated")
        for text in ("Bearer", "Bearer x", "Basic abc", "Bearer meridia_00_11", "Bearer \xe9"):
            headers = {"Authorization": text.encode("latin-1")}
            refused(nobody.get("/v1/people", headers=headers), 401, "unauthenticated")
        assert nobody.get("/openapi.json").status_code == 200
    with service.client("rights", access=Access.READ) as reader:
        refused(reader.post("/v1/remember", json={"text": "a"}), 403, "refused")
        assert ok(reader.post("/v1/recall", json={"question": "a"}))["hits"] == []
        refused(reader.get("/v1/people", params={"space": "elsewhere"}), 403, "refused")
    with service.client("rights") as writer:
        say(writer, "A heron.")
        refused(writer.post("/v1/forget", json={"everything": True}), 403, "refused")
    with service.client("rights", "more") as two:
        refused(two.get("/v1/people"), 422, "invalid_input")
    with service.client("*") as everywhere:
        say(everywhere, "A heron.", space="new space")
        refused(everywhere.get("/v1/people", params={"space": "none"}), 404, "not_found")


def test_a_revoked_key_opens_nothing_at_once(service):
    with service.client("revoked") as client:
        say(client, "A heron.")
        key = service.memory.parts.api_keys.list_all()[-1]
        service.memory.parts.api_keys.revoke(key.id)
        refused(client.get("/v1/people"), 401, "unauthenticated")


def test_the_description_is_valid_and_has_an_example_for_each_body(service):
    document = httpx.get(f"{service.url}/openapi.json", timeout=30).json()
    paths = {path: item for path, item in document["paths"].items() if path.startswith("/v1/")}
    assert len(paths) == len(OPERATIONS) + 2  # /v1/import, /v1/spaces
    for path, item in paths.items():
        for operation in item.values():
            assert operation["summary"], path
            for schema in (
                content.get("schema", {})
                for content in operation.get("requestBody", {}).get("content", {}).values()
            ):
                Draft202012Validator.check_schema(schema)


def test_health_readiness_and_metrics_need_no_key_and_name_no_space(service, admin):
    say(admin, "A heron.")
    assert httpx.get(f"{service.url}/healthz").json() == {"status": "ok"}
    assert set(httpx.get(f"{service.url}/readyz").json()["lag"]) == {"enrichment", "graph"}
    text = httpx.get(f"{service.url}/metrics").text
    assert 'meridia_requests_total{operation="/v1/remember",status="200"}' in text
    assert "health_readiness" not in text


def test_without_keys_only_programs_of_this_machine_may_ask(open_service):
    with httpx.Client(base_url=open_service.url) as client:
        say(client, "A heron.")
        for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            refused(client.get("/v1/people", headers=headers), 403, "refused")
        assert "access-control-allow-origin" not in client.get("/v1/people").headers


@pytest.fixture
def daydreamer(tmp_path):
    """Give a service that proposes what is worth little too."""
    settings = SETTINGS.model_copy(update={"daydream": DaydreamSettings(insight_min=0.1)})
    yield from run_service(tmp_path / "ideas.db", settings)


def test_ideas_are_proposed_listed_and_decided(daydreamer):
    with daydreamer.client("s") as client, daydreamer.client("s", access=Access.READ) as reader:
        for count in range(8):
            say(client, f"Number {count} is about the weather", session=f"d{count}")
        say(client, "The loom in the attic needs a shuttle", session="a")
        say(client, "My grandmother taught weaving on her loom", session="b")
        daydreamer.memory.in_space("s").enrich()
        refused(reader.post("/v1/propose-ideas", json={}), 403, "refused")
        (idea, *_) = proposed = ok(client.post("/v1/propose-ideas", json={}))["items"]
        assert ok(client.post("/v1/propose-ideas", json={}))["items"] == []
        assert "loom" in idea["earlier"]["text"]
        assert ok(reader.get("/v1/ideas"))["items"] == proposed
        decided = {"idea": idea["idea"], "decision": "reject"}
        refused(reader.post("/v1/decide-idea", json=decided), 403, "refused")
        assert ok(client.post("/v1/decide-idea", json=decided))["state"] == "rejected"
        assert idea["idea"] not in str(ok(reader.get("/v1/ideas")))
        answer = ok(client.post("/v1/decide-idea", json=decided | {"decision": "approve"}))
        assert answer == idea | {"state": "approved"}
        assert ok(reader.get("/v1/ideas", params={"state": "approved"}))["items"] == [answer]
        assert len(ok(reader.get("/v1/ideas", params={"state": "all"}))["items"]) == len(proposed)
        refused(client.post("/v1/decide-idea", json=decided), 422, "invalid_input")
        refused(client.post("/v1/decide-idea", json=decided | {"idea": "x"}), 404, "not_found")
        refused(
            client.post("/v1/decide-idea", json=decided | {"decision": "x"}), 422, "invalid_input"
        )


def test_an_event_that_names_another_space_is_refused_and_the_others_go_in(admin, request):
    own = request.node.name
    event = {"kind": "user_message", "payload": {"text": "A heron."}}
    events = [{**event, "id": "a", "space": "elsewhere"}, {**event, "id": "b", "space": own}]
    answers = ok(admin.post("/v1/capture-batch", json={"events": events}))["answers"]
    assert (answers[0]["outcome"], answers[0]["code"]) == ("refused", "invalid_input")
    assert "space is 'elsewhere'" in answers[0]["detail"]
    assert answers[1]["event_id"] == "b"
    lines = "\n".join(json.dumps({**event, "id": "c", "space": space}) for space in ("x", own))
    told = admin.post("/v1/import", content=lines.encode()).text.splitlines()
    assert "space is 'x'" in json.loads(told[0])["problem"]
    assert json.loads(told[-1])["refused"] == 1


@pytest.mark.parametrize("before", ["x", "last", "01a21a97", "%"])
def test_a_page_of_recalls_before_what_is_none_is_refused(admin, before):
    say(admin, "A heron.")
    recall = ok(admin.post("/v1/recall", json={"question": "Which heron?"}))["recall"]
    detail = refused(admin.get("/v1/recalls", params={"before": before}), 422, "invalid_input")
    assert "not the id of a recall" in detail
    assert ok(admin.get("/v1/recalls", params={"before": recall}))["items"] == []
