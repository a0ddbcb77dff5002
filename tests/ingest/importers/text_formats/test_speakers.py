from __future__ import annotations

import pytest

from meridia.ingest.importers.format_detection import detect
from meridia.ingest.importers.text_formats.speakers import may_be_name, speakers_of

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


@pytest.mark.parametrize("kind", DIALOGUES)
def test_what_people_say_to_each_other_is_a_dialogue(kind: str) -> None:
    assert detect(DIALOGUES[kind].encode()) == "text"


def test_few_labels_that_recur_are_speakers() -> None:
    assert speakers_of(["Dana", "Kim", "Dana", "Kim"]) == {"Dana", "Kim"}
    assert speakers_of(["Keel", "Mast", "Boom", "Sheet"]) == frozenset()
    assert speakers_of([]) == frozenset()
    assert not may_be_name("Todo", 3)
    assert may_be_name("Kim Lee", 1)
