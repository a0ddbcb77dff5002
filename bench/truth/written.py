"""What was written for this project and held out, and two readers.

The halves that are held out here are learned by no head (bench/data/utterances.md). Agreement is
Cohen's kappa of the second reader with the first, over the sentences that both read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.baselines import settings
from bench.measure import aligned
from bench.truth.claims import claims
from meridia import Memory
from meridia.core.events import EventKind
from meridia.core.types import MemoryRecord, Seq
from meridia.language.analyser import Analyser
from meridia.language.facts import facts_in, is_over, stated_in
from meridia.language.reading import factual_spans, read_message
from meridia.language.runs.failure_signs import is_error
from meridia.language.runs.fixes import attempts_of, find_failures
from meridia.models.embedder import MiniLmEmbedder
from meridia.resume.experience_views import ExperienceView
from meridia.resume.layout import SectionTitle
from meridia.resume.pack import Pack
from meridia.resume.quotes import Quotable
from meridia.resume.standing import asked_for

_DATA = Path(__file__).parents[1] / "data"
_AT, _MINUTE = datetime(2026, 1, 1, tzinfo=UTC), timedelta(minutes=1)
_encoder = MiniLmEmbedder()
_TALKS = ("mentions-a", "mentions-b")
_KINDS = ("instruction", "withdrawal", "news", "setback", "plan", "promise", "question")


def written_table(sets: Path | None = None) -> str:
    """Return the figures as lines: what is judged, how much of it is right, and how much found.

    `sets` is a folder of sets of others, of which parts are labelled (`bench.truth.claims`).
    """
    rows = [("written for this project", "right", "found")]
    rows += [_row("failures of tools not seen", outputs()), _row("asked for", orders())]
    rows += [_row("asked for, short lines", kinds_of_orders("orders.held.tsv"))]
    rows += [_row("asked for good, not once", kinds_of_orders("lasting.held.tsv"))]
    rows += [_row("asked for, in talks", asked_in_talks()), _row("core profile", facts())]
    rows += [_row("what a later word ends", ended()), _row("open items", open_items())]
    failed, solved, left = harness_runs()
    rows += [_row("failures in an unseen harness", failed), _row("fixes there", solved)]
    rows += [_row("left unsolved there, over sessions", left)]
    by_kind: dict[str, list[tuple[bool, bool]]] = {}
    for claim in claims(sets):
        for row in (f"true lines, {claim.kind}", f"true lines, {claim.label}"):
            by_kind.setdefault(row, []).append((claim.told, claim.is_so))
    rows += [_row(name, pairs) for name, pairs in by_kind.items()]
    rows += [(f"two readers: {kind}", f"kappa {by:.2f}", "") for kind, by in readers()]
    return aligned(rows, right={1, 2})


def outputs() -> list[tuple[bool, bool]]:
    """Return for each output that is held out whether it is called a failure, and is one."""
    rows = [json.loads(line) for line in _lines("tool_outputs.jsonl")]
    return [(is_error(_event(row)), row["failed"]) for row in rows if row["half"] == "held out"]


def orders() -> list[tuple[bool, bool]]:
    """Return for each sentence that is held out whether a pack tells it as asked for, and it was.

    An agent answers it. What only takes something back counts for neither.
    """
    rows = [line.split("\t") for line in _lines("instructions.held.tsv")]
    return [(_is_told(text), label != "-") for label, text in rows if label != "withdrawal"]


def kinds_of_orders(file: str) -> list[tuple[bool, bool]]:
    """Return the same for lines of several kinds; what was taken back counts as not asked."""
    pairs = []
    for line in _lines(file):
        label, _, text, *before = line.split("\t")
        pairs.append((_is_told(*before, text), label == "instruction"))
    return pairs


def _is_told(*said: str) -> bool:
    """Return whether a pack tells the first of these lines to an agent as asked for."""
    views = list[ExperienceView]()
    for text in said:
        for person, words in (("P", text), (None, "Fine.")):
            kind = EventKind.USER_MESSAGE if person else EventKind.ASSISTANT_MESSAGE
            place = len(views)
            memory = MemoryRecord(
                Seq(place), f"m{place}", f"e{place}", kind, words, _AT, person, "s"
            )
            read = read_message(words, _encoder.encode(words)) if person else ()
            views.append(ExperienceView(memory, utterances=read))
    told = asked_for(Quotable(views, Analyser()), "P", len(said))
    return any(each.quote.memory.seq == 0 for each in told)


def asked_in_talks() -> list[tuple[bool, bool]]:
    """Return for each line that a pack tells as asked for whether it was, and what no line tells.

    The talks are held out.
    """
    pairs = []
    rows = [json.loads(line) for line in _lines("standing.held.jsonl")]
    for _, group in groupby(rows, key=lambda row: row["conversation"]):
        talk = list(group)
        lines = _asked_lines(talk)
        asked = [
            row["sentence"].rstrip(" .!")
            for row in talk
            if row["role"] == "person" and "instruction" in row["labels"]
        ]
        pairs += [(True, any(sentence in line for sentence in asked)) for line in lines]
        pairs += [(False, True) for each in asked if not any(each in line for line in lines)]
    return pairs


def _asked_lines(talk: Sequence[dict[str, Any]]) -> Sequence[str]:
    """Return what the pack of a talk's person tells as asked for."""
    with Memory(None, "talk", settings()) as memory:
        for place, (_, turn) in enumerate(groupby(talk, key=_turn)):
            said = list(turn)
            text, at = " ".join(row["sentence"] for row in said), _AT + place * _MINUTE
            who: dict[str, Any] = {"person": "P"}
            if said[0]["role"] != "person":
                who = {"role": "assistant"}
            memory.remember(text, session=str(said[0]["session"]), at=at, **who)
        memory.enrich()
        pack = memory.resume("P", tokens=2000)
        return pack.lines(SectionTitle.ASKED) if isinstance(pack, Pack) else ()


def _turn(row: dict[str, Any]) -> tuple[Any, Any]:
    return row["session"], row["turn"]


def facts() -> list[tuple[bool, bool]]:
    """Return for each fact that is read, or stands in a sentence, whether it is and does."""
    pairs = []
    for line in _lines("facts.held.tsv"):
        predicate, object, text = line.split("\t")
        read = {(f.predicate, f.object) for f in facts_in(text, factual_spans(read_message(text)))}
        stands = {(predicate, object)} - {("-", "-")}
        pairs += [(fact in read, fact in stands) for fact in read | stands]
    return pairs


def ended() -> list[tuple[bool, bool]]:
    """Return for each pair of sentences whether the later one is read as an end, and is one."""
    pairs = []
    for line in _lines("ends.held.tsv"):
        label, older, later = line.split("\t")
        stated = stated_in(older), stated_in(later)
        pairs.append((is_over(older, stated[0], later, stated[1]), label == "end"))
    return pairs


def open_items() -> list[tuple[bool, bool]]:
    """Return for each line of a pack under "open", and for each open item, whether it is both."""
    pairs = []
    for block in "\n".join(_lines("open.held.tsv")).split("# ")[1:]:
        rows = [line.split("\t") for line in block.splitlines()[1:]]
        with Memory(None, "talk", settings()) as memory:
            for place, (session, who, _, text) in enumerate(rows):
                said: dict[str, Any] = {"session": session, "at": _AT + place * _MINUTE}
                said |= {"role": "assistant"} if who == "agent" else {"person": who}
                memory.remember(text, **said)
            memory.enrich()
            pack = memory.resume(rows[0][1], tokens=2000)
            lines = pack.lines(SectionTitle.OPEN) if isinstance(pack, Pack) else ()
        wanted = [text.rstrip(" .!?") for _, _, label, text in rows if label == "open"]
        pairs += [(True, any(text in line for text in wanted)) for line in lines]
        pairs += [(False, True) for text in wanted if not any(text in line for line in lines)]
    return pairs


#: Pairs of what was given and what was wanted.
_Pairs = list[tuple[bool, bool]]


def harness_runs() -> tuple[_Pairs, _Pairs, _Pairs]:
    """Return failures, fixes, and failures that nothing solved, of tools that no rule names."""
    failed, solved, left = _Pairs(), _Pairs(), _Pairs()
    rows = [json.loads(line) for line in _lines("runs.held.jsonl")]
    for _, group in groupby(rows, key=lambda row: row["run"]):
        run = list(group)
        by_session = {session: list(of) for session, of in groupby(run, lambda r: r["session"])}
        for steps in by_session.values():
            attempts = attempts_of([_step(row) for row in steps])
            fixes = {f.places[-1]: f.fix for f in find_failures(attempts)}
            for place, (row, attempt) in enumerate(zip(steps, attempts, strict=True)):
                if attempt is None:
                    continue
                failed.append((attempt.failed, row.get("failed", False)))
                fix = fixes.get(place)
                given = None if fix is None else steps[fix]["place"]
                wanted = row.get("fix")
                solved += [(given is not None, given == wanted)] if given is not None else []
                solved += [(False, True)] if wanted is not None and given != wanted else []
                left.append((place in fixes and fix is None, row.get("open", False)))
    return failed, solved, left


def _step(row: dict[str, Any]) -> dict[str, Any]:
    if "tool" in row:
        return _event(row)
    kind = EventKind.USER_MESSAGE if row["role"] == "person" else EventKind.ASSISTANT_MESSAGE
    return {"kind": kind.value, "payload": {"text": row["text"]}}


def readers() -> Iterator[tuple[str, float]]:
    """Yield the kappa of two readers, for `mention` and for kinds of sentences."""
    pairs = [pair for name in _TALKS for pair in _read_twice(name)]
    people = [(a, b) for a, b in pairs if a["role"] == "person"]
    yield "mention", kappa([(a["mention"], b["mention"]) for a, b in people])
    for kind in _KINDS:
        yield kind, kappa([(kind in a["labels"], kind in b["labels"]) for a, b in pairs])


def kappa(pairs: Sequence[tuple[Any, Any]]) -> float:
    """Return Cohen's kappa: agreement beyond that of chance, 1 for all."""
    count = max(len(pairs), 1)
    values = {value for pair in pairs for value in pair}
    agreed = sum(first == second for first, second in pairs) / count
    first, second = ([pair[place] for pair in pairs] for place in (0, 1))
    chance = sum(first.count(value) * second.count(value) for value in values) / count**2
    return 1.0 if chance >= 1 else (agreed - chance) / (1 - chance)


def _read_twice(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield a sentence as both readers have it; the second names it by its place."""
    rows = [json.loads(line) for line in _lines(f"{name}.jsonl")]
    by_talk = {key: list(of) for key, of in groupby(rows, key=lambda row: row["conversation"])}
    second = [json.loads(line) for line in _lines(f"{name}.reader2.jsonl")]
    start = min(row["index"] for row in second)
    for row in second:
        yield by_talk[row["conversation"]][row["index"] - start], row


def _event(row: dict[str, Any]) -> dict[str, Any]:
    payload = {"args": row["args"], "result": row["result"]}
    return {"kind": "tool_result", "tool": {"name": row["tool"]}, "payload": payload}


def _row(name: str, pairs: Sequence[tuple[bool, bool]]) -> tuple[str, str, str]:
    right = sum(given and wanted for given, wanted in pairs)
    given, wanted = (sum(pair[place] for pair in pairs) for place in (0, 1))
    return name, f"{right}/{given}", f"{right}/{wanted}"


def _lines(name: str) -> list[str]:
    return (_DATA / name).read_text("utf-8").splitlines()
