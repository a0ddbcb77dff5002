"""`meridia bench`: how much of what questions ask for a memory finds, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.text import shorten
from ...evaluation import answering
from ...evaluation.questions import (
    ALL,
    EvaluationQuestion,
    Sample,
    draw_questions,
    locomo_questions,
    locomo_samples,
    read_questions,
    samples_of,
    some_of,
)
from ...memory import Memory
from ..options import SharedOptions, pairs_option
from ..render import console, paged_command, print_answer, progress, remark, table

_DRAWN = 100
#: So many of what is never found, or found by other settings alone, are shown.
_SHOWN, _CHARS = 10, 100
#: What a run changes of the settings: it keeps no answer, and has no model read anything.
_FLAGS = {"recall.keep": False, "model.dialect": "none"}
_FILE = click.Path(path_type=Path, dir_okay=False)


@paged_command()
@click.argument("files", nargs=-1, metavar="[PATH]...")
@click.option("--questions", type=_FILE, metavar="FILE", help="What to ask, as JSONL or CSV.")
@click.option("--count", type=click.IntRange(1), help="Ask only so many, drawn by --seed.")
@click.option("--seed", type=int, default=0, show_default=True, help="What chance begins with.")
@click.option(
    "--limit",
    type=click.IntRange(1, 100),
    default=20,
    show_default=True,
    help="Memories of an answer.",
)
@pairs_option("--with", "values", "Compare with this setting. Repeatable.")
@click.option("--answers", type=_FILE, metavar="FILE", help="Have a model answer, into this file.")
@click.option("--judge", metavar="NAME", help="The model that judges; by default model.name.")
@click.option(
    "--prompts",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Your own answer.md and judge.md.",
)
def bench_command(
    shared: SharedOptions,
    files: tuple[str, ...],
    questions: Path | None,
    count: int | None,
    seed: int,
    limit: int,
    values: Mapping[str, Any] | None,
    answers: Path | None,
    judge: str | None,
    prompts: Path | None,
) -> None:
    """Measure how well questions find what answers them.

    \b
    meridia bench                         questions drawn from the memory itself
    meridia bench --questions asked.csv   your own: question, id or text of what answers
    meridia bench chats/                  transcripts, in a journal for this run alone
    meridia bench locomo.json             LoCoMo with its own questions; LongMemEval and BEAM too
    meridia bench … --with recall.profile=simple --with embedding.model=FOLDER

    A drawn question is some words of one memory. No answer is kept and nothing is changed; settings
    are compared on a copy of the journal, and transcripts are read by rule. With --answers the
    model of the settings answers each question whose right answer is known, and the model --judge
    says whether it is right; the budget of model.* does not count here. Run the same command again
    to go on. See docs/bench.md.
    """  # noqa: D301 - click takes the \b for "do not wrap"
    if (judge or prompts) and not answers:
        raise InvalidInput("--judge and --prompts need --answers FILE")
    values = values or {}
    samples = [sample for name in files for sample in samples_of(Path(name))]
    known = some_of([q for sample in samples for q in sample.questions], count, seed)
    spaces = {question.space for question in known}
    with _opened(shared, files, [one for one in samples if one.space in spaces]) as memory:
        answering.settings_to_ask(memory.settings, values)
        every = known or _questions(memory, shared, files, questions, count, seed)
        asked = [question for question in every if question.evidence]
        if not asked:
            raise InvalidInput("no memory is expected: no question names what answers it")
        with progress("asking", shared.as_json) as move:
            found = answering.ask_all(memory, asked, limit, move)
        result = answering.report(memory, found, limit)
        result["compared"] = {
            f"{key}={value}": _compared(memory, found, {key: value}, limit)
            for key, value in values.items()
        }
        if answers:
            settings = shared.load().settings.model
            models = answering.opened_models(settings, judge, prompts)
            result["answers"] = _answered(memory, models, every, answers, limit)
    print_answer(shared, lambda: result, lambda: _show(result))


@contextmanager
def _opened(
    shared: SharedOptions, files: Sequence[str], samples: Sequence[Sample]
) -> Iterator[Memory]:
    """Yield the memory, or one that has just these transcripts; neither keeps an answer.

    Transcripts are read by rule alone: a run that asks no model gives the same figures again.
    """
    if not files:
        shared.require_journal()
        with shared.memory(_FLAGS) as memory:
            _enrich(memory, [memory.space])
            yield memory
        return
    settings = shared.load(_FLAGS).settings
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        with Memory.open(path, shared.named_space or "default", settings, enrich="manual") as new:
            for sample in samples:
                new.in_space(sample.space).remember_many(sample.messages)
            for file in () if samples else files:
                summary = new.import_file(Path(file), space=shared.named_space)
                for problem in summary.problems:
                    remark(problem)
            _enrich(new, new.parts.journal.spaces())
            yield new


def _enrich(memory: Memory, spaces: Sequence[str]) -> None:
    for space in spaces:
        with progress(f"enriching {space}") as move:
            memory.in_space(space).enrich(move)


def _questions(
    memory: Memory,
    shared: SharedOptions,
    files: Sequence[str],
    questions: Path | None,
    count: int | None,
    seed: int,
) -> list[EvaluationQuestion]:
    """Return the questions of the file, else those that the transcripts bring, else drawn ones."""
    samples = [sample for name in files for sample in locomo_samples(Path(name))]
    if questions is not None:
        given = read_questions(questions, memory)
    elif samples and not shared.named_space:
        given = [question for sample in samples for question in locomo_questions(sample)]
    else:
        spaces = memory.parts.journal.spaces() if files else [memory.space]
        given = [
            question
            for space in spaces
            for question in draw_questions(memory.in_space(space), count or _DRAWN, seed)
        ]
        count = count or _DRAWN
    if not given:
        raise InvalidInput("there is nothing to ask for: no memory has four words of its own")
    return some_of(given, count, seed)


def _compared(
    memory: Memory,
    before: Sequence[answering.AskedQuestion],
    values: Mapping[str, Any],
    limit: int,
) -> dict[str, Any]:
    asked = [one.asked for one in before]
    spaces = list(dict.fromkeys(question.space or str(memory.space) for question in asked))
    with answering.opened_with(memory, values, spaces) as other, progress("comparing") as move:
        after = answering.ask_all(other, asked, limit, move)
    return answering.compare(before, after, limit)


def _answered(
    memory: Memory,
    models: AbstractContextManager[answering.Answerer],
    asked: Sequence[EvaluationQuestion],
    file: Path,
    limit: int,
) -> dict[str, Any]:
    answerable = [question for question in asked if question.answer]
    if not answerable:
        raise InvalidInput("--answers: no question has an answer that is known to be right")
    with models as answerer, progress("answering") as move:
        judged = answering.answer_all(memory, answerer, answerable, file, limit, move)
    return answering.summary(judged, len(answerable))


def _show(result: Mapping[str, Any]) -> None:
    names = [name for name in result["scores"][ALL] if name != "questions"]
    rows = [
        [group, measured["questions"], *(_percent(measured[name]) for name in names)]
        for group, measured in result["scores"].items()
    ]
    for setting, other in result["compared"].items():
        measured = other["scores"][ALL]
        rows.append([setting, result["questions"], *(_percent(measured[name]) for name in names)])
    table(["", "questions", *names], rows)
    sure, other = result["confidence"]["right_first"], result["confidence"]["other"]
    lines = [
        f"{result['memories']:,} memories; {result['never_shown']:,} of them in no answer",
        f"{result['ms']['median']:.0f} ms a question (95 %: {result['ms']['p95']:.0f} ms)",
        f"{result['tokens']:.0f} tokens an answer of {result['limit']}",
        *_confidence_lines("the first memory is right", sure),
        *_confidence_lines("another one is first", other),
    ]
    console.print("\n".join(["", *lines]), markup=False, soft_wrap=True)
    _list(
        f"never found among {result['limit']}",
        [f"{one['address']} {one['text']}" for one in result["never_found"]],
    )
    _list("expected, and in no memory", result["in_no_memory"])
    for setting, each in result["compared"].items():
        _list(f"with {setting} found more", each["gained"])
        _list(f"with {setting} found less", each["lost"])
    if answers := result.get("answers"):
        _show_answers(answers)


def _confidence_lines(what: str, said: Mapping[str, Any]) -> list[str]:
    if not said["count"]:
        return []
    words = ", ".join(f"{word} {said[word]}" for word in ("sure", "maybe", "probably nothing"))
    return [f"{what}: {said['count']} times, confidence {said['mean']:.2f} ({words})"]


def _show_answers(answers: Mapping[str, Any]) -> None:
    rows = [
        [group, one["questions"], _percent(one["correct"])]
        for group, one in answers["scores"].items()
    ]
    console.print()
    table(["answers", "questions", "correct"], rows)
    line = f"{answers['tokens']:,} tokens"
    if answers["unanswered"]:
        line += f"; {answers['unanswered']} unanswered"
    console.print(line, markup=False)
    _list("judged wrong", [f"{w['question']} {w['answer']}" for w in answers["wrong"]])


def _list(heading: str, texts: Sequence[str]) -> None:
    """Print the first of some texts under a heading, or nothing where there are none."""
    if not texts:
        return
    shown = [f"  {shorten(' '.join(text.split()), _CHARS)}" for text in texts[:_SHOWN]]
    more = [f"  and {len(texts) - _SHOWN} more (--json has all)"] * (len(texts) > _SHOWN)
    lines = [f"\n{heading}: {len(texts)}", *shown, *more]
    console.print("\n".join(lines), markup=False, soft_wrap=True)


def _percent(share: float | None) -> float | None:
    return None if share is None else round(share * 100, 1)
