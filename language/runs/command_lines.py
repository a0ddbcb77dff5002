"""Shell command lines: which programs are run, on what, and whether they only read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

_SHELLS = re.compile(r"(?:^|_)(?:bash|sh|zsh|shell|exec|execute|terminal|cmd|powershell|command)$")
_SEGMENTS = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNMENT = re.compile(r"^\w+=(?!=)")
#: Run something else, or only prepare: they are not what a command is out for.
_WRAPPERS = frozenset("sudo env time nohup command exec then do else timeout".split())
_NO_PROGRAMS = frozenset(
    "cd export source . set echo printf true sleep fi done for if while".split()
)
#: Both words run something else.
_RUNNERS = frozenset({"uv run", "poetry run", "pipenv run", "hatch run", "bundle exec", "npx"})
#: Programs whose next word says what they do.
_TWO_WORDS = frozenset(
    "apt apt-get cargo docker gh git go kubectl mvn node npm npx pip pnpm poetry python "
    "ruby systemctl terraform uv yarn".split()
)
#: Tools and programs that only look: what they print may speak of errors that are not theirs.
_LOOKS = re.compile(
    r"(?:^|[_ ])(?:read|get|list|search|find|view|cat|head|tail|less|ls|glob|rg|grep|tree|status"
    r"|show|think|log|logs|journalctl|diff|blame|awk|jq|wc|open|goto|scroll_\w+|df"
    r"|du|ps|lsof|netstat|dig|ping|uptime|which|whoami|uname)(?:_|$)"
)
#: A call with one of these tries nothing.
_NO_TRIAL = re.compile(r"--(?:dry-run|help|version|collect-only|check-only|abort|quit)\Z")
#: What stands in a command line for a program to read: it runs nothing.
_HERE_DOCUMENT = re.compile(
    r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n.*?(?:^\s*\2\s*$|\Z)", re.DOTALL | re.MULTILINE
)
_EDITED = re.compile(r"(\A\s*(?:edit|insert|create)\b[^\n]*)\n.*", re.DOTALL)
_CHANGES_TO = re.compile(r"(?:^|[;&|\n(])\s*cd\s+([^\s;&|]+)")
#: Builders, what of their targets only prepares, and what names the whole.
_BUILDERS = frozenset({"make", "gradle", "gradlew", "mvn", "ninja"})
_CLEANS, _ALL = frozenset({"clean", "cleanall", "distclean"}), "all"
#: Behind a short option these are its value: "-j 4", "-p no:cacheprovider".
_VALUE = re.compile(r"\d+\Z|no:")
#: What an editor calls lines by: "14:20".
_RANGE = re.compile(r"\d+:\d+\Z")
_INTERPRETERS = frozenset({"bash", "sh", "zsh"})
_QUOTES = "'\"()"
_WORDS_MAX = 24


class Command(NamedTuple):
    """One program of a command line: its name, such as `git push`, and what it works on.

    `targets` are its words without options and their values.
    """

    program: str
    targets: tuple[str, ...]


def is_shell(tool: str) -> bool:
    """Return whether a tool, by its folded name, runs command lines."""
    return _SHELLS.search(tool) is not None


def only_looks(tool: str, programs: Sequence[str]) -> bool:
    """Return whether a call looks and changes nothing: all its programs do, or else the tool."""
    return all(_LOOKS.search(name) for name in programs or [tool])


def commands_of(line: str) -> list[Command]:
    """Return what a command line runs, in order; what only prepares is left out."""
    line = _without_documents(line)
    segments = (segment.split()[:_WORDS_MAX] for segment in _SEGMENTS.split(line))
    return [command for words in segments if (command := _command(words))]


def directories_of(line: str) -> list[str]:
    """Return the directories that a command line changes to, in order."""
    return [match[1].strip(_QUOTES) for match in _CHANGES_TO.finditer(_without_documents(line))]


def _without_documents(line: str) -> str:
    """Return a command line without what stands in it for a program or an editor to read."""
    return _EDITED.sub(r"\1", _HERE_DOCUMENT.sub(r"\3", line))


def _command(words: list[str]) -> Command | None:
    words = _own_words(words)
    if not words or words[0] in _NO_PROGRAMS or any(map(_NO_TRIAL.match, words)):
        return None
    program, rest = PurePosixPath(words[0].strip(_QUOTES)).name.casefold(), words[1:]
    program = re.sub(r"(?<=[a-z])[\d.]+\Z", "", program)  # python3 is Python
    if "-m" in rest[:-1] and program == "python":
        place = rest.index("-m") + 1
        return Command(rest[place], _targets(rest[place + 1 :]))
    if program in _BUILDERS and not _CLEANS.isdisjoint(rest):
        rest = [word for word in rest if word not in _CLEANS]
        if all(word.startswith("-") for word in rest):
            return None  # "make clean"
    if program in _TWO_WORDS:
        options = len(list(takewhile(lambda word: word.startswith("-"), rest)))
        program = " ".join([program, *(PurePosixPath(word).name for word in rest[options:][:1])])
        rest = rest[options + 1 :]
    targets = _targets(rest)
    if program in _BUILDERS:
        targets = tuple(target for target in targets if target != _ALL)
    return Command(program, targets) if program else None


def _own_words(words: list[str]) -> list[str]:
    """Return the words of a command from the program on that it is out for."""
    while words and _prepares(words[0]):
        words = words[1:]
    for count in (1, 2):
        if " ".join(words[:count]) in _RUNNERS:
            words = words[count:]
    runs_file = words[1:] and words[0] in _INTERPRETERS and not words[1].startswith("-")
    return words[1:] if runs_file else words  # "bash deploy.sh" runs deploy.sh


def _prepares(word: str) -> bool:
    return word in _WRAPPERS or bool(_ASSIGNMENT.match(word)) or word.rstrip("s").isdigit()


def _targets(words: list[str]) -> tuple[str, ...]:
    """Return the words that are no option, no option's value and no redirection."""
    targets: list[str] = []
    option = ""
    for word in words:
        bare = word.strip(_QUOTES)
        if word.startswith(("-", "<", ">", "2>", "&")):
            option = word
            continue
        takes = option.startswith("--") and "=" not in option
        value = takes or (option and _VALUE.match(bare)) or _ASSIGNMENT.match(bare)
        value = value or _RANGE.match(bare)
        if not value or "/" in bare or "::" in bare:
            targets.append(bare.removeprefix("./").casefold())
        option = ""
    return tuple(target for target in targets if target and not target.startswith("/dev/"))
