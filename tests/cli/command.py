"""The installed `meridia` command as the tests of the command line run it.

A command runs in a child of a warm interpreter (see fork_server.py); `cold=True` starts a
process from nothing, as a person's shell does. Both have an environment of their own, without
settings.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCRIPT = Path(sys.executable).with_name("meridia")
WARM = Path(__file__).with_name("fork_server.py")


@dataclass(frozen=True)
class Done:
    """A finished command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as one JSON document a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class Command:
    """Runs the installed command; see `__call__`."""

    def __init__(self, home: Path) -> None:
        self.script = SCRIPT
        self.home = home
        #: What every command finds in its environment; a module may add to it for a while.
        self.variables: dict[str, str] = {}
        self._number = 0
        self._server: subprocess.Popen[bytes] | None = None

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return an environment without Meridia's variables and with folders of its own."""
        variables = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MERIDIA_", "PYTHON", "XDG_"))
        }
        folders = {f"XDG_{name}_HOME": str(self.home) for name in ("DATA", "CONFIG", "STATE")}
        variables |= folders | {"XDG_CACHE_HOME": str(Path.home() / ".cache")}
        variables |= {
            "HOME": str(self.home),
            "COLUMNS": "120",
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
        }
        return variables | self.variables | dict(more or {})

    def __call__(
        self,
        *arguments: object,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        cold: bool = False,
        before: Callable[[], None] | None = None,
    ) -> Done:
        """Run `meridia ARGUMENTS…`; `before` runs in the new (cold) process before it starts."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        words = [str(argument) for argument in arguments]
        folder = cwd or self.home
        if not cold and before is None:
            return self._warm(words, given, self.environment(env), folder)
        done = subprocess.run(
            [self.script, *words],
            input=given,
            capture_output=True,
            check=False,
            cwd=folder,
            env=self.environment(env),
            preexec_fn=before,
            timeout=120,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def _warm(
        self, words: Sequence[str], given: bytes, environment: Mapping[str, str], folder: Path
    ) -> Done:
        if self._server is None:
            self._start()
        self._number += 1
        files = {n: self.home / f"{self._number}.{n}" for n in ("stdin", "stdout", "stderr")}
        files["stdin"].write_bytes(given)
        request: dict[str, Any] = {name: str(path) for name, path in files.items()}
        request |= {"folder": str(folder), "arguments": words, "environment": environment}
        print(json.dumps(request), file=self._requests, flush=True)
        status = self._answers.readline()
        assert status, "the warm interpreter ended"
        out, err = files["stdout"].read_text("utf-8"), files["stderr"].read_text("utf-8")
        for file in files.values():
            file.unlink()
        return Done(int(status), out, err)

    def _start(self) -> None:
        (ask, ours_to_ask), (ours_to_tell, tell) = os.pipe(), os.pipe()
        self._server = subprocess.Popen(
            [sys.executable, "-P", WARM, self.script, str(ask), str(tell)],
            pass_fds=(ask, tell),
            stdin=subprocess.DEVNULL,
            # Threads do not survive a fork, and starting them anew costs more than most commands.
            env=self.environment({"OPENBLAS_NUM_THREADS": "1"}),
        )
        os.close(ask)
        os.close(tell)
        self._requests = os.fdopen(ours_to_ask, "w")
        self._answers = os.fdopen(ours_to_tell)

    def close(self) -> None:
        """End the warm interpreter."""
        if self._server is not None:
            self._requests.close()
            self._answers.close()
            self._server.wait(10)


@dataclass(frozen=True)
class Demo:
    """A journal filled by the demo, and what the demo said."""

    db: Path
    result: Done
    where: tuple[str, ...]
