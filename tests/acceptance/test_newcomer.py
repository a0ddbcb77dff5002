"""The newcomer's path: chats without names, as files and agents have them; named before and after.

The same sentences give the same facts and the same pack, whoever says the name, and when.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.vocabulary import NameSource

SAID = [
    "I'm allergic to peanuts.",
    "My name is Kim.",
    "I live in Porto and work as a nurse.",
    "My sister Ana is a pilot, and I love her.",
    "I'm so sad, my cat died yesterday. I'll call the vet on Friday.",
]


def claude_code(folder: Path) -> Path:
    path = folder / "session.jsonl"
    lines = []
    for place, text in enumerate(SAID):
        for role, said in (("user", text), ("assistant", "Thank you for telling me.")):
            message = {"role": role, "content": said}
            if role == "assistant":
                message["content"] = [{"type": "text", "text": said}]
            line = {"type": role, "message": message, "sessionId": "s1", "cwd": "/home/x"}
            line |= {"uuid": f"{role}-{place}", "isSidechain": False, "userType": "external"}
            line |= {"timestamp": f"2026-03-01T10:{place:02}:{30 * (role != 'user'):02}.000Z"}
            lines.append(json.dumps(line))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def chatgpt(folder: Path) -> Path:
    path = folder / "conversations.json"
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    turns = [(r, t) for text in SAID for r, t in (("user", text), ("assistant", "Thank you."))]
    for place, (role, text) in enumerate(turns):
        message = {"id": f"n{place}", "author": {"role": role}, "create_time": 1772359200 + place}
        message |= {"content": {"content_type": "text", "parts": [text]}}
        parent, child = f"n{place - 1}" if place else "root", f"n{place + 1}"
        children = [child] if place + 1 < len(turns) else []
        node = {"id": f"n{place}", "message": message, "parent": parent, "children": children}
        mapping[f"n{place}"] = node
    told = {"title": "A chat", "create_time": 1772359200, "mapping": mapping, "id": "c1"}
    path.write_text(json.dumps([told | {"current_node": f"n{len(turns) - 1}"}]), "utf-8")
    return path


def whatsapp(folder: Path) -> Path:
    """Write a chat with Ana, in which the user speaks under a name as everybody does."""
    path = folder / "WhatsApp Chat with Ana.txt"
    lines = []
    for day in range(15):
        stamp = f"[{day + 1:02}.03.26, 10"
        lines.append(f"{stamp}:00:00] Kim: {SAID[day % len(SAID)]}")
        lines.append(f"{stamp}:01:00] Ana: Thank you for telling me.")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def told(path: Path, *, before: str | None, after: str | None) -> tuple[set[tuple[str, str]], str]:
    """Return the facts and the pack of a file, named before it is read, or afterwards, or not."""
    with Memory.open() as memory:
        if before is not None:
            memory.people.name(before, how=NameSource.CALLER)
        with path.open("rb") as file:
            memory.import_file(file)
        memory.enrich()
        if after is not None:
            memory.people.name(after)
        facts = {(fact.subject, fact.text) for fact in memory.chronicle.facts()}
        pack = memory.resume()
        assert pack is not None
        return facts, re.sub(r"(?:meridia://)?@\d+", "@", pack.text)


@pytest.mark.parametrize("made", [claude_code, chatgpt])
def test_five_sentences_say_the_same_whoever_gives_the_name_and_when(tmp_path, made):
    path = made(tmp_path)
    facts, pack = told(path, before=None, after=None)
    assert told(path, before="Kim", after=None) == (facts, pack)
    assert told(path, before=None, after="Kim") == (facts, pack)
    assert {text for _, text in facts} >= {
        "Kim is allergic to peanuts.",
        "Kim lives in Porto.",
        "Kim works as a nurse.",
        "Kim has a sister, Ana.",
    }
    for word in ("peanuts", "Porto", "nurse", "Ana", "cat died"):
        assert word in pack


@pytest.mark.parametrize(
    "made", [(claude_code, chatgpt, whatsapp), (whatsapp, claude_code, chatgpt)]
)
def test_who_has_a_name_in_one_file_and_none_in_others_is_one_person(tmp_path, made):
    with Memory.open() as memory:
        for file in (write(tmp_path) for write in made):
            with file.open("rb") as stream:
                memory.import_file(stream)
        memory.enrich()
        people = memory.people
        if made[0] is whatsapp:  # somebody spoke under that name before the owner said it
            with pytest.raises(InvalidInput, match='merge "you" "Kim"'):
                people.name("Kim")
            people.merge("you", "Kim")
        else:
            people.name("Kim")
        assert sorted(person.name for person in memory.people.known()) == ["Ana", "Kim"]
        pack = memory.resume("Kim")
        assert pack is not None
        for word in ("peanuts", "Porto", "nurse", "Ana", "cat died"):
            assert word in pack.text
        (hit,) = [
            hit
            for hit in memory.recall("Which food is Kim allergic to?", person="Kim").hits
            if "peanuts" in hit.text
        ]
        assert len(hit.repeats) == 4, "said five times in three files"
