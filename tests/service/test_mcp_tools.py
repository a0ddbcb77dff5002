"""The six tools: what they cost a model, and what they answer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import meridia
from meridia.core.errors import InvalidInput
from meridia.core.time import parse
from meridia.language.sentences import split_sentences
from meridia.models.tokens import WordPiece
from meridia.service import mcp_tools
from meridia.service.mcp_server import read_arguments, tool_of
from meridia.service.mcp_tools import chosen_tools

PIECES = WordPiece(Path(meridia.__file__).parent / "models/data/minilm-vocab.txt", 10**6)
TOOLS = chosen_tools(["default"])
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}")
LONG = (
    "We carried the workbench up the stairs. The ferry from Holmhaven leaves at seven in the "
    "morning, and the harbour office wants the papers a day before. Nobody had slept. "
) * 12


def tokens(text):
    """Count as the encoder's WordPiece does, which splits JSON and names more than others."""
    return len(PIECES.encode(text).ids) - 2


def ask(memory, tool, **given):
    """Call a tool; return its text, and its document without it."""
    document = TOOLS[tool].run(memory, read_arguments(TOOLS[tool], given))
    return document.pop("answer"), document


@pytest.fixture
def memory(dispatcher):
    """Give a memory that is gone with the test."""
    return dispatcher.memory


@pytest.fixture
def told(memory):
    """Give a memory of long and short messages, and of a tool's result."""
    for number in range(4):
        memory.remember(
            LONG, person="Dana", session=f"s{number}", at=parse(f"2026-03-0{number + 1}")
        )
    memory.remember("The ferry is at seven.", person="Oskar", session="s9")
    log = "\n".join(f"[{n}/40] ferry.py compiled in {n * 17} ms" for n in range(40))
    memory.remember(log, role="tool", tool="bash", session="s9")
    return memory


def test_the_six_tools_take_at_most_2000_tokens():
    listed = [
        tool_of(tool).model_dump(mode="json", by_alias=True, exclude_none=True)
        for tool in TOOLS.values()
    ]
    assert [tool["name"] for tool in listed] == "remember recall resume show update forget".split()
    assert tokens(json.dumps(listed)) <= 2000
    assert "outputSchema" not in json.dumps(listed)
    for tool in listed:
        assert len(tool["description"]) <= 1024
        assert "Not for" in tool["description"]


def test_five_hits_take_at_most_350_tokens_in_whole_sentences(told):
    text, document = ask(told, "recall", question="When does the ferry leave?")
    assert 3 <= len(document["hits"]) <= 5, "what is said again takes one place"
    assert tokens(text) <= 350
    assert "ferry" in text
    assert not ID.search(text + json.dumps(document))
    for hit in document["hits"]:
        assert hit.keys() - {"passage"} == {"address", "person", "at", "text", "score"}
        assert f"{hit['address']} {hit['person']}" in text
        whole = " ".join(split_sentences(told.get(hit["address"]).text))
        assert hit["text"].removeprefix("… ").removesuffix(" …") in whole
        assert "[cut]" not in hit["text"]
    ends = [place for place, sign in enumerate(text) if sign == "…" and text[place - 1] == " "]
    assert all(text[place - 2] in ".ms" for place in ends if text[place - 2] != ":")


def test_an_answer_says_when_nothing_is_known(memory):
    assert ask(memory, "recall", question="When?")[0].startswith("No memory answers this.")
    memory.remember("The anchor is lost.", person="Dana")
    text, document = ask(memory, "recall", question="How tall is the Eiffel tower?")
    assert text.startswith(("Probably nothing", "Maybe nothing")) == (not document["confident"])


def test_what_was_stored_is_shown_corrected_and_erased_by_its_address(memory):
    text, document = ask(memory, "remember", text="The race is on the 12th.", person="Dana")
    address = document["address"]
    assert text == f"Stored as {address}."
    corrected, document = ask(memory, "update", address=address, text="The race is on the 13th.")
    assert corrected.startswith(f"{document['address']} now stands in the place of {address}")
    shown, _ = ask(memory, "show", address=document["address"])
    assert shown.endswith("\nThe race is on the 13th.")
    assert ask(memory, "recall", question="When is the race?")[1]["hits"][0]["text"][-5:] == "13th."
    dry, plan = ask(memory, "forget", ids=document["address"])
    assert dry.startswith("Nothing is erased yet")
    assert "13th" in dry
    assert not plan["erased"]
    erased, _ = ask(memory, "forget", ids=document["address"], dry_run="false")
    assert erased.startswith("Erased for good")
    assert "No memory" in ask(memory, "recall", question="When is the race?")[0]


def test_a_secret_and_a_repetition_are_told(memory):
    text, _ = ask(memory, "remember", text="Use AKIAJ4T7QXZ2WNB6KD3P for it.")
    assert "Taken out as secret" in text
    ask(memory, "remember", text="The harbour office opens at nine on Mondays.", person="Dana")
    again, _ = ask(memory, "remember", text="The harbour office opens at nine on Mondays.")
    assert again.startswith("Stored as @")


def test_a_text_may_be_long_and_what_is_cut_of_it_is_told(memory):
    text, _ = ask(memory, "remember", text="The kiln is hot. " * 10_000)
    assert text == "Stored as @1."
    text, _ = ask(memory, "remember", text="The kiln is cold. " * 100_000)
    assert text == "Stored as @2. It was too long: only its beginning and its end are kept."


def test_what_has_a_key_of_its_own_is_stored_once(memory):
    for said in ("Stored as @1.", "It is stored already, as @1."):
        answer, _ = ask(memory, "remember", text="The ferry is at seven.", id="ferry")
        assert answer == said
    assert [each.event_id for each in memory.list().memories] == ["ferry"]


def test_a_very_long_memory_is_shown_with_its_length(memory):
    memory.remember("word " * 10_000, id="long")
    text, _ = ask(memory, "show", address="long")
    assert len(text) < 21_000
    assert "characters in all]" in text


def test_resuming_is_a_pack_or_says_that_nobody_is_known(memory):
    memory.remember("I'll send the papers on Friday.", person="Dana", session="s1")
    memory.enrich()
    text, document = ask(memory, "resume", person="Dana")
    assert "papers" in text
    assert document["text"] == text
    assert "Nobody called Zoltan" in ask(memory, "resume", person="Zoltan")[0]


def test_without_a_name_the_user_of_the_space_is_resumed(memory):
    memory.remember("I'm allergic to peanuts.", session="unnamed")
    assert "peanuts" in ask(memory, "resume")[0]


def test_tools_are_chosen_by_name():
    assert list(chosen_tools(["recall", "explain"])) == ["recall", "explain"]
    assert list(chosen_tools(["default", "explain"])) == [*TOOLS, "explain"]
    assert len(chosen_tools(["all"])) > 40
    assert mcp_tools.is_tool("explain")
    with pytest.raises(InvalidInput, match="'fly'"):
        chosen_tools(["fly"])


def test_a_quote_of_a_long_memory_says_where_it_stands(memory):
    filler = [f"On day {day} the tide was {day % 7} feet and nobody came." for day in range(90)]
    filler.insert(70, "The spare key of the boathouse is under the third flowerpot.")
    memory.remember(" ".join(filler), session="long")
    memory.enrich()
    _, document = ask(memory, "recall", question="Where is the spare key of the boathouse?")
    hit = document["hits"][0]
    assert "third flowerpot" in hit["text"]
    text = memory.get(hit["address"]).text
    assert "third flowerpot" in text[hit["passage"]["start"] : hit["passage"]["end"]]
