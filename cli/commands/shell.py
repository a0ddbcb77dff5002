"""`meridia shell`: Cypher with history, completion and several lines a statement."""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import platformdirs
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory

from ...core.errors import MeridiaError, NotFound
from ...graph.schema import EDGE_PROPERTIES, EDGES, LABELS, cypher
from ...memory import Memory
from ..options import SharedOptions, command, engine_option, key_values, standard_input
from ..render import console, errors, table
from .query import named_queries, show_rows

_KEYWORDS = (
    "MATCH OPTIONAL WHERE RETURN WITH ORDER BY LIMIT SKIP UNWIND AS DISTINCT COUNT COLLECT "
    "CONTAINS STARTS ENDS AND OR NOT IN IS NULL DESC CASE WHEN THEN ELSE END EXISTS UNION"
).split()
_STATEMENT = re.compile(r"""(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|[^;])+""", re.DOTALL)
_WORD_CHARACTERS = string.ascii_letters + string.digits + "_"
_HELP = """\
End a statement with ; or an empty line. Everything is read-only.
  :help                     this
  :named                    list the named queries
  :named NAME k=v …         run one
  :schema                   labels, edge types, properties
  :quit                     leave (or Ctrl-D)"""


class GraphCompleter(Completer):
    """Completes keywords, labels, edge types inside `[`, properties after `.`, named queries."""

    def __init__(self) -> None:
        properties = {p for label in LABELS.values() for p in label.properties}
        self._properties = sorted({"id", *properties, *EDGE_PROPERTIES})

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield what may stand at the cursor."""
        before = document.text_before_cursor
        stem = before[len(before.rstrip(_WORD_CHARACTERS)) :]
        for candidate in self._candidates(before[: len(before) - len(stem)], before):
            if candidate.lower().startswith(stem.lower()):
                yield Completion(candidate, start_position=-len(stem))

    def _candidates(self, leading: str, line: str) -> list[str]:
        if line.lstrip().startswith(":named"):
            return sorted(named_queries())
        if leading.endswith(":"):
            return sorted(EDGES) if leading.rfind("[") > leading.rfind("(") else ["Memory", *LABELS]
        if leading.endswith("."):
            return self._properties
        return _KEYWORDS


@command()
@engine_option
def shell_command(shared: SharedOptions, engine: str | None) -> int:
    """Query the graph interactively.

    History is stored between sessions; Tab completes labels, types, properties and named queries.
    """
    with shared.memory({"graph.engine": engine}) as memory:
        if not sys.stdin.isatty():
            return _run_all(memory, standard_input(), shared.as_json)
        history = Path(platformdirs.user_state_dir("meridia", ensure_exists=True)) / "history"
        session: PromptSession[str] = PromptSession(
            history=FileHistory(str(history)),
            completer=GraphCompleter(),
            complete_while_typing=False,
        )
        greeting = f"space {memory.space}; :help for help, :quit to leave"
        errors.print(greeting, style="dim", markup=False)
        for statement in _statements(session.prompt):
            _run(memory, statement, shared.as_json)
    return 0


def _statements(prompt: Callable[[str], str]) -> Iterator[str]:
    """Read lines and yield whole statements, until the end of input or `:quit`."""
    lines: list[str] = []
    while True:
        try:
            line = prompt("meridia> " if not lines else "     ...> ")
        except KeyboardInterrupt:
            lines.clear()
            continue
        except EOFError:
            break
        if not lines and line.strip() in {":quit", ":exit", ":q"}:
            return
        lines.append(line)
        text = "\n".join(lines).strip()
        if not line.strip() or text.startswith(":") or text.endswith(";"):
            lines.clear()
            yield from _split(text)
    yield from _split("\n".join(lines))


def _split(text: str) -> list[str]:
    """Split at every ; that stands in no string and no quoted name."""
    if text.startswith(":"):
        return [text.rstrip(";")]
    return [statement.strip() for statement in _STATEMENT.findall(text) if statement.strip()]


def _run_all(memory: Memory, text: str, as_json: bool) -> int:
    """Run the statements of a pipe; exit status 1 if any failed."""
    remaining = iter(text.splitlines())

    def prompt(_: str) -> str:
        try:
            return next(remaining)
        except StopIteration:
            raise EOFError from None

    worked = [_run(memory, statement, as_json) for statement in _statements(prompt)]
    return 0 if all(worked) else 1


def _run(memory: Memory, statement: str, as_json: bool) -> bool:
    """Run one statement or shell command and print the answer; say whether it worked."""
    try:
        if statement.startswith(":"):
            _command(memory, statement, as_json)
        else:
            show_rows(memory.query(statement), as_json)
    except MeridiaError as error:
        errors.print(str(error), style="red", markup=False)
        return False
    return True


def _command(memory: Memory, line: str, as_json: bool) -> None:
    name, *arguments = line.split()
    if name == ":named" and arguments:
        parameters = key_values(tuple(arguments[1:]), ":named")
        if arguments[0] not in named_queries():
            raise NotFound(f"there is no named query {arguments[0]!r}; :named lists them")
        show_rows(memory.query(cypher(f"named/{arguments[0]}"), parameters), as_json)
    elif name == ":named":
        table(["query", "answers"], [list(pair) for pair in named_queries().items()])
    elif name == ":schema":
        table(["label", "properties"], [[x.name, ", ".join(x.properties)] for x in LABELS.values()])
        edges = [[x.name, x.source, x.target] for pairs in EDGES.values() for x in pairs]
        table(["edge", "from", "to"], edges)
    else:
        console.print(_HELP)
