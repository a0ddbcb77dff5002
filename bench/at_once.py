"""Answers while what was captured is not enriched yet, and what enrichment costs.

    python -m bench.at_once [--size 5000] [--over library|processes|http] [--cost]

Captures `--size` messages at once and asks without waiting: 20 questions in the exact words of a
message and 20 in other words, while enrichment goes on; then the same of the space at rest, when
everything is enriched. Over the library, from a second process, or over HTTP. Tells times, how many
were first or among the first ten, and the ratio of the 95th percentiles. `--cost` tells the
processor time of enrichment, ms a message, of short turns and of outputs of tools. Exit status 1 if
an answer took over a second, or exact words were not first.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from meridia import Memory

#: What a question in other words asks for, and the question.
PAIRS = (
    ("We finally bought a kayak for the lake.", "Which small boat did they purchase?"),
    ("My sister is expecting twins in autumn.", "Who in the family is pregnant?"),
    ("The dentist pulled two of my teeth.", "What happened at the medical appointment?"),
    ("I quit smoking last winter.", "Which bad habit was given up?"),
    ("Our cat ran away during the storm.", "Which pet got lost?"),
    ("The landlord raised our rent again.", "What became more expensive at home?"),
    ("I passed the driving test.", "Who may steer a car now?"),
    ("We got engaged on the beach.", "When was the marriage proposal?"),
    ("The flight to Lisbon was cancelled.", "Which trip by plane fell through?"),
    ("My laptop drowned in coffee.", "How did the computer break?"),
    ("I learned to bake sourdough.", "Which kind of bread can somebody make?"),
    ("The neighbours complain about our drums.", "Who dislikes the noise of the instrument?"),
    ("Grandpa moved to a nursing home.", "Where does the old man live now?"),
    ("The garden is full of tomatoes.", "Which vegetables do we grow?"),
    ("I was promoted to team lead.", "Who advanced in the career?"),
    ("We painted the kitchen yellow.", "Which colour do the walls have?"),
    ("The bike was stolen at the station.", "What did the thief take?"),
    ("I am allergic to shellfish.", "Which food must be avoided?"),
    ("Our son started kindergarten.", "What new thing does the child do?"),
    ("The exam was postponed to June.", "When is the test now?"),
)
_THINGS = (
    "crate barrel parcel folder ladder bucket lantern anchor compass rope chart kettle".split()
)
_LOOKS = "green heavy cracked dusty painted broken narrow spare folded rusty polished tiny".split()
_PLACES = "attic cellar harbour office garage workshop library kitchen barn pier tower yard".split()
ASKED = 20


def message(number: int, draw: random.Random) -> str:
    """Return a short message like many others; only its mark is its own."""
    look, thing, place = draw.choice(_LOOKS), draw.choice(_THINGS), draw.choice(_PLACES)
    return f"Put the {look} {thing} in the {place}, please: its mark is {_mark(number)}."


def _mark(number: int) -> str:
    return "".join(
        "bdfgklmnprstvz"[number // 14**n % 14] + "aeiou"[number // 7**n % 5] for n in (0, 1, 2, 3)
    )


def messages(size: int) -> list[dict[str, Any]]:
    """Return `size` messages of two people in sessions of thirty; the pairs are among them."""
    draw = random.Random(5)
    texts = [message(number, draw) for number in range(size)]
    for place, (said, _) in zip(draw.sample(range(size), len(PAIRS)), PAIRS, strict=True):
        texts[place] = said
    return [
        {"text": text, "person": ("Ann", "Bob")[n % 2], "session": f"s{n // 30}", "id": f"m{n}"}
        for n, text in enumerate(texts)
    ]


def questions(said: Sequence[dict[str, Any]]) -> list[tuple[str, str, bool]]:
    """Return (question, the text it asks for, whether in exact words)."""
    draw, by_text = random.Random(9), {said for said, _ in PAIRS}
    exact = draw.sample([m["text"] for m in said if m["text"] not in by_text], ASKED)
    asked = [(text.partition("please: ")[2], text, True) for text in exact]
    return [q for both in zip(asked, [(q, t, False) for t, q in PAIRS], strict=True) for q in both]


Ask = Callable[[str], Sequence[str]]


def measure(ask: Ask, asked: Sequence[tuple[str, str, bool]]) -> dict[str, float]:
    """Ask every question; return times in ms, and how many were found."""
    seconds, ranks = [], {True: list[int](), False: list[int]()}
    for question, wanted, exact in asked:
        started = time.perf_counter()
        texts = list(ask(question))
        seconds.append(time.perf_counter() - started)
        ranks[exact].append(texts.index(wanted) + 1 if wanted in texts else 99)
    seconds.sort()
    return {
        "p50_ms": 1000 * seconds[len(seconds) // 2],
        "p95_ms": 1000 * seconds[int(len(seconds) * 0.95)],
        "max_ms": 1000 * seconds[-1],
        "exact_first": sum(rank == 1 for rank in ranks[True]),
        "other_words_first": sum(rank == 1 for rank in ranks[False]),
        "other_words_in_ten": sum(rank <= 10 for rank in ranks[False]),
    }


@contextmanager
def library(path: Path, said: Sequence[dict[str, Any]]) -> Iterator[tuple[Ask, Callable[[], None]]]:
    """Capture and ask in this process; the second function waits for enrichment."""
    with Memory.open(path) as memory:
        memory.recall("warm up")
        memory.remember_many(said)
        yield lambda question: [h.text for h in memory.recall(question).hits], memory.enrich


@contextmanager
def processes(
    path: Path, said: Sequence[dict[str, Any]]
) -> Iterator[tuple[Ask, Callable[[], None]]]:
    """Capture and enrich in another process, and ask in this one."""
    command = [sys.executable, __file__, "--child", str(path), "--size", str(len(said))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdout.readline()
            with Memory.open(path) as memory:
                memory.recall("warm up")
                yield lambda question: [h.text for h in memory.recall(question).hits], memory.enrich
        finally:
            child.stdin.close()


def child(path: Path, size: int) -> None:
    """Capture, say so, and stay while enrichment goes on in the background."""
    with Memory.open(path) as memory:
        memory.remember_many(messages(size))
        print("captured", flush=True)
        sys.stdin.read()


@contextmanager
def http(path: Path, said: Sequence[dict[str, Any]]) -> Iterator[tuple[Ask, Callable[[], None]]]:
    """Capture and ask over HTTP; the service enriches."""
    command = [sys.executable, "-m", "meridia.cli", "serve", "--db", str(path), "--no-keys"]
    with subprocess.Popen([*command, "--port", "0"], stderr=subprocess.PIPE, text=True) as served:
        assert served.stderr is not None
        try:
            lines = iter(served.stderr.readline, "")
            url = next(line for line in lines if "http://" in line).split("meridia: ")[1].split()[0]

            def post(route: str, body: object) -> Any:
                data = json.dumps(body).encode()
                headers = {"Content-Type": "application/json"}
                request = urllib.request.Request(f"{url}/v1/{route}", data, headers)
                with urllib.request.urlopen(request, timeout=600) as answer:
                    return json.load(answer)

            for start in range(0, len(said), 500):
                post("remember-batch", {"messages": list(said[start : start + 500])})

            def wait() -> None:
                while post("recall", {"question": "warm up", "wait_s": 30}).get("unread"):
                    pass

            post("recall", {"question": "warm up"})
            yield lambda q: [h["text"] for h in post("recall", {"question": q})["hits"]], wait
        finally:
            served.terminate()


def cost(folder: Path) -> dict[str, float]:
    """Return the processor time of enrichment, ms a message, of short turns and tools' outputs."""
    draw, short = random.Random(3), [m["text"] for m in messages(400)]
    outputs = [_tool_output(draw) for _ in range(40)]
    figures = {}
    for name, texts, more in (
        ("short_turn_ms", short, {"person": "Ann"}),
        ("tool_output_ms", outputs, {"role": "tool", "tool": "grep"}),
    ):
        with Memory.open(folder / f"{name}.db", **_MANUAL) as memory:
            memory.remember("warm up")
            memory.enrich()
            memory.remember_many([{"text": text, "session": "s", **more} for text in texts])
            started = time.process_time()
            memory.enrich()
            figures[name] = 1000 * (time.process_time() - started) / len(texts)
    return figures


def _tool_output(draw: random.Random) -> str:
    """Return what a search in a source tree prints, of 2,800 characters."""

    def name() -> str:
        return f"{draw.choice(_LOOKS)}_{draw.choice(_THINGS)}{draw.randrange(999)}"

    text = ""
    while len(text) < 2800:
        text += f"src/{name()}.py:{draw.randrange(400)}: {name()} = {name()}({draw.random():.4f})\n"
    return text[:2800]


_MANUAL: dict[str, Any] = {"enrich": "manual"}
_OVER = {"library": library, "processes": processes, "http": http}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=5000)
    parser.add_argument("--over", choices=list(_OVER), default="library")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--without-quiet", action="store_true", help="do not wait for enrichment")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        child(chosen.child, chosen.size)
        return
    with tempfile.TemporaryDirectory() as name:
        if chosen.cost:
            print(json.dumps(cost(Path(name)), indent=2))
            return
        said = messages(chosen.size)
        asked = questions(said)
        with _OVER[chosen.over](Path(name) / "at-once.db", said) as (ask, wait):
            report = {"at_once": measure(ask, asked)}
            if not chosen.without_quiet:
                wait()
                report["quiet"] = measure(ask, asked)
                report["ratio"] = {
                    "p95": report["at_once"]["p95_ms"] / report["quiet"]["p95_ms"],
                }
        print(json.dumps(report, indent=2))
        now = report["at_once"]
        sys.exit(now["max_ms"] > 1000 or now["exact_first"] < ASKED)


if __name__ == "__main__":
    main()
