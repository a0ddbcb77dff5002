"""How much of the evidence of later questions is in a pack? LoCoMo's evidence among its citations.

    python -m bench.packs --data locomo.json [--tokens 2000] [--db FILE] [--json]

For every conversation and speaker a resumption pack, of all of it and as of its middle; beside it
the most recent turns and random turns in the same budget, four characters a token, without
citations. A pack is about one person: it is asked the questions all of whose evidence that person
said. A question counts when all of its evidence is there; in the half, it lies in that half.
`answered` looks at the text, not at citations: the share of the answers' content words that stand
in the pack's own text, and in the better baseline's (b). LoCoMo is CC BY-NC 4.0 and is read from
outside.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.baselines import Text, settings, texts_of
from bench.locomo import import_conversations, questions_of
from bench.scores import EvaluationQuestion
from meridia import Memory
from meridia.retrieval.packs.pack import Pack

TOKENS, CHARS_PER_TOKEN, DRAWS = 2000, 4, 20
_TURN = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class PackScore:
    """One pack beside its baselines: shares of the questions, and the pack over the better one."""

    sample: str
    person: str
    portion: str
    questions: int
    turns: int
    cited: int
    tokens: int
    pack: float
    recent: float
    random: float
    ratio: float
    answered: float
    answered_recent: float
    answered_random: float


def main() -> None:
    """Import, make packs, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo's JSON file")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="the budget")
    parser.add_argument("--db", type=Path, help="keep the imported database here for another run")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    samples = json.loads(given.data.read_text("utf-8"))
    chosen = settings(flags={"embedding.enabled": False})
    with tempfile.TemporaryDirectory() as folder:
        database = given.db or Path(folder) / "packs.db"
        with Memory.open(database, settings=chosen) as memory:
            import_conversations(memory, given.data, merged=False)
            rows = [row for sample in samples for row in measure(memory, sample, given.tokens)]
    report(rows, as_json=given.json)


def measure(memory: Memory, sample: dict[str, Any], tokens: int) -> list[PackScore]:
    """Return a row for each speaker of an imported conversation, whole and as of its middle."""
    here = memory.in_space(sample["sample_id"])
    turns = texts_of(here)
    answers = {qa["question"]: str(qa.get("answer", "")) for qa in sample["qa"]}
    rows = []
    for portion, visible in (("whole", turns), ("half", turns[: len(turns) // 2])):
        ids = {text.id for text in visible}
        asked = [
            question
            for question in questions_of(sample)
            if portion == "whole" or question.evidence <= normalised_ids(ids)
        ]
        as_of = None if portion == "whole" else here.get(visible[-1].id).seq
        newest = most_recent(visible, tokens)
        drawn = [at_random(visible, tokens, seed) for seed in range(DRAWS)]
        everything = asked
        for person in sorted({text.person for text in visible if text.person}):
            own = normalised_ids([text.id for text in visible if text.person == person])
            asked = [question for question in everything if question.evidence <= own]
            recent = share(asked, newest)
            chance = statistics.mean(share(asked, ids) for ids in drawn)
            answered_in = partial(answered, here, asked, answers)
            pack = here.resume(person, tokens=tokens, as_of=as_of)
            cited = pack.cited if isinstance(pack, Pack) else []
            coverage, better = share(asked, cited), max(recent, chance)
            rows.append(
                PackScore(
                    sample=sample["sample_id"],
                    person=person,
                    portion=portion,
                    questions=len(asked),
                    turns=len(visible),
                    cited=len(cited),
                    tokens=pack.tokens if isinstance(pack, Pack) else 0,
                    pack=coverage,
                    recent=recent,
                    random=chance,
                    ratio=coverage / better if better else float("inf"),
                    answered=answered_in("" if pack is None else pack.text),
                    answered_recent=answered_in(_text_of(visible, newest)),
                    answered_random=statistics.mean(
                        answered_in(_text_of(visible, ids)) for ids in drawn
                    ),
                )
            )
    return rows


def most_recent(turns: Sequence[Text], tokens: int) -> list[str]:
    """Return the newest turns that fit into a budget, newest first."""
    return _filled(list(reversed(turns)), tokens, stop=True)


def at_random(turns: Sequence[Text], tokens: int, seed: int) -> list[str]:
    """Return turns drawn by chance until nothing more fits."""
    drawn = random.Random(seed).sample(list(turns), len(turns))
    return _filled(drawn, tokens, stop=False)


def _filled(turns: Sequence[Text], tokens: int, *, stop: bool) -> list[str]:
    left, ids = tokens * CHARS_PER_TOKEN, []
    for turn in turns:
        room = len(f"{turn.person}: {turn.text}\n")
        if room > left:
            if stop:
                break
            continue
        left -= room
        ids.append(turn.id)
    return ids


def _text_of(turns: Sequence[Text], ids: Collection[str]) -> str:
    return "\n".join(f"{turn.person}: {turn.text}" for turn in turns if turn.id in set(ids))


def share(asked: Sequence[EvaluationQuestion], ids: Collection[str]) -> float:
    """Return the share of questions all of whose evidence is among some turns."""
    there = normalised_ids(ids)
    return sum(question.evidence <= there for question in asked) / max(len(asked), 1)


def normalised_ids(ids: Collection[str]) -> set[str]:
    """Return turn ids without leading zeros, as questions name them."""
    return {_TURN.sub(lambda m: f"D{int(m[1])}:{int(m[2])}", id) for id in ids}


def answered(
    memory: Memory, asked: Sequence[EvaluationQuestion], answers: dict[str, str], text: str
) -> float:
    """Return the mean share of an answer's content words that stand in a text."""
    terms = memory.parts.analyser.terms
    there = set(terms(text))
    wanted = [set(terms(answers.get(question.question, ""))) for question in asked]
    shares = [len(words & there) / len(words) for words in wanted if words]
    return statistics.mean(shares) if shares else 0.0


def report(rows: Sequence[PackScore], *, as_json: bool) -> None:
    """Print every row, and the means."""
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    print("conversation  person      part   cited/turns    pack  recent  random  ratio   text (b)")
    for row in rows:
        print(
            f"{row.sample:13} {row.person:11} {row.portion:6} {row.cited:5}/{row.turns:<5} "
            f"{row.pack:8.3f} "
            f"{row.recent:7.3f} {row.random:7.3f} {row.ratio:6.2f} {row.answered:6.2f} "
            f"({max(row.answered_recent, row.answered_random):.2f})"
        )
    for portion in ("whole", "half"):
        ratios = [row.ratio for row in rows if row.portion == portion and row.questions]
        if ratios:
            print(f"{portion}: mean ratio {statistics.mean(ratios):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
