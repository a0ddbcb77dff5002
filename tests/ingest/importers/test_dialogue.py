"""Dialogues."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.dialogue import may_be_name, speakers_of
from meridia.ingest.importers.format_detection import detect
from meridia.ingest.importers.import_options import ImportOptions
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord

# Dialogue

WORDS = st.text("abc ,.\n", min_size=1).filter(str.strip)


def turns(text: str, **mapping: str) -> list[tuple[str | None, str]]:
    """Return who says what; a role stands in capitals."""
    options = ImportOptions(mapping=mapping)
    records = read(io.BytesIO(text.encode()), "text", options=options)
    return [spoken(record) for record in records]


def spoken(record: ImportRecord) -> tuple[str | None, str]:
    if record.event is None:
        return "REFUSED", str(record.problem)
    name = record.event.person or record.event.kind.value.upper()
    return name, record.event.payload.get("text") or record.event.payload["result"]


@given(st.lists(st.tuples(st.sampled_from(["Dana", "Jean-Luc P.", "Ødis"]), WORDS), min_size=2))
def test_every_turn_is_a_message_of_its_speaker(said: list[tuple[str, str]]) -> None:
    text = "\n".join(f"{name}: {words}" for name, words in said)
    assert turns(text) == [(name, words.strip()) for name, words in said]


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{}: {}",
            "**{}:** {}",
            "**{}**: {}",
            "## {}\n\n{}",
            "- {}: {}",
            "[2026-03-01 10:00] {}: {}",
        ),
        *("**{}**\n\n{}", "**{}**\n\n{}\n\n---"),
    ],
)
@pytest.mark.parametrize("names", [("User", "Claude"), ("You", "ChatGPT"), ("Human", "Cursor")])
def test_a_turn_may_be_marked_in_several_ways(form: str, names: tuple[str, str]) -> None:
    text = "\n\n".join(form.format(*turn) for turn in zip(names, ("Hi", "Hello"), strict=True))
    assert turns(text) == [("USER_MESSAGE", "Hi"), ("ASSISTANT_MESSAGE", "Hello")]


@pytest.mark.parametrize(
    "remark", ["Note: x", "http://x.org", "10:30 sharp", "step: two", "Here is why: x"]
)
def test_a_remark_within_a_turn_belongs_to_it(remark: str) -> None:
    assert turns(f"Dana: a\n{remark}\nRobin: b") == [("Dana", f"a\n{remark}"), ("Robin", "b")]


def test_where_roles_speak_other_labels_are_text_unless_they_are_mapped() -> None:
    text = "User: hi\nAssistant: see\nRobin: x\nUser: thanks"
    assert turns(text)[1] == ("ASSISTANT_MESSAGE", "see\nRobin: x")
    assert turns(text, Robin="user")[2] == ("USER_MESSAGE", "x")


def test_names_are_given_roles_or_left_out() -> None:
    text = "Dana: hi\nRobin: hello\nBell: ding\nDana: bye"
    assert turns(text, Robin="assistant", Bell="tool", Dana="user") == [
        ("USER_MESSAGE", "hi"),
        ("ASSISTANT_MESSAGE", "hello"),
        ("TOOL_RESULT", "ding"),
        ("USER_MESSAGE", "bye"),
    ]
    assert [name for name, _ in turns(text, Bell="skip")] == ["Dana", "Robin", "Dana"]


def test_what_is_no_name_can_be_mapped_to_text() -> None:
    text = "Dana: hi\nSummary: we agree\nRobin: ok"
    assert [name for name, _ in turns(text)] == ["Dana", "Summary", "Robin"]
    assert turns(text, Summary="text")[0] == ("Dana", "hi\nSummary: we agree")


def test_a_text_without_names_is_refused_with_what_to_write() -> None:
    ((who, problem),) = turns("Dear diary")
    assert (who, problem) == (
        "REFUSED",
        "no line begins with a name and a colon: write `Name: text`",
    )


def test_words_in_bold_alone_on_a_line_are_text_where_nobody_talks_with_a_program() -> None:
    text = "Dana: see\n**Kiln**\nhot\nRobin: yes\n**Loom**\nold"
    assert turns(text) == [("Dana", "see\n**Kiln**\nhot"), ("Robin", "yes\n**Loom**\nold")]


@pytest.mark.parametrize(
    "text",
    [
        "Ben: Are you home?\nCleo: Not yet.\n",
        "10:00 Ben: Are you home?\n[10:01] Cleo: Not yet.\n",
        "太郎：猫にえさをあげた？\n花子：うん、一時間前に。\n太郎：ありがとう。\n",
    ],
)
def test_two_lines_and_wide_colons_are_a_dialogue(text: str) -> None:
    assert detect(text.encode()) == "text"


# Speakers

DOCUMENTS = {
    "log": "INFO: started\nWARN: slow\nINFO: ready\nERROR: you cannot open it\nINFO: done\n" * 4,
    "dated log": "2026-03-01 10:00:00 INFO: started\n2026-03-01 10:00:01 WARN: slow\n" * 4,
    "settings": "host: db.local\nport: 5432\nuser: shop\ndebug: true\n",
    "recipe": "Servings: 4\nTime: 30 minutes\nIngredients: lentils\nMethod: boil them\n",
    "meals": "Breakfast: I had oats\nLunch: we had soup\nDinner: my pie\n" * 5,
    "cards": "Name: Kim\nEmail: kim@x.org\nPhone: 123\n\n" * 4,
    "week": "Monday: call you\nTuesday: call me\nMonday: rest\nTuesday: rest\n",
    "changes": "Added: a reader\nFixed: the clock\nAdded: a writer\nChanged: names\n",
    "goals": "Goal: win the race\nRisk: the mast\nGoal: stay dry\nRisk: rain\n",
    "stream": 'data: {"a": 1}\n\ndata: {"a": 2}\n\ndata: [DONE]\n',
    "definitions": "Keel: the spine of a ship\nMast: a pole\nBoom: a spar\nSheet: a rope\n",
    "fields before a text": "Created: March 1, 2026 10:00\nStatus: Open\n\nWe sail to Porto.\n",
    "months": "May: we sail\nJune: we rest\nMay: you sail again\n",
    "one voice": "Dana: I went home\nDana: I slept\n",
}
DIALOGUES = {
    "roles": "User: Where?\nAssistant: There.\n",
    "names": "Dana: Are you coming?\nKim: In an hour.\nDana: Good.\n",
    "german": "Ada: Kommst du mit?\nIlse: Nein, ich bleibe.\nAda: Schade.\n",
    "called": "Dana: Look at the seal, Robin.\nRobin: It is cracked.\n",
    "handles": "dana99: you there?\nkim: yes\ndana99: ok\nkim: bye\n",
    "three": "Ann: I am here.\nBob: Me too.\nCy: Where is Dee?\nAnn: Late.\nCy: Ah.\nBob: Hm.\n",
    "numbered": "Speaker 1: What do you think?\nSpeaker 2: I agree.\nSpeaker 1: Good.\n",
    "months as names": "Will: Where is it?\nMay: In the shed.\nWill: Thanks!\nMay: Sure.\n",
    "a role and a program": "User: Never touch it.\nCursor: Fine.\nUser: Thanks.\n",
    "two turns": "Dana: hi\nRobin: hello\n",
    "dated": "[2026-03-01 10:00] Dana: the mast\n[2026-03-01 10:01] Robin: the keel\n",
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_what_nobody_says_is_a_document(kind: str) -> None:
    assert detect(DOCUMENTS[kind].encode()) == "document"


FIELDS = ["Decision", "Reason", "Owner", "Risk", "Goal", "Impact", "Status"]
FILLED = ["we keep the pump", "the crew knows it", "Priya", "too much to run", "no budget", "open"]


@pytest.mark.parametrize("seed", range(20))
def test_three_labels_that_come_in_one_order_are_fields(seed: int) -> None:
    draw = random.Random(seed)
    labels = draw.sample(FIELDS, draw.choice([3, 4]))
    filled = [FILLED[0], *draw.sample(FILLED[1:], 5)][: len(labels) + draw.randint(2, 3)]
    lines = [f"{labels[at % len(labels)]}: {text}" for at, text in enumerate(filled)]
    assert detect("\n".join(lines).encode()) == "document"


#: Labels in turns, and what is filled in beside them, of oneself too.
PAIRS = {
    ("Pro", "Con"): ["it is cheap", "my back hurts on it", "it folds", "it squeaks"],
    ("Before", "After"): ["two clicks", "one click", "I typed it", "it is filled in for me"],
    ("Problem", "Solution"): ["the pump leaks", "I changed the seal", "it clogs", "clean it"],
    ("Want", "Got"): ["a dog", "a hamster", "my own room", "a shared one"],
    ("Vorteil", "Nachteil"): ["es ist billig", "mir tut alles weh", "leicht", "laut"],
}


@pytest.mark.parametrize("labels", PAIRS)
def test_two_labels_in_turns_are_fields_where_nobody_speaks_to_anybody(
    labels: tuple[str, str],
) -> None:
    lines = [f"{labels[at % 2]}: {text}" for at, text in enumerate(PAIRS[labels])]
    assert detect("\n".join(lines).encode()) == "document"
    assert detect("\n".join([*lines, f"{labels[0]}: thanks, did you try?"]).encode()) == "text"


@pytest.mark.parametrize("kind", DIALOGUES)
def test_what_people_say_to_each_other_is_a_dialogue(kind: str) -> None:
    assert detect(DIALOGUES[kind].encode()) == "text"


SPOKEN = [("Odile", "The pump leaks,\nagain."), ("Bo", "A seal?"), ("Odile", "Do! At 10:30.")]
#: How programs write the head of a turn, or its only line.
HEADS = [
    *(
        "{}  {}\n{}\n",
        "{} ({})\n{}\n",
        "{} - {}\n{}",
        "{} — Today at {} AM\n{}",
        "{} | [{}]\n\n{}\n",
    ),
    *("{1} {0}\n{2}\n", "[{1}] {0}\n{2}", "{1}, {0}\n{2}\n"),
]
LINES = ["[{1}] <{0}> {2}", "{1} <@{0}> {2}", "[2026-03-01 {1}] < {0}> {2}"]


@pytest.mark.parametrize("form", HEADS)
@pytest.mark.parametrize("clock", ["0:03", "10:02", "1:02:03"])
def test_a_name_and_a_time_alone_on_a_line_begin_a_turn(form: str, clock: str) -> None:
    text = "\n".join(form.format(who, clock, words) for who, words in SPOKEN)
    assert detect(text.encode()) == "text"
    assert turns(text) == SPOKEN


@pytest.mark.parametrize("time", ["0:03", "0 minutes 3 seconds", "1 hour 2 minutes", "5 seconds"])
def test_the_time_may_stand_on_a_line_below_the_name(time: str) -> None:
    text = "\n\n".join(f"{who}\n{time}\n{words}" for who, words in SPOKEN)
    assert detect(text.encode()) == "text"
    assert turns(text) == SPOKEN


@pytest.mark.parametrize("form", LINES)
def test_in_a_log_of_a_chat_only_what_is_said_is_told(form: str) -> None:
    said = [(who.lower(), words.replace("\n", " ")) for who, words in SPOKEN]
    lines = [form.format(who, f"10:0{minute}", words) for minute, (who, words) in enumerate(said)]
    notice = form.partition(" <")[0].format("", "10:01") + " -!- cleo has joined"
    text = "\n".join([lines[0], notice, *lines[1:]])
    assert detect(text.encode()) == "text"
    assert turns(text) == said


def test_a_tab_may_stand_between_a_time_a_name_and_what_is_said() -> None:
    text = "2026-03-01 10:02:11\t@odile\tthe pump leaks\n2026-03-01 10:03:00\t--\tcleo left\n"
    assert turns(text + "2026-03-01 10:04:00\tbo\ta seal?\n") == [
        ("odile", "the pump leaks"),
        ("bo", "a seal?"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Keynote 10:00\nAbout graphs.\nLunch 12:00\nSoup.\nWorkshop 14:00\nPumps.\n",
        "Bus 10:00\nTrain 11:00\nBus 12:00\n",
        "Monday 10:00\nYoga.\nTuesday 9:00\nPilates.\n",
        "<div> some markup\n<p> more of it\n",
    ],
)
def test_a_programme_of_a_day_is_no_talk(text: str) -> None:
    assert detect(text.encode()) == "document"


def test_few_labels_that_recur_are_speakers() -> None:
    assert speakers_of(["Dana", "Kim", "Dana", "Kim"]) == {"Dana", "Kim"}
    assert speakers_of(["Keel", "Mast", "Boom", "Sheet"]) == frozenset()
    assert speakers_of([]) == frozenset()
    assert not may_be_name("Todo", 3)
    assert may_be_name("Kim Lee", 1)


# Aider's histories: who asks and who answers, whatever stands in fences and reports.

ANSWERS = st.text("abc äß.!?", min_size=1).map(lambda text: f"x {text}".strip())
TURNS = st.lists(st.tuples(ANSWERS, ANSWERS), min_size=1, max_size=5)


@given(runs=st.lists(TURNS, min_size=1, max_size=3))
def test_each_start_is_a_session_and_each_turn_is_said_by_its_speaker(
    runs: list[list[tuple[str, str]]],
) -> None:
    text, expected = "", []
    for number, turns in enumerate(runs):
        text += f"\n# aider chat started at 2026-03-0{number + 1} 10:00:00\n\n> Added a.py  \n\n"
        for asked, answered in turns:
            code = "```\n#### no words\n> nor a report\n```"
            text += f"#### /add b.py  \n> Added b.py  \n\n#### {asked}  \n#### and more  \n\n"
            text += f"{answered}\n\n{code}\n\n> Tokens: 2k sent.  \n\n"
            day = f"2026-03-0{number + 1}"
            expected += [
                (day, "user_message", f"{asked}\nand more"),
                (day, "assistant_message", f"{answered}\n\n{code}"),
            ]
    with read(io.BytesIO(text.encode())) as records:
        events = [record.event for record in records if record.event]
    assert detect(text.encode()) == "aider"
    found = [(str(e.ts)[:10], e.kind.value, str(e.payload["text"])) for e in events]
    assert found == expected
