"""How much of what others summarised, and of what people asked for, is told by a pack?

    python -m bench.packs --data locomo.json [--instructions FILE] [--db FILE] [--json]

Events: LoCoMo's `event_summary` (CC BY-NC 4.0, read from outside, never learned from). An event is
told by a text when one quote has a third of what its rare words weigh; the ceiling is every
sentence of the person. Beside packs of 500 to 4,000 tokens: a picker of thirty lines, the latest
turns, and random ones. Instructions: conversations with agents, each with what a person asked for
good (I), what replaces it (R) and what takes it back (W); a pack for the person tells them, and
none that was withdrawn as standing. Overhead: the share of a pack's characters that is no quote.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.baselines import Text, settings, texts_of
from bench.locomo import import_conversations
from meridia import Memory
from meridia.language.analyser import Analyser
from meridia.language.sentences import split_sentences
from meridia.resume.layout import SectionTitle
from meridia.resume.pack import Pack

TOKENS, CHARS_PER_TOKEN = 2000, 4
BUDGETS = (500, 1000, 2000, 4000)
#: The share of an event's rare words that a quote has which tells it, and how rare they are.
_TOLD_MIN, _COMMON = 1 / 3, 1.5
_TURN = re.compile(r"D(\d+):(\d+)")
_QUOTE = re.compile(r"“([^”]*)”")
#: What stands behind this was replaced, or has an exception.
_OLDER = re.compile(r"\((?:before|otherwise): ")
_OWN = re.compile(r"\b(?:i|we|my|our)\b", re.IGNORECASE)
_LINE = re.compile(r"([UAIRW])(\d*)\|(.*)")
#: An instruction is told where so much of its words stand in one quote.
_SAME_MIN = 0.6


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: who speaks, the texts of each, what others summarised of each."""

    name: str
    texts: Sequence[Text]
    events: dict[str, list[str]]


def main() -> None:
    """Import, make packs, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, help="LoCoMo's JSON file")
    parser.add_argument("--instructions", type=Path, help="conversations with agents")
    parser.add_argument("--db", type=Path, help="keep the imported database here for another run")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        if given.data:
            database = given.db or Path(folder) / "packs.db"
            report["events"] = measure_events(given.data, database)
        if given.instructions:
            report["instructions"] = measure_instructions(given.instructions, Path(folder))
    print(json.dumps(report, indent=2) if given.json else "\n".join(lines_of(report)))


def measure_events(data: Path, database: Path) -> dict[str, Any]:
    """Return the share of events told, in percent, by what tells them and budget; and overhead."""
    told: Counter[tuple[str, int]] = Counter()
    count, quoted, chars = 0, 0, 0
    with Memory.open(database, settings=settings(), enrich="manual") as memory:
        import_conversations(memory, data, merged=False)
        for sample in json.loads(data.read_text("utf-8")):
            here = memory.in_space(sample["sample_id"])
            here.enrich()
            talk = Conversation(sample["sample_id"], texts_of(here), events_of(sample))
            judge = EventJudge(talk.texts)
            for person, events in talk.events.items():
                count += len(events)
                own = [text.text for text in talk.texts if text.person == person]
                every = [sentence for text in own for sentence in split_sentences(text)]
                told["every sentence", 0] += judge.told(events, every)
                for tokens in BUDGETS:
                    pack = here.resume(person, tokens=tokens)
                    assert isinstance(pack, Pack)
                    quotes = _QUOTE.findall(pack.text)
                    told["pack", tokens] += judge.told(events, quotes)
                    if tokens == TOKENS:
                        quoted, chars = quoted + sum(map(len, quotes)), chars + len(pack.text)
                    for name, texts in baselines(own, tokens).items():
                        told[name, tokens] += judge.told(events, texts)
    shares = {f"{name} {tokens}": round(100 * n / count, 1) for (name, tokens), n in told.items()}
    return {"events": count, **shares, "overhead": round(100 - 100 * quoted / max(chars, 1), 1)}


def events_of(sample: dict[str, Any]) -> dict[str, list[str]]:
    """Return what was summarised of each speaker."""
    events: dict[str, list[str]] = {}
    for session in sample["event_summary"].values():
        for person, told in session.items():
            if person != "date":
                events.setdefault(person, []).extend(told)
    return events


class EventJudge:
    """Says which events some quotes tell, by the rare words of a conversation that they share."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._terms = Analyser().terms
        self._count = len(texts)
        self._often = Counter(word for text in texts for word in {*self._terms(text.text)})
        self._names = {stem for text in texts for stem in self._terms(text.person or "")}

    def told(self, events: Iterable[str], quotes: Iterable[str]) -> int:
        """Return how many events one of the quotes tells."""
        words = [frozenset(self._terms(quote)) for quote in quotes]
        return sum(self._is_told(event, words) for event in events)

    def _is_told(self, event: str, quotes: Sequence[frozenset[str]]) -> bool:
        weights = {word: self._weight(word) for word in {*self._terms(event)} - self._names}
        needed = _TOLD_MIN * sum(weights.values())
        return needed > 0 and any(
            sum(weight for word, weight in weights.items() if word in quote) >= needed
            for quote in quotes
        )

    def _weight(self, word: str) -> float:
        often = self._often[word]
        rare = math.log(1 + (self._count - often + 0.5) / (often + 0.5))
        return max(0.0, rare - _COMMON)


def baselines(own: Sequence[str], tokens: int) -> dict[str, list[str]]:
    """Return what a picker, the latest turns and random turns tell within a budget."""
    sentences = [sentence for text in own for sentence in split_sentences(text)]
    drawn = random.Random(7).sample(list(own), len(own))
    return {
        "picker": _filled(sorted(sentences, key=picked, reverse=True), tokens),
        "latest": _filled(own[::-1], tokens),
        "random": _filled(drawn, tokens),
    }


def picked(sentence: str) -> float:
    """Return how much a sentence tells by length, capitals, digits and first person."""
    words = sentence.split()
    capitals = sum(word[:1].isupper() and word[:2] not in ("I", "I'") for word in words[1:])
    return (
        min(len(words), 25) / 25
        + 0.3 * min(capitals, 3)
        + 0.3 * any(map(str.isdigit, sentence))
        + 0.5 * bool(_OWN.search(sentence))
        - 1.0 * sentence.rstrip().endswith("?")
    )


def _filled(texts: Iterable[str], tokens: int) -> list[str]:
    left, told = tokens * CHARS_PER_TOKEN, []
    for text in texts:
        if len(text) + 10 > left:
            break
        left -= len(text) + 10
        told.append(text)
    return told


def measure_instructions(file: Path, folder: Path) -> dict[str, Any]:
    """Return how many instructions are told as standing, and in the pack; and withdrawn ones."""
    counts: Counter[str] = Counter()
    missed, wrong = [], []
    for number, (person, turns) in enumerate(talks_of(file)):
        with Memory.open(folder / f"i{number}.db", settings=settings(), enrich="manual") as memory:
            remember(memory, person, turns)
            memory.enrich()
            pack = memory.resume(person, tokens=TOKENS)
            assert isinstance(pack, Pack)
            asked = [_OLDER.split(line)[0] for line in pack.lines(SectionTitle.ASKED)]
        last = {number: text for kind, number, text, _ in turns if kind in "IR" and number}
        gone = {number for kind, number, *_ in turns if kind == "W"}
        replaced = [
            (n, t) for kind, n, t, _ in turns if kind == "I" and (t != last[n] or n in gone)
        ]
        for id, text in last.items():
            if id in gone:
                continue
            counts["instructions"] += 1
            is_standing = _stands(text, _quotes(asked))
            counts["told as standing"] += is_standing
            counts["told in the pack"] += _stands(text, _QUOTE.findall(pack.text))
            missed += [] if is_standing else [f"{person}: {text}"]
        for _, text in replaced:
            counts["withdrawn"] += 1
            if _stands(text, _quotes(asked)):
                counts["withdrawn, told as standing"] += 1
                wrong.append(f"{person}: {text}")
        counts["lines asked for"] += len(asked)
    return {**counts, "missed": missed, "wrong": wrong}


def _quotes(lines: Iterable[str]) -> list[str]:
    return [quote for line in lines for quote in _QUOTE.findall(line)]


def _stands(text: str, quotes: Iterable[str]) -> bool:
    words = set(re.findall(r"\w+", text.lower()))
    return any(
        len(words & set(re.findall(r"\w+", quote.lower()))) >= _SAME_MIN * len(words)
        for quote in quotes
    )


def talks_of(file: Path) -> Iterator[tuple[str, list[tuple[str, str, str, datetime]]]]:
    """Yield of each conversation the person and the turns: kind, number, text, time."""
    for block in file.read_text("utf-8").split("\n# ")[1:]:
        heading, *lines = block.split("\n")
        at, turns = datetime(2026, 1, 1, tzinfo=UTC), []
        for line in lines:
            if line.startswith("--- "):
                at = datetime.fromisoformat(f"{line[4:].strip()}T10:00:00+00:00")
            elif match := _LINE.match(line):
                at += timedelta(minutes=1)
                turns.append((match[1], match[2], match[3], at))
        yield heading.split()[-1], turns


def remember(memory: Memory, person: str, turns: Iterable[tuple[str, str, str, datetime]]) -> None:
    """Let a person and an agent say the turns, a session a day."""
    for kind, _, text, at in turns:
        when: dict[str, Any] = {"session": f"{at:%Y-%m-%d}", "at": at}
        if kind == "A":
            memory.remember(text, role="assistant", **when)
        else:
            memory.remember(text, person=person, **when)


def normalised_ids(ids: Iterable[str]) -> set[str]:
    """Return turn ids without leading zeros, as questions name them."""
    return {_TURN.sub(lambda m: f"D{int(m[1])}:{int(m[2])}", id) for id in ids}


def lines_of(report: dict[str, Any]) -> Iterator[str]:
    """Yield a report as lines."""
    for part, rows in report.items():
        for name, value in rows.items():
            if isinstance(value, list):
                yield from (f"{part}: {name}: {each}" for each in value)
            else:
                yield f"{part}: {name:30} {value}"


if __name__ == "__main__":
    main()
