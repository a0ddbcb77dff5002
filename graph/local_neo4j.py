"""Start and stop a real Neo4j Community server on this machine without a container engine.

Maven brings the server's jars once (docker/pom.xml), a Java that is new enough runs them as a
separate process, on loopback only, with its data in one folder that only its owner can enter.
Made for trying Meridia against Neo4j and for tests. It refuses to be a production service: 512 MB
of heap, no TLS, no network, no clustering; for that, run Neo4j's own packages or image.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..core.errors import InvalidInput, Unavailable
from .neo4j_runtime import (
    DEFAULT_VERSION,
    entry_point,
    fetch_jars,
    java_for,
    last_lines,
    locked,
    run,
)

__all__ = ["DEFAULT_VERSION", "LocalNeo4j", "find", "kill", "start", "stop"]

USER = "neo4j"

_STATE_FILE = "server.json"
_RECORDED = ("uri", "user", "password", "version", "pid")
#: The servers that this process started and has not collected: nobody else can have their ids.
_children: set[int] = set()
_READY_SECONDS_MAX = 120.0
# An orderly stop takes about 10 s, nearly all of it Bolt waiting for connections to fall silent.
_STOP_SECONDS_MAX = 60.0
# Neo4j wants eight characters; the class leaves out what an argument file would read otherwise.
_PASSWORD = re.compile(r"[!-?A-~][!-~]{7,127}")
_JAVA_OPTIONS = (
    "-Xmx512m",
    # One small heap on a shared machine: the serial collector starts fastest and needs least.
    "-XX:+UseSerialGC",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)
_CONFIGURATION = """\
# Written at every start; changes made here are lost.
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.usage_report.enabled=false
dbms.security.auth_enabled=true
# A read transaction alone would let LOAD CSV read any file of this user.
dbms.security.allow_csv_import_from_file_urls=false
db.transaction.timeout=30s
dbms.memory.transaction.total.max=256m
server.memory.pagecache.size=128m
"""


@dataclass(frozen=True, slots=True)
class LocalNeo4j:
    """A server that was started here: where it listens, who may enter, which process it is."""

    uri: str
    user: str
    password: str = field(repr=False)
    version: str
    home: Path
    pid: int


def start(
    version: str = DEFAULT_VERSION,
    *,
    home: Path,
    port: int = 0,
    password: str | None = None,
    cache: Path | None = None,
    java: Path | None = None,
) -> LocalNeo4j:
    """Start a server on `home`, or return the one that already runs there.

    A new home gets `password`, or a random one; a home that was used before keeps its password and
    data, also after a kill. `port` 0 takes the port of the last run where it is free, else any.
    The server has a session of its own, so Ctrl-C in a terminal does not reach it. Blocks until
    it answers. Raises InvalidInput, and Unavailable where Java, Maven or the server fail.
    """
    chosen_java = java_for(version, java)
    if password is not None and not _PASSWORD.fullmatch(password):
        raise InvalidInput(
            "The password needs 8 to 128 printable ASCII characters without spaces, and may not "
            "begin with @."
        )
    jars = fetch_jars(version, cache=cache)
    home = _prepared(home)
    with locked(home / "lock"):
        running = find(home)
        if running is None:
            return _launch(_planned(version, home, port, password), chosen_java, jars)
        if running.version != version:
            raise InvalidInput(f"{home} already runs Neo4j {running.version}: stop that one first.")
        # Whoever started it may have died before it was ready.
        _wait_until_ready(running)
        return running


def find(home: Path) -> LocalNeo4j | None:
    """Return the server that runs on `home`, whoever started it; None where none does.

    One that is still starting is returned too.
    """
    home = home.expanduser().resolve()
    recorded = _read_state(home)
    return recorded if recorded is not None and _runs(recorded) else None


def stop(server: LocalNeo4j) -> None:
    """Stop the server in order (about 10 s) and return when it is gone; kill it after 60 s.

    A server that is not running is left as it is.
    """
    _signal(server, signal.SIGTERM)
    if not _gone(server, _STOP_SECONDS_MAX):
        kill(server)


def kill(server: LocalNeo4j) -> None:
    """End the server at once (SIGKILL) and return when it is gone; its data recovers at a start."""
    _signal(server, signal.SIGKILL)
    if not _gone(server, _STOP_SECONDS_MAX):
        raise Unavailable(f"Neo4j (process {server.pid}) does not end, even when killed.")


def _prepared(home: Path) -> Path:
    """Make `home`, closed to other users; refuse a folder that holds something else."""
    home = home.expanduser().resolve()
    names = {entry.name for entry in home.iterdir()} if home.is_dir() else set()
    # A start that was interrupted before it recorded the server leaves these, and nothing else.
    if _STATE_FILE not in names and names - {"lock", "conf", "logs"}:
        raise InvalidInput(f"{home} holds other files: name a new folder for Neo4j's data.")
    for folder in (home, home / "conf", home / "logs"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.chmod(0o700)
    return home


def _planned(version: str, home: Path, port: int, password: str | None) -> LocalNeo4j:
    """Decide what the next run on `home` will be; it has no process yet (pid 0)."""
    last = _read_state(home)
    if last is not None and password not in {None, last.password}:
        raise InvalidInput(f"{home} was set up with another password: leave it out, or give that.")
    if port and not _is_free(port):
        raise Unavailable(f"Port {port} on 127.0.0.1 is taken: name another, or 0 for any.")
    if not port and last is not None and _is_free(_port(last)):
        port = _port(last)
    return LocalNeo4j(
        uri=f"bolt://127.0.0.1:{port or _free_port()}",
        user=USER,
        password=last.password if last else password or secrets.token_hex(16),
        version=version,
        home=home,
        pid=0,
    )


def _launch(plan: LocalNeo4j, java: Path, jars: Path) -> LocalNeo4j:
    main_class = entry_point(jars, plan.version)
    _write_private(plan.home / "conf" / "neo4j.conf", _CONFIGURATION.format(port=_port(plan)))
    # Before the server has users: a password that only the server knew could never be found again.
    _write_state(plan)
    _set_initial_password(plan, java, jars)
    command = [str(java), *_JAVA_OPTIONS, "-cp", f"{jars}/*", main_class]
    command += [f"--home-dir={plan.home}", f"--config-dir={plan.home / 'conf'}"]
    server = replace(plan, pid=_spawn(command, plan.home / "logs" / "console.log"))
    with ExitStack() as undo:
        # An interrupted or failed start leaves no process behind.
        undo.callback(kill, server)
        _write_state(server)
        _wait_until_ready(server)
        undo.pop_all()
    return server


def _set_initial_password(plan: LocalNeo4j, java: Path, jars: Path) -> None:
    """Set the password of a home that was never started, so that the default one never works.

    It goes through an argument file: a command line can be read by every user of the machine.
    """
    if (plan.home / "data" / "dbms" / "auth.ini").exists():
        return
    tool = ["org.neo4j.cli.AdminTool", "dbms", "set-initial-password", "--", plan.password]
    words = ["-Xmx128m", "-XX:+UseSerialGC", "-cp", f"{jars}/*", *tool]
    quoted = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
    arguments = plan.home / "conf" / "password.args"
    _write_private(arguments, "".join(f'"{word}"\n' for word in quoted))
    places = {"NEO4J_HOME": str(plan.home), "NEO4J_CONF": str(plan.home / "conf")}
    try:
        status, answer = run(
            [str(java), f"@{arguments}"], _READY_SECONDS_MAX, _environment() | places
        )
    finally:
        arguments.unlink()
    if status != 0:
        output = last_lines(answer, 12)
        raise Unavailable(f"Neo4j's first password could not be set. It said:\n{output}")


def _environment() -> dict[str, str]:
    """Return what the server needs of this process's environment, and none of its secrets."""
    names = ("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ")
    return {name: os.environ[name] for name in names if name in os.environ}


def _spawn(command: list[str], console: Path) -> int:
    """Start `command` in a session of its own, writing to `console`; return its process id."""
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    # Not subprocess.Popen: the server may outlive this process, and is found by its id alone.
    pid = os.posix_spawn(
        command[0],
        command,
        _environment(),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(console), writing, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    _children.add(pid)
    return pid


def _wait_until_ready(server: LocalNeo4j) -> None:
    deadline = time.monotonic() + _READY_SECONDS_MAX
    while (problem := _problem(server)) is not None:
        ending = _ending(server)
        if ending is not None:
            raise Unavailable(
                f"Neo4j {server.version} ended at its start ({ending}). {_log_endings(server.home)}"
            )
        if time.monotonic() > deadline:
            raise Unavailable(
                f"Neo4j {server.version} was not ready after {_READY_SECONDS_MAX:.0f} s "
                f"({problem}). {_log_endings(server.home)}"
            )
        time.sleep(0.1)


def _problem(server: LocalNeo4j) -> str | None:
    """Return why the server's database takes no transaction yet; None when it does."""
    # The driver takes 150 ms to import, and whoever only wants to find a server needs none.
    from neo4j import GraphDatabase  # noqa: PLC0415
    from neo4j.exceptions import AuthError, DriverError, Neo4jError  # noqa: PLC0415

    who = (server.user, server.password)
    try:
        with (
            GraphDatabase.driver(server.uri, auth=who, connection_timeout=5) as driver,
            driver.session(database="neo4j") as session,
            session.begin_transaction(),
        ):
            return None
    except AuthError as refusal:
        raise Unavailable(
            f"Neo4j on {server.home} does not take the password recorded in {_STATE_FILE}: "
            f"it was changed there ({refusal.code})."
        ) from refusal
    except (DriverError, Neo4jError) as problem:
        return str(problem).partition("\n")[0]


def _log_endings(home: Path) -> str:
    lines = []
    for name in ("console.log", "neo4j.log"):
        log = home / "logs" / name
        text = log.read_text(errors="replace") if log.exists() else ""
        # Java's stack frames would crowd out the lines that say what is wrong.
        messages = "\n".join(line for line in text.splitlines() if not line.startswith("\t"))
        lines.append(f"{log} ends with:\n{last_lines(messages, 12) or '(nothing)'}")
    return "\n".join(lines)


def _runs(server: LocalNeo4j) -> bool:
    return bool(server.pid) and _ending(server) is None


def _ending(server: LocalNeo4j) -> str | None:
    """Return how the server's process ended, None while it is there; one still dying is there."""
    if server.pid in _children:
        # A fork of this process knows the children and cannot wait for them.
        with suppress(ChildProcessError):
            ended, status = os.waitpid(server.pid, os.WNOHANG)
            if not ended:
                return None
            _children.discard(server.pid)
            code = os.waitstatus_to_exitcode(status)
            return f"status {code}" if code >= 0 else signal.Signals(-code).name
    return None if _is_there(server) else "it is gone"


def _is_there(server: LocalNeo4j) -> bool:
    state, command_line = _process(server.pid)
    # A process id is used again after a while, so the command line has to name this home. It is
    # empty in a process that is being torn down, which still holds its port and its files.
    is_this = f" --home-dir={server.home} " in command_line or not command_line.strip()
    return state not in {"", "Z"} and is_this


def _process(pid: int) -> tuple[str, str]:
    """Return the state letter of a process ("" where there is none) and its command line."""
    if Path("/proc/self/stat").exists():
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return "", ""
        fields = stat.rpartition(") ")[2].split()
        # A killed process's first thread is a zombie before the others have let go of its files.
        threads = int(fields[17])
        return fields[0] if threads <= 1 else "R", words.replace("\0", " ")
    listing = ["ps", "-ww", "-o", "stat=,args=", "-p", str(pid)]
    answer = run(listing, seconds_max=60)[1].strip()
    return answer[:1], answer.partition(" ")[2] + " "


def _signal(server: LocalNeo4j, number: signal.Signals) -> None:
    if _runs(server):
        # It may end between the question and the signal.
        with suppress(ProcessLookupError):
            os.kill(server.pid, number)


def _gone(server: LocalNeo4j, seconds_max: float) -> bool:
    deadline = time.monotonic() + seconds_max
    while _runs(server):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _port(server: LocalNeo4j) -> int:
    return int(server.uri.rpartition(":")[2])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As the server does: a connection of an earlier run that lingers does not hold the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _read_state(home: Path) -> LocalNeo4j | None:
    path = home / _STATE_FILE
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        return LocalNeo4j(home=home, **{name: state[name] for name in _RECORDED})
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as problem:
        raise InvalidInput(f"{path} does not describe a Neo4j server: {problem!r}.") from problem


def _write_state(server: LocalNeo4j) -> None:
    state = {name: getattr(server, name) for name in _RECORDED}
    _write_private(server.home / _STATE_FILE, json.dumps(state, indent=2) + "\n")


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads, whole or not at all."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(draft).replace(path)
