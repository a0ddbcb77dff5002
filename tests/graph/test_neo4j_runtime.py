"""Java is chosen by what it says of itself; the jars appear whole or not at all."""

from __future__ import annotations

import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from meridia.core.errors import InvalidInput, Unavailable
from meridia.graph.neo4j_runtime import CACHE_VARIABLE, entry_point, fetch_jars, java_for

VERSION = "5.26.12"


def a_program(path: Path, *lines: str) -> Path:
    """Write a shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    path.chmod(0o755)
    return path


def a_java(folder: Path, says: str) -> Path:
    """Return a stand-in that answers `-version` as a Java of that version does."""
    return a_program(folder / "bin" / "java", f"echo 'openjdk version \"{says}\" 2025-04-15' >&2")


def a_maven(folder: Path, *lines: str) -> Path:
    """Return a stand-in for mvn that counts its runs and knows the folder it shall fill."""
    return a_program(
        folder / "mvn",
        f"echo run >> '{folder}/runs'",
        'for word; do case "$word" in -DoutputDirectory=*) out="${word#*=}";; esac; done',
        *lines,
    )


def runs(folder: Path) -> int:
    return (folder / "runs").read_text().count("run")


BRINGS = ('mkdir "$out"', f': > "$out/neo4j-{VERSION}.jar"')


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that stands first on PATH; JAVA_HOME and the jars' variable are unset."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    return folder


def a_jar(folder: Path, content: str | None) -> Path:
    """Write the neo4j jar, with `content` as its list of entry points or without one."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / f"neo4j-{VERSION}.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        if content is not None:
            jar.writestr("META-INF/services/org.neo4j.server.startup.EntryPoint", content)
    return folder


def test_java_home_is_asked_before_the_path(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
):
    at_home = a_java(tmp_path / "home", "21.0.3")
    on_path = a_java(tmp_path / "other", "17.0.15")
    (programs / "java").symlink_to(on_path)
    assert java_for(VERSION) == programs / "java"
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java_for(VERSION) == at_home


def test_a_java_that_is_too_old_is_passed_over(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
):
    old = a_java(tmp_path / "old", "11.0.22").parents[1]
    (programs / "java").symlink_to(a_java(tmp_path / "new", "17.0.15"))
    monkeypatch.setenv("JAVA_HOME", str(old))
    assert java_for(VERSION) == programs / "java"


@pytest.mark.parametrize(
    ("version", "says", "enough"),
    [
        ("5.26.12", "17.0.15", True),
        ("5.26.12", "11.0.22", False),
        ("5.26.12", "1.8.0_402", False),
        ("2026.07.1", "17.0.15", False),
        ("2026.07.1", "21", True),
        ("2026.07.1", "25.0.3", True),
        ("2025.01.0", "20.0.2", False),
    ],
)
def test_neo4j_5_needs_java_17_and_the_calendar_releases_java_21(
    tmp_path: Path, version: str, says: str, enough: bool
):
    java = a_java(tmp_path, says)
    if enough:
        assert java_for(version, java) == java
    else:
        with pytest.raises(Unavailable, match="needs Java"):
            java_for(version, java)


def test_the_error_names_what_was_found_and_what_is_needed(tmp_path: Path):
    java = a_java(tmp_path, "11.0.22")
    with pytest.raises(Unavailable) as refusal:
        java_for("2026.07.1", java)
    assert f"{java} (11)" in str(refusal.value)
    assert "Java 21 or newer" in str(refusal.value)


@pytest.mark.parametrize("line", ["exit 1", "echo nonsense >&2", "exec /nowhere/java"])
def test_a_java_that_does_not_run_is_no_java(tmp_path: Path, line: str):
    broken = a_program(tmp_path / "java", line)
    with pytest.raises(Unavailable, match="does not run"):
        java_for(VERSION, broken)
    with pytest.raises(Unavailable, match="does not run"):
        java_for(VERSION, tmp_path / "absent")


@pytest.mark.parametrize("version", ["", "5.26", "5.26.12/..", "5.26.12 -X", "4.4.40", "latest"])
def test_a_version_that_is_none_is_refused_before_anything_runs(tmp_path: Path, version: str):
    with pytest.raises(InvalidInput):
        java_for(version)
    with pytest.raises(InvalidInput):
        fetch_jars(version, cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_the_main_class_is_read_from_the_jar(tmp_path: Path):
    jars = a_jar(tmp_path, "# a comment\n\norg.example.Starter\n")
    assert entry_point(jars, VERSION) == "org.example.Starter"


@pytest.mark.parametrize("content", [None, "", "# only a comment\n"])
def test_a_jar_that_names_no_main_class_is_said_to_be_damaged(tmp_path: Path, content: str | None):
    with pytest.raises(Unavailable, match="names no Neo4j server"):
        entry_point(a_jar(tmp_path, content), VERSION)


def test_a_jar_that_is_none_is_said_to_be_damaged(tmp_path: Path):
    with pytest.raises(Unavailable, match="Delete"):
        entry_point(tmp_path, VERSION)
    (tmp_path / f"neo4j-{VERSION}.jar").write_text("cut off")
    with pytest.raises(Unavailable, match="Delete"):
        entry_point(tmp_path, VERSION)


def test_the_jars_are_brought_once_and_kept(tmp_path: Path, programs: Path):
    a_maven(programs, *BRINGS)
    cache = tmp_path / "cache"
    jars = fetch_jars(VERSION, cache=cache)
    assert jars == cache / VERSION / "jars"
    assert [jar.name for jar in jars.iterdir()] == [f"neo4j-{VERSION}.jar"]
    assert fetch_jars(VERSION, cache=cache) == jars
    assert runs(programs) == 1


def test_the_environment_can_name_the_folder_of_the_jars(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "elsewhere"))
    a_jar(tmp_path / "elsewhere" / VERSION / "jars", "org.example.Starter")
    (programs / "mvn").unlink(missing_ok=True)
    assert fetch_jars(VERSION) == tmp_path / "elsewhere" / VERSION / "jars"


def test_two_that_want_the_jars_at_once_download_them_once(tmp_path: Path, programs: Path):
    a_maven(programs, "sleep 0.3", *BRINGS)
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: fetch_jars(VERSION, cache=tmp_path / "cache"), range(2)))
    assert both[0] == both[1]
    assert runs(programs) == 1


def test_a_failed_download_leaves_nothing_half_and_says_what_maven_said(
    tmp_path: Path, programs: Path
):
    a_maven(
        programs, 'mkdir "$out"', ': > "$out/other.jar"', "echo '[ERROR] no such host'", "exit 1"
    )
    with pytest.raises(Unavailable, match="no such host"):
        fetch_jars(VERSION, cache=tmp_path)
    assert [file.name for file in (tmp_path / VERSION).iterdir()] == ["lock"]


def test_a_download_without_the_server_in_it_has_failed(tmp_path: Path, programs: Path):
    a_maven(programs, 'mkdir "$out"')
    with pytest.raises(Unavailable, match="did not bring"):
        fetch_jars(VERSION, cache=tmp_path)
    assert not (tmp_path / VERSION / "jars").exists()


def test_what_an_interrupted_download_left_is_cleared_away(tmp_path: Path, programs: Path):
    leftover = tmp_path / VERSION / "partial-x" / "jars"
    leftover.mkdir(parents=True)
    (leftover / "half.jar").write_text("half")
    a_maven(programs, *BRINGS)
    fetch_jars(VERSION, cache=tmp_path)
    assert sorted(file.name for file in (tmp_path / VERSION).iterdir()) == ["jars", "lock"]


def test_without_maven_the_error_says_how_to_go_on(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(programs))
    with pytest.raises(Unavailable, match=CACHE_VARIABLE):
        fetch_jars(VERSION, cache=tmp_path)


def test_maven_is_asked_for_exactly_this_version_with_the_packaged_pom(
    tmp_path: Path, programs: Path
):
    a_maven(programs, f"printf '%s\\n' \"$@\" > '{programs}/asked'", *BRINGS)
    fetch_jars(VERSION, cache=tmp_path)
    asked = (programs / "asked").read_text().splitlines()
    assert f"-Dneo4j.version={VERSION}" in asked
    assert "-DincludeScope=runtime" in asked
    assert Path(asked[asked.index("-f") + 1]).is_file()
