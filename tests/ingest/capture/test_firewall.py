"""The firewall: what says enough to be remembered, and what came out of our own mouth."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.cli.commands.packs import show_pack
from meridia.cli.commands.recall import show_memory
from meridia.cli.recall_view import show_recall
from meridia.cli.render import console, table
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.stages import CHARS_MAX, HygieneVerdict, check_hygiene, is_echo
from meridia.retrieval.recall_result import as_json
from meridia.service import mcp_tools
from meridia.service.documents import details_of
from meridia.service.mcp_tools import RecallArguments
from tests.fakes import waiting
from tests.ingest.ingest_events import EVENTS, agent, happening, result, user

ID = "01a20168-f02d-701a-966e-db6d7f320b65"
ADDRESS = f"meridia://{ID}"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", HygieneVerdict.TOO_SHORT),
        (" \n\t ", HygieneVerdict.TOO_SHORT),
        ("a" * 11, HygieneVerdict.TOO_SHORT),
        ("In  \n Porto.", HygieneVerdict.TOO_SHORT),
        ("a" * 12, HygieneVerdict.OK),
        ("a" * CHARS_MAX, HygieneVerdict.OK),
        ("a" * (CHARS_MAX + 1), HygieneVerdict.TOO_LONG),
        ("said " * 2_000, HygieneVerdict.TOO_LONG),
        ("明日十時に会議です", HygieneVerdict.OK),
        ("会議です", HygieneVerdict.TOO_SHORT),
    ],
)
def test_row_100_a_memory_has_12_to_4000_characters(text, verdict):
    """Row 100: 12 to 4000 characters, white space collapsed; wide scripts say more in fewer."""
    assert check_hygiene(text) is verdict


@pytest.mark.parametrize(
    "text",
    [
        *("ok", "OK.", "Thanks!", "lol", "...", "k"),
        *(
            "Ok, thank you so much!!",
            "hahahahaha lol",
            "Sounds good, thanks a lot.",
            "no no no no no",
        ),
        *(
            "........................",
            "👍👍👍👍👍👍👍👍👍👍👍👍",
            "- - - - - - - - - -",
            "okayyyyy thankssss",
        ),
        *(
            "Vielen Dank, alles klar!",
            "Merci beaucoup !",
            "¡Muchas gracias!",
            "Muito obrigado, valeu",
        ),
        *("Grazie mille, va bene", "tack så mycket!", "teşekkür ederim, tamam", "большое спасибо"),
        *(
            "धन्यवाद, ठीक है",
            "شكرا جزيلا",
            "ありがとうございます！了解です",
            "네 감사합니다 ㅋㅋㅋㅋㅋ",
            "好的，谢谢你",
        ),
        "thanks " * 300,
        "." * 3_000,
    ],
)
def test_row_100_answers_thanks_laughter_and_dots_say_nothing(text):
    """Row 100: ok, thanks, lol, dots."""
    assert check_hygiene(text) is HygieneVerdict.EMPTY_TALK


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, but the build still fails.",
        "ok so Tuesday then",
        "Danke, der Anker kommt Freitag",
        "No, the other file",
        "Good morning Lisbon",
        "1234567890123",
        "x = y + 1; y = x",
        "ok " * 100 + "the anchor",
    ],
)
def test_a_text_with_one_word_of_its_own_says_something(text):
    assert check_hygiene(text) is HygieneVerdict.OK


@given(st.text())
def test_white_space_is_collapsed_and_changes_no_verdict(text):
    spaced = f" {text}\n\n".replace(" ", " \t ")
    assert check_hygiene(" ".join(text.split())) is check_hygiene(text) is check_hygiene(spaced)


@pytest.mark.parametrize(
    "tool",
    [
        *("meridia", "meridia_recall", "Meridia.resume", "meridia-recall", "meridia/recall"),
        *("mcp__meridia__recall", "mcp_meridia_recall", "mcp__team__meridia_recall"),
        *("server.meridia.recall", "experience_search", "mcp__memory__experience_reflect"),
        *("memory_search", "memory_get", "mcp__plugin__memory_search"),
    ],
)
def test_what_our_own_tools_return_is_an_echo(tool):
    assert is_echo(read_event(result(tool, output="Dana prefers the night train.")))


@pytest.mark.parametrize(
    "command",
    [
        "meridia recall 'where is the anchor?'",
        "cd notes && meridia --db a.db --space=demo resume Dana",
        "uv run meridia reconstitute --mode crisis",
        "python -m meridia show m17 | head -3",
        "/usr/local/bin/meridia recall anchor",
    ],
)
def test_what_our_own_command_prints_is_an_echo(command):
    assert is_echo(read_event(result("bash", {"cmd": command}, "Dana prefers the night train.")))


@pytest.mark.parametrize(
    "command", ["meridia capture recall.jsonl", "grep -r recall meridia", "ls meridia/show"]
)
def test_other_commands_are_no_echoes(command):
    assert not is_echo(
        read_event(result("bash", {"cmd": command}, "Dana prefers the night train."))
    )


def test_what_a_tool_read_by_address_is_an_echo():
    assert is_echo(
        read_event(result("read_file", {"path": ADDRESS}, "Dana prefers the night train."))
    )
    assert is_echo(read_event(result("lookup", {}, {"text": "the night train", "uri": ADDRESS})))


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {"recalled": True}},
        {"metadata": {"recalled": "true"}},
        {"metadata": {"provenance": "recall"}},
        {"metadata": {"provenance": {"source": "Pack"}}},
        {"provenance": {"source": "meridia:recall", "traceId": "t1"}},
        {"provenance": {"source": "pack/01a2"}},
        {"provenance": {"source": ADDRESS}},
    ],
)
def test_what_its_caller_calls_recalled_is_an_echo(fields):
    assert is_echo(read_event(user("Dana prefers the night train.", **fields)))


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {"recalled": False}},
        {"provenance": {"source": "hook"}},
        {"provenance": {"source": "package-index"}},
        {"metadata": {"provenance": ["recall"]}},
    ],
)
def test_another_origin_is_no_echo(fields):
    assert not is_echo(read_event(user("Dana prefers the night train.", **fields)))


@pytest.mark.parametrize(
    "text",
    [
        f"She moved in May ({ADDRESS}) and kept the boat (meridia://b2).",
        f"> Dana: Could you put the start list up?  {ADDRESS}\n\nSee?",
        f"```\nDana prefers the night train. {ADDRESS}\n```",
        json.dumps({"text": "the night train", "uri": ADDRESS}),
        json.dumps({"text": "the night train", "uri": ADDRESS}).replace("/", "\\/"),
    ],
)
def test_what_cites_two_memories_or_quotes_one_is_an_echo(text):
    assert is_echo(read_event(agent(text)))
    assert is_echo(read_event(user(text)))
    assert is_echo(read_event(result("bash", {"cmd": "cat answer"}, text)))


@pytest.mark.parametrize(
    "text",
    [
        f"Please forget {ADDRESS}, it was never true.",
        f"• what about {ADDRESS} and the train?",
        f"> {ADDRESS}\nNo: since May we take the boat on Fridays, and never the night train again.",
        "The scheme meridia:// stands before an id.",
        "Meridia recalled two memories. I was there in the recall of 2019.",
        "> You said the anchor was late.\nIt came.",
    ],
)
def test_naming_a_memory_in_own_words_is_no_echo(text):
    assert not is_echo(read_event(user(text)))


@given(EVENTS.filter(lambda event: "memory_" not in str(event.get("tool"))))
def test_ordinary_events_are_no_echoes(event):
    assert not is_echo(read_event(event))


@pytest.fixture(scope="module")
def memory():
    with Memory(
        None, "default", waiting(Settings(embedding=EmbeddingSettings(enabled=False)))
    ) as opened:
        opened.remember(
            "Why did publishing the club website fail again on the photo gallery?",
            person="Dana",
            session="s1",
            at=datetime(2026, 3, 1, 10, tzinfo=UTC),
        )
        yield opened


def printed(show, *arguments, width=100):
    """Return what a command prints on a terminal of some width."""
    console.width = width
    try:
        with console.capture() as captured:
            show(*arguments)
    finally:
        console.width = None
    return captured.get()


@pytest.mark.parametrize("width", [60, 80, 300])
def test_a_pasted_answer_of_ours_is_an_echo_even_with_one_memory_in_it(memory, width):
    """What `recall`, `recall --explain`, `resume` and `reconstitute` print, at any width."""
    answer = memory.recall("publishing the website")
    assert len(answer.hits) == 1
    for text in (
        printed(show_recall, answer, width=width),
        printed(show_recall, answer, "all", width=width),
        printed(show_pack, memory.resume("Dana"), width=width),
    ):
        assert is_echo(read_event(user(text)))
        assert is_echo(read_event(user(f"Look what came back:\n\n{text}")))
        assert is_echo(read_event(result("bash", {"cmd": "cat answer.txt"}, text)))


def test_a_pasted_answer_for_a_model_and_a_shown_memory_are_echoes(memory):
    asked = RecallArguments(question="publishing the website")
    shown = printed(show_memory, details_of(memory, "@1"), {})
    for text in (mcp_tools.recall(memory, asked)["answer"], shown):
        assert is_echo(read_event(user(text)))
        assert is_echo(read_event(user(f"Look what came back:\n\n{text}")))
    assert not is_echo(read_event(user("My address is @12 Harbour Road\nfrom Monday on.")))
    assert not is_echo(read_event(user("1 memory: the ferry at seven.")))


def test_a_pasted_document_of_ours_is_an_echo(memory):
    """What `recall --json`, `resume --json` print, as text, escaped or as an object."""
    for document in (as_json(memory.recall("publishing")), memory.resume("Dana").as_json()):
        text = json.dumps(document, indent=2)
        assert is_echo(read_event(user(text)))
        assert is_echo(read_event(user(json.dumps({"answer": text}))))
        assert is_echo(read_event(result("http", {}, document)))


def test_what_show_prints_is_an_echo():
    """`show` prints its table under an empty head."""
    rows = [["address", ADDRESS], ["kind", "user_message"], ["person", "Dana"]]
    assert is_echo(
        read_event(user(printed(table, ["", ""], rows) + "\nThe night train is better."))
    )


def test_a_manual_capture_that_quotes_a_pack_is_an_echo():
    pack = "".join(f"- Dana said so  meridia://m{n}\n" for n in range(3))
    assert is_echo(read_event(happening("manual_capture", {"text": pack}, 0)))


@pytest.mark.parametrize("line", ["• a\n", "> ", "a=", "\n", "meridia --x ", "recall - "])
def test_hostile_texts_are_judged_in_time(line):
    text = f"{ADDRESS}\n" + line * 50_000
    started = process_time()
    is_echo(read_event(result("bash", {"cmd": text}, text[1:])))
    check_hygiene(text)
    assert process_time() - started < 5
