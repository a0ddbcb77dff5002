"""Score what is derived without a model against labels by hand.

    python -m bench.truth [--locomo FILE] [--airline FILE] [--sets FOLDER] [--half rules|check|both]
        [--errors ROW] [--unjudged] [--titles] [--save FILE] [--beside FILE] [--agreement FOLDER]

Every conversation with labels is a space of its own, of 2,000-token `resume` packs as of its end;
runs are the first 60 of the airline and the coding sessions of this project. `--errors` lists what
was wrong or missed in the rows whose names begin so, of the half that rules are written from alone:
the other half is only scored. LoCoMo is CC BY-NC 4.0; both files are read from outside.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.baselines import settings
from bench.locomo import import_conversations
from bench.truth.agreement import agreement, agreement_table
from bench.truth.conversations import derive, score_conversation
from bench.truth.labels import FOLDER, HALVES, RULES, Labels, half_of, read_labels, read_verdicts
from bench.truth.runs import derive_runs, score_run
from bench.truth.statements import StatementScorer
from bench.truth.tally import Item, Verdict, scores_of, scores_table
from bench.truth.written import written_table
from bench.work import CODING
from meridia import Memory
from meridia.core.ids import session_id

_BOTH = "both"
#: Runs of the airline that are imported: those that were labelled, and nothing after them.
_RUNS = 60


def main(arguments: Sequence[str] | None = None) -> None:
    """Import, score and print; or compare readers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--locomo", type=Path, help="LoCoMo's JSON file")
    parser.add_argument("--airline", type=Path, help="tau-bench's airline runs, a JSON file")
    parser.add_argument("--sets", type=Path, help="a folder of sets, of which parts are labelled")
    parser.add_argument("--half", choices=(*HALVES, _BOTH), help="default: both")
    parser.add_argument("--errors", metavar="ROW", help="list what is wrong in rows named so")
    parser.add_argument("--unjudged", action="store_true", help="list what no label decides")
    parser.add_argument("--titles", action="store_true", help="titles of episodes beside labels")
    parser.add_argument("--save", type=Path, help="write the scores here, as JSON")
    parser.add_argument("--beside", type=Path, help="a report of --save to print beside")
    parser.add_argument("--agreement", type=Path, metavar="FOLDER", help="a second reader's labels")
    parser.add_argument("--labels", type=Path, default=FOLDER, help="another folder of labels")
    given = parser.parse_args(arguments)
    if given.errors and given.half not in {None, RULES}:
        parser.error("--errors reads the half of rules alone: the other one is only scored")
    labels = read_labels(given.labels)
    if given.agreement:
        print(agreement_table(agreement(labels, read_labels(given.agreement))))
        return
    half = RULES if given.errors else given.half or _BOTH
    chosen = HALVES if half == _BOTH else (half,)
    wanted = {name: one for name, one in labels.items() if half_of(name) in chosen}
    with tempfile.TemporaryDirectory() as folder:
        scorer = TruthScorer(wanted, given.labels, Path(folder), titles=given.titles)
        items = list(scorer.items(given.locomo, given.airline))
    _print_items(items, given.errors, unjudged=given.unjudged)
    halves = {
        half: scores_of(item for item in items if half_of(item.source) == half) for half in chosen
    }
    before = json.loads(given.beside.read_text("utf-8")) if given.beside else None
    print(scores_table(halves, before))
    print(f"\n{written_table(given.sets)}")
    if given.save:
        report = {
            half: {row: score.as_json() for row, score in scores.items()}
            for half, scores in halves.items()
        }
        given.save.write_text(json.dumps(report, indent=1), "utf-8")


class TruthScorer:
    """Imports what has labels into a folder of its own, and scores it."""

    def __init__(
        self, labels: Mapping[str, Labels], labels_folder: Path, folder: Path, *, titles: bool
    ) -> None:
        self._labels = labels
        self._verdicts = read_verdicts(labels_folder / "verdicts.tsv")
        self._folder = folder
        self._titles = titles
        self._settings = settings()

    def items(self, locomo: Path | None, airline: Path | None) -> Iterator[Item]:
        """Yield every item of the files that are given, and of the coding sessions."""
        if locomo:
            yield from self._conversations(locomo)
        yield from self._runs(CODING, "native", "c")
        if airline:
            runs = json.loads(airline.read_text("utf-8"))[:_RUNS]
            yield from self._runs(self._written(runs), "tau-bench", "a")

    def _conversations(self, locomo: Path) -> Iterator[Item]:
        samples = json.loads(locomo.read_text("utf-8"))
        labelled = self._written([s for s in samples if s["sample_id"] in self._labels])
        with Memory.open(self._folder / "conversations.db", settings=self._settings) as memory:
            for space in import_conversations(memory, labelled, merged=False):
                here, labels = memory.in_space(space), self._labels[space]
                scorer = StatementScorer(labels, self._verdicts, memory.parts.analyser)
                yield from score_conversation(labels, derive(here), scorer)
                if self._titles:
                    _print_titles(here, labels)

    def _runs(self, data: Path, format: str, prefix: str) -> Iterator[Item]:
        if not any(source.startswith(prefix) and source[1:].isdigit() for source in self._labels):
            return
        with Memory.open(self._folder / f"{format}.db", format, self._settings) as memory:
            memory.import_file(data, format=format, space=format)
            memory.enrich()
            for source, derived in derive_runs(memory).items():
                if source in self._labels:
                    yield from score_run(self._labels[source], derived)

    def _written(self, values: Sequence[object]) -> Path:
        path = self._folder / "data.json"
        path.write_text(json.dumps(values), "utf-8")
        return path


def _print_items(items: Sequence[Item], errors: str | None, *, unjudged: bool) -> None:
    wrong = {Verdict.WRONG, Verdict.ABSENT}
    for item in items:
        if errors and item.row.startswith(errors) and item.verdict in wrong:
            print(f"{item.row}\t{item.source}/{item.id}\t{item.text}")
        if unjudged and item.verdict is Verdict.UNJUDGED:
            print(f"{item.source}/{item.id}\t{item.text}\t")


def _print_titles(here: Memory, labels: Labels) -> None:
    derived = {episode.session: episode.topic for episode in here.chronicle.episodes()}
    for label in labels.of("title"):
        stream = session_id(here.space, f"session_{label.id.removeprefix('S')}")
        print(f"{labels.source}/{label.id}\t{derived.get(stream, '–')}\t{label['title']}")


if __name__ == "__main__":
    main()
