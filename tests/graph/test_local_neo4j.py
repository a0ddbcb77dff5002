"""A server on this machine: private, alone on its folder, found again, gone when it should be."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import AuthError

from meridia.core.errors import InvalidInput, Unavailable
from meridia.graph import local_neo4j
from meridia.graph.local_neo4j import LocalNeo4j, find, kill, start, stop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neo4j_server import Neo4jServer

VERSION = "5.26.12"
PASSWORD = "a-password"
URI = "bolt://127.0.0.1:1"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return a cache of jars whose server exists by name only."""
    jars = tmp_path / "cache" / VERSION / "jars"
    jars.mkdir(parents=True)
    with zipfile.ZipFile(jars / f"neo4j-{VERSION}.jar", "w") as jar:
        jar.writestr("META-INF/services/org.neo4j.server.startup.EntryPoint", "org.example.Main\n")
    return tmp_path / "cache"


def a_java(folder: Path, *server: str) -> Path:
    """Return a stand-in for Java 17 that notes how it is called and then runs `server`."""
    java = folder / "java"
    lines = [
        "#!/bin/sh",
        f"printf '%s\\n' \"$@\" >> '{folder}/calls'",
        f"env >> '{folder}/environment'",
        'case "$1" in -version) echo \'openjdk version "17.0.15"\' >&2; exit 0;; esac',
        # The tool that sets the first password writes this file.
        'case "$1" in @*) mkdir -p "$NEO4J_HOME/data/dbms"; : > "$NEO4J_HOME/data/dbms/auth.ini"',
        f"cp \"${{1#@}}\" '{folder}/arguments'; exit 0;; esac",
        *server,
    ]
    java.write_text("\n".join(lines) + "\n")
    java.chmod(0o755)
    return java


def record(server: LocalNeo4j) -> None:
    """Write the record by which a server is found."""
    names = ("uri", "user", "password", "version", "pid")
    state = {name: getattr(server, name) for name in names}
    (server.home / "server.json").write_text(json.dumps(state))


@contextmanager
def a_process(home: Path) -> Iterator[LocalNeo4j]:
    """Run a process that looks like the server of `home`, started by somebody else."""
    # The shell between makes it nobody's child here, as a server of another process is.
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)", f"--home-dir={home}", "--more"]
    parent = subprocess.Popen(
        ["/bin/sh", "-c", '"$@" > /dev/null 2>&1 & echo $!; wait', "sh", *sleeper],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    server = LocalNeo4j(URI, "neo4j", PASSWORD, VERSION, home, int(parent.stdout.readline()))
    home.mkdir(exist_ok=True)
    record(server)
    try:
        yield server
    finally:
        kill(server)
        parent.wait(10)
        parent.stdout.close()


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_server_that_ends_at_once_is_reported_with_what_it_said(tmp_path: Path, cache: Path):
    java = a_java(tmp_path, "echo 'the store is of a newer version'", "exit 3")
    with pytest.raises(Unavailable, match="the store is of a newer version") as failure:
        start(VERSION, home=tmp_path / "home", cache=cache, java=java)
    assert "(status 3)" in str(failure.value)


def test_a_server_that_is_never_ready_is_ended_and_reported(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(local_neo4j, "_READY_SECONDS_MAX", 0.2)
    java = a_java(tmp_path, "echo $$ > " + str(tmp_path / "pid"), "exec sleep 60")
    with pytest.raises(Unavailable, match="was not ready"):
        start(VERSION, home=tmp_path / "home", cache=cache, java=java)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    assert find(tmp_path / "home") is None


def test_an_interrupted_start_leaves_no_process(tmp_path: Path, cache: Path):
    pid = tmp_path / "pid"
    # A process in the background may have been told to ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The stand-in sends this process what Ctrl-C in its terminal would, once it waits for it.
    interrupt = f"sleep 0.5; kill -INT {os.getpid()}"
    java = a_java(tmp_path, f"echo $$ > {pid}", interrupt, "exec sleep 60")
    with pytest.raises(KeyboardInterrupt):
        start(VERSION, home=tmp_path / "home", cache=cache, java=java)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_only_the_owner_can_read_what_is_written(tmp_path: Path, cache: Path):
    home = tmp_path / "home"
    with pytest.raises(Unavailable):
        start(VERSION, home=home, cache=cache, java=a_java(tmp_path, "exit 1"))
    assert mode(home) == 0o700
    assert mode(home / "server.json") == 0o600
    assert mode(home / "conf" / "neo4j.conf") == 0o600
    assert mode(home / "logs" / "console.log") == 0o600


def test_the_password_is_random_recorded_and_on_no_command_line(tmp_path: Path, cache: Path):
    homes = [tmp_path / "one", tmp_path / "two"]
    java = a_java(tmp_path, "exit 1")
    passwords = []
    for home in homes:
        with pytest.raises(Unavailable) as failure:
            start(VERSION, home=home, cache=cache, java=java)
        passwords.append(json.loads((home / "server.json").read_text())["password"])
        assert passwords[-1] not in str(failure.value)
        assert passwords[-1] in (tmp_path / "arguments").read_text()
        assert passwords[-1] not in (tmp_path / "calls").read_text()
        assert list((home / "conf").iterdir()) == [home / "conf" / "neo4j.conf"]
    assert passwords[0] != passwords[1]
    assert all(len(password) >= 32 for password in passwords)


def test_a_password_survives_the_way_through_the_argument_file(tmp_path: Path, cache: Path):
    awkward = "-a\"b\\c'd#e$f*"
    with pytest.raises(Unavailable):
        start(
            VERSION,
            home=tmp_path / "home",
            cache=cache,
            java=a_java(tmp_path, "exit 1"),
            password=awkward,
        )
    last = (tmp_path / "arguments").read_text().splitlines()[-1]
    assert last.strip('"').replace('\\"', '"').replace("\\\\", "\\") == awkward


def test_the_password_does_not_show_when_a_server_is_printed(tmp_path: Path):
    server = LocalNeo4j(URI, "neo4j", PASSWORD, VERSION, tmp_path, 1)
    assert PASSWORD not in repr(server)


def test_the_server_gets_none_of_the_secrets_in_the_environment(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SOME_API_KEY", "hidden-value")
    java = a_java(tmp_path, f"env > {tmp_path}/seen", "exit 1")
    with pytest.raises(Unavailable):
        start(VERSION, home=tmp_path / "home", cache=cache, java=java)
    assert "PATH=" in (tmp_path / "seen").read_text()
    assert "hidden-value" not in (tmp_path / "seen").read_text()


def test_the_server_listens_on_loopback_only_and_reads_no_files(tmp_path: Path, cache: Path):
    home = tmp_path / "home"
    with pytest.raises(Unavailable):
        start(VERSION, home=home, cache=cache, java=a_java(tmp_path, "exit 1"))
    lines = (home / "conf" / "neo4j.conf").read_text().splitlines()
    settings = dict(line.split("=") for line in lines if not line.startswith("#"))
    listening = [value for name, value in settings.items() if name.endswith("listen_address")]
    assert {value.split(":")[0] for value in listening} == {"127.0.0.1"}
    assert settings["server.http.enabled"] == settings["server.https.enabled"] == "false"
    assert settings["dbms.security.allow_csv_import_from_file_urls"] == "false"


def test_a_home_keeps_its_password_and_port(tmp_path: Path, cache: Path):
    home, java = tmp_path / "home", a_java(tmp_path, "exit 1")
    states = []
    for _ in range(2):
        with pytest.raises(Unavailable):
            start(VERSION, home=home, cache=cache, java=java)
        states.append(json.loads((home / "server.json").read_text()) | {"pid": 0})
    assert states[0] == states[1]
    with pytest.raises(InvalidInput, match="another password"):
        start(VERSION, home=home, cache=cache, java=java, password=PASSWORD)


@pytest.mark.parametrize("password", ["short", "with a space", "@starts-like-a-file", "ünicode-it"])
def test_a_password_that_could_be_misread_is_refused(tmp_path: Path, cache: Path, password: str):
    with pytest.raises(InvalidInput) as refusal:
        start(
            VERSION,
            home=tmp_path / "home",
            cache=cache,
            java=a_java(tmp_path),
            password=password,
        )
    assert password not in str(refusal.value)
    assert not (tmp_path / "home").exists()


def test_a_folder_that_holds_something_else_is_not_taken_over(tmp_path: Path, cache: Path):
    (tmp_path / "letters").mkdir(mode=0o755)
    (tmp_path / "letters" / "one.txt").write_text("dear")
    with pytest.raises(InvalidInput, match="other files"):
        start(VERSION, home=tmp_path / "letters", cache=cache, java=a_java(tmp_path))
    assert mode(tmp_path / "letters") == 0o755


def test_a_port_that_is_taken_is_named(tmp_path: Path, cache: Path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(Unavailable, match=f"Port {port} on 127.0.0.1 is taken"):
            start(VERSION, home=tmp_path / "home", cache=cache, java=a_java(tmp_path), port=port)


def test_a_server_that_another_process_started_is_found_and_ended(tmp_path: Path):
    home = tmp_path / "home"
    with a_process(home) as server:
        assert find(home) == server
        stop(server)
        assert find(home) is None
        stop(server)


def test_another_version_is_not_started_beside_the_one_that_runs(tmp_path: Path, cache: Path):
    home = tmp_path / "home"
    with a_process(home) as server:
        record(replace(server, version="5.26.99"))
        with pytest.raises(InvalidInput, match=r"already runs Neo4j 5\.26\.99"):
            start(VERSION, home=home, cache=cache, java=a_java(tmp_path))


def test_a_process_that_got_the_number_of_a_dead_server_is_left_alone(tmp_path: Path):
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as innocent:
        assert innocent.stdin is not None
        assert innocent.stdout is not None
        # A process that answers has its command line; one that has just begun has none yet.
        innocent.stdin.write(b"here\n")
        innocent.stdin.flush()
        assert innocent.stdout.readline() == b"here\n"
        record(LocalNeo4j(URI, "neo4j", PASSWORD, VERSION, tmp_path, innocent.pid))
        assert find(tmp_path) is None
        kill(LocalNeo4j(URI, "neo4j", PASSWORD, VERSION, tmp_path, innocent.pid))
        assert innocent.poll() is None
        innocent.kill()
    assert innocent.returncode == -signal.SIGKILL


def test_a_home_without_a_server_has_none(tmp_path: Path):
    assert find(tmp_path) is None
    assert find(tmp_path / "absent") is None


def test_a_damaged_record_is_named(tmp_path: Path):
    (tmp_path / "server.json").write_text('{"uri": 7')
    with pytest.raises(InvalidInput, match=r"server\.json"):
        find(tmp_path)


@contextmanager
def connected(server: Neo4jServer) -> Iterator[Driver]:
    with GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        yield driver


@pytest.mark.slow
def test_a_neo4j_that_is_killed_comes_back_with_its_data(neo4j_server: Neo4jServer):
    if not neo4j_server.can_be_killed:
        pytest.skip("this server is not a process of ours to kill")
    mark = f"kill-{os.getpid()}"
    with connected(neo4j_server) as driver:
        driver.execute_query("CREATE (:KillTest {id: $mark})", mark=mark)
    before = neo4j_server.uri
    neo4j_server.kill()
    neo4j_server.restart()
    assert neo4j_server.uri == before
    with connected(neo4j_server) as driver:
        kept = driver.execute_query("MATCH (n:KillTest {id: $mark}) DELETE n RETURN 1", mark=mark)
    assert len(kept.records) == 1


def test_ctrl_c_in_the_terminal_does_not_reach_the_server(neo4j_server: Neo4jServer):
    if neo4j_server.local is None:
        pytest.skip("this server is not a process of ours")
    assert os.getsid(neo4j_server.local.pid) == neo4j_server.local.pid != os.getsid(0)


def test_the_default_password_never_works(neo4j_server: Neo4jServer):
    if neo4j_server.local is None:
        pytest.skip("this server was set up by somebody else")
    stranger = GraphDatabase.driver(neo4j_server.uri, auth=("neo4j", "neo4j"))
    with stranger as driver, pytest.raises(AuthError):
        driver.verify_connectivity()
