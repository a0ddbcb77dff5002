"""How long a newcomer needs: the four ways in of docs/start.md, each in a new environment.

    python -m bench.newcomer [--write]

Runs what stands there, command by command: the installation from this repository, then every block
in an empty folder. `--write` puts the times into the document's table.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/start.md"
_SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_INSTALL = re.compile(r"^    (pip install .+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROWS = re.compile(r"(<!-- times -->\n\|.*\n\|.*\n)((?:\|.*\n)*)")


@dataclass(frozen=True, slots=True)
class WayIn:
    """A section of the page: its title, how it is installed, and its programs and commands."""

    title: str
    install: str
    steps: tuple[tuple[str, str], ...]


def ways_in(page: str) -> Iterator[WayIn]:
    """Yield the sections of the page that install something."""
    for title, text in _SECTION.findall(page):
        if install := _INSTALL.search(text):
            yield WayIn(title, install[1], tuple(_BLOCK.findall(text)))


def commands(language: str, text: str) -> list[list[str]]:
    """Return what a block runs, as arguments of processes."""
    if language == "python":
        return [["python", "-c", text]]
    return [["/bin/sh", "-c", line[2:]] for line in text.splitlines() if line.startswith("$ ")]


def timed(way: WayIn) -> tuple[float, float]:
    """Return the seconds of the installation and of everything else."""
    with TemporaryDirectory() as folder:
        home, place = Path(folder) / "home", Path(folder) / "place"
        place.mkdir()
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        path = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        plain = {k: v for k, v in os.environ.items() if not k.startswith(("MERIDIA_", "PYTHON"))}
        env = plain | {"PATH": path, "HOME": folder, "VIRTUAL_ENV": str(home)}
        started = time.perf_counter()
        quiet = way.install.replace("pip install", "pip install --quiet", 1)
        subprocess.run(["/bin/sh", "-c", quiet], cwd=ROOT, env=env, check=True)
        installed = time.perf_counter()
        for language, text in way.steps:
            for command in commands(language, text):
                subprocess.run(command, cwd=place, env=env, check=True, stdout=subprocess.DEVNULL)
        return installed - started, time.perf_counter() - installed


def main() -> None:
    """Time each way in, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="put the times into docs/start.md")
    write, page, rows = parser.parse_args().write, PAGE.read_text("utf-8"), ""
    for way in ways_in(page):
        install, rest = timed(way)
        row = f"| {way.title} | {install:.0f} | {rest:.1f} |\n"
        print(row, end="", flush=True)
        rows += row
    if write:
        PAGE.write_text(_ROWS.sub(lambda found: found[1] + rows, page), "utf-8")


if __name__ == "__main__":
    main()
