"""`meridia bench` measures a memory, transcripts and LoCoMo, and has a model answer."""

import json

import pytest

from bench.baselines import settings
from bench.locomo import import_conversations, rank
from bench.scores import measure
from meridia import Memory
from meridia.evaluation.questions import ALL, locomo_questions
from tests.evaluation.test_data_sets import beam, instance, longmemeval
from tests.model_server import Reply, model_server

pytestmark = pytest.mark.usefixtures("without_encoder")

TURNS = [
    ("Ann", "The mast of my boat is oak"),
    ("Ben", "I sold the tractor to a farmer in Bergen"),
    ("Ann", "Dana wants three reefs in the mainsail"),
    ("Ben", "The anchor weighs twenty kilos"),
]
QA = [
    ("What is the mast made of?", ["D1:1"], 4, "oak"),
    (
        "What did Ben sell, and what does Dana want?",
        ["D1:2", "D1:3"],
        1,
        "the tractor, three reefs",
    ),
    ("Where was the weather bad?", ["D1:4"], 3, "nowhere"),
]
SAMPLES = [
    {
        "sample_id": name,
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": who, "dia_id": f"D1:{place}", "text": text}
                for place, (who, text) in enumerate(turns, 1)
            ],
        },
        "qa": [
            {"question": text, "evidence": evidence, "category": category, "answer": answer}
            for text, evidence, category, answer in QA
        ],
    }
    for name, turns in (("one", TURNS), ("two", TURNS[::-1]))
]


@pytest.fixture
def locomo(tmp_path):
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(SAMPLES), "utf-8")
    return path


def test_locomo_is_asked_its_own_questions_and_scores_as_the_bench_does(meridia, locomo):
    told = meridia("bench", locomo, "--limit", "3", "--json").json
    chosen = settings(flags={"embedding.enabled": False})
    with Memory(None, "default", chosen) as memory:
        import_conversations(memory, locomo, merged=False)
        rows = [row for sample in SAMPLES for row in rank(memory, sample, 3, merged=False)]
    asked = [question for sample in SAMPLES for question in locomo_questions(sample)]
    measured = [
        measure(row["ranked"], question.evidence, (1, 3))
        for row, question in zip(rows, asked, strict=True)
    ]
    for name in ("recall@1", "recall@3", "all@3", "MRR"):
        mean = sum(one[name] for one in measured) / len(measured)
        assert told["scores"][ALL][name] == pytest.approx(mean)
    assert told["scores"]["c1"]["questions"] == 2
    assert 0 < told["scores"][ALL]["recall@3"] < 1


def test_a_memory_is_asked_questions_drawn_from_itself_and_stays_as_it_was(meridia, demo):
    before = meridia("status", *demo.where, "--json").out
    told = meridia("bench", *demo.where, "--count", "5", "--json")
    assert told.json["questions"] == 5
    assert told.json["scores"][ALL]["recall@20"] > 0.5
    assert (
        meridia("bench", *demo.where, "--count", "5", "--json").json["asked"][0]["question"]
        == (told.json["asked"][0]["question"])
    )
    assert meridia("status", *demo.where, "--json").out == before


def test_own_questions_tell_what_is_never_found_and_what_a_setting_changes(meridia, db, tmp_path):
    for id, text in (("m-1", "The mast is oak"), ("m-2", "The anchor weighs twenty kilos")):
        line = {"kind": "user_message", "id": id, "person": "Ann", "payload": {"text": text}}
        assert meridia("--db", db, "capture", "-", stdin=json.dumps(line)).status == 0
    table = "question,id,text,group\nWhat is the mast?,m-1,,wood\nWhere to sleep?,,twenty kilos,\n"
    (tmp_path / "asked.csv").write_text(table)
    run = ("--db", db, "bench", "--questions", tmp_path / "asked.csv", "--limit", "1")
    told = meridia(*run, "--with", "recall.profile=simple", "--json").json
    assert list(told["scores"]) == [ALL, "wood"]
    assert told["compared"]["recall.profile=simple"]["scores"][ALL]["recall@1"] == 0.5
    shown = meridia(*run, "--with", "recall.profile=simple").out
    assert "recall.profile=simple" in shown
    assert "never found among 1: 1" in shown
    assert "twenty kilos" in shown


def test_transcripts_are_measured_in_a_journal_of_their_own(meridia, tmp_path):
    chat = tmp_path / "chat.jsonl"
    turns = [{"role": "user", "content": text} for _, text in TURNS]
    chat.write_text("\n".join(json.dumps({"messages": turns}) for _ in range(1)))
    told = meridia("bench", chat, "--db", tmp_path / "never.db", "--json").json
    assert told["memories"] == 4
    assert not (tmp_path / "never.db").exists()


def test_locomo_is_answered_and_judged_from_end_to_end(meridia, locomo, tmp_path):
    def scripted(request):
        if "To judge" in request.words:
            return Reply(json.dumps({"correct": "To judge: oak" in request.words, "reason": ""}))
        return Reply(json.dumps({"answer": "oak" if "made of" in request.words else "no idea"}))

    with model_server() as server:
        server.by_rule = scripted
        model = {
            "MERIDIA_MODEL_DIALECT": "openai",
            "MERIDIA_MODEL_NAME": "scripted-1",
            "MERIDIA_MODEL_BASE_URL": f"{server.origin}/v1",
        }
        run = ("bench", locomo, "--answers", tmp_path / "answers.jsonl", "--judge", "judge-1")
        told = meridia(*run, "--json", env=model)
        assert told.status == 0, told.err
        assert told.json["answers"]["scores"]["c4"] == {"questions": 2, "correct": 1}
        assert told.json["answers"]["scores"][ALL]["correct"] == pytest.approx(1 / 3)
        shown = meridia(*run, env=model).out
        assert "judged wrong: 4" in shown
        assert len(server.received) == 12, "the second run asked for nothing"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("--judge", "x"), "--judge and --prompts need --answers"),
        (("--with", "scoring.novelty=1"), "give a setting of recall or embedding"),
        (("--answers", "a.jsonl"), "no question has an answer"),
        (("--questions", "none.csv"), "cannot be read"),
    ],
)
def test_a_wrong_wish_is_said_before_anything_is_done(meridia, demo, tmp_path, given, problem):
    done = meridia("bench", *demo.where, "--count", "2", *given, cwd=tmp_path)
    assert done.status == 2
    assert problem in done.err


def test_where_there_is_no_journal_it_is_said(meridia, db):
    done = meridia("--db", db, "bench")
    assert (done.status, "there is no journal" in done.err) == (3, True)


@pytest.mark.parametrize("data_set", ["locomo", "longmemeval", "beam"])
def test_a_data_set_is_asked_answered_and_judged_from_end_to_end(
    meridia, locomo, tmp_path, data_set
):
    paths = {
        "locomo": lambda: locomo,
        "longmemeval": lambda: longmemeval(tmp_path, instance(), instance("q2_abs")),
        "beam": lambda: beam(tmp_path),
    }
    answerable, measured = {"locomo": (6, 6), "longmemeval": (2, 1), "beam": (4, 3)}[data_set]

    def scripted(request):
        judged = "To judge" in request.words
        return Reply(json.dumps({"correct": True} if judged else {"answer": "oak"}))

    with model_server() as server:
        server.by_rule = scripted
        flags = {"DIALECT": "openai", "NAME": "m", "BASE_URL": f"{server.origin}/v1"}
        env = {f"MERIDIA_MODEL_{name}": value for name, value in flags.items()}
        done = meridia(
            "bench", paths[data_set](), "--answers", tmp_path / "a.jsonl", "--json", env=env
        )
        assert done.status == 0, done.err
        told = done.json
        words = [request.words for request in server.received]
    assert told["questions"] == measured
    assert 0 < told["scores"][ALL]["recall@20"] <= 1
    scored = told["answers"]["scores"][ALL]
    assert (scored["questions"], scored["correct"]) == (answerable, 1)
    assert len(words) == 2 * answerable
    if data_set == "longmemeval":
        assert "asked on 2023/06/01" in words[0]


def test_only_the_histories_of_the_questions_that_are_asked_are_read(meridia, tmp_path):
    path = longmemeval(tmp_path, *(instance(f"q{number}") for number in range(6)))
    told = meridia("bench", path, "--count", "2", "--json").json
    assert (told["questions"], told["memories"]) == (2, 8)
