"""Files, projects and systems by their addresses."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entities.entity_gazetteer import EntityType
from meridia.language.addresses import (
    file_from_argument,
    find_addresses,
    find_files,
    project_from_argument,
)


def files(text: str) -> list[str]:
    return [matches.name for matches in find_files(text)]


def addresses(text: str, type: EntityType) -> list[str]:
    return [matches.name for matches in find_addresses(text) if matches.type is type]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("edit src/app/main.py:12:", "src/app/main.py"),
        ("open ./a/b.ts now", "a/b.ts"),
        ("in ~/notes.md,", "~/notes.md"),
        ("(see `setup.cfg`)", "setup.cfg"),
        ('"/var/log/sys.log"', "/var/log/sys.log"),
        ("main.go fails", "main.go"),
        ("at util.c line 3", "util.c"),
        ("src/a.c", "src/a.c"),
        (r"C:\dev\new\t.py here", r"C:\dev\new\t.py"),
        ("file:///srv/a.py", "/srv/a.py"),
        ("add it to .gitignore", ".gitignore"),
        ("/app/.env.local leaks", "/app/.env.local"),
        ("bericht.PDF.", "bericht.PDF"),
        ("Отчёт.xlsx готов", "Отчёт.xlsx"),
        ("@scope/pkg/x.js", "@scope/pkg/x.js"),
        ("--out=build/report.json", "build/report.json"),
    ],
)
def test_a_path_or_a_name_with_an_ending_is_a_file(text, name):
    assert files(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "and/or his/her TCP/IP km/h JFK/SEA 10/12",
        "e.g. this, i.e. that, at 5 p.m. in the U.S. with a Ph.D.",
        "version 3.5 and v1.2.3 of Node.js and ASP.NET",
        "example.com and mia@example.py",
        "I left.Then he came. Okay...so what",
        "/usr/bin and src/app",
        "https://acme.io/a.py",
        "Hi. Thanks! I'm fine.",
        "",
    ],
)
def test_what_has_a_slash_or_a_dot_and_is_no_file(text):
    assert files(text) == []


def test_lines_escaped_in_json_end_a_name():
    assert files(r"foo.py\nbar.txt\tend") == ["foo.py", "bar.txt"]


def test_a_place_is_where_the_name_stands():
    text = "please open ./src/a.py:7 now"
    (matches,) = find_files(text)
    assert text[matches.start : matches.end] == "./src/a.py"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Makefile", "Makefile"),
        ("my notes/a b.txt", "my notes/a b.txt"),
        ("./x.weird", "x.weird"),
        (".bashrc", ".bashrc"),
        ("/usr/bin", None),
        ("src/", None),
        ("", None),
        ("https://a.io/b.py", None),
        ("a.py\nb.py", None),
        ("x" * 300 + ".py", None),
    ],
)
def test_an_argument_called_path_names_a_file_unless_it_is_a_folder(value, name):
    assert file_from_argument(value) == name


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/acme/widget",
        "https://github.com/acme/widget.git",
        "https://github.com/acme/widget/pull/3.",
        "git@github.com:acme/widget.git",
        "ssh://git@host.io:22/acme/widget.git",
        "https://api.github.com/repos/acme/widget/issues",
        "https://gitlab.corp.net/acme/widget/-/tree",
        "closes acme/widget#12",
        "git+https://codeberg.org/acme/widget@main#egg=x",
    ],
)
def test_a_repository_is_a_project_however_it_is_addressed(text):
    assert addresses(text, EntityType.PROJECT) == ["acme/widget"]


@pytest.mark.parametrize(
    "text",
    ["https://github.com/features/actions", "https://github.com/acme", "and/or", "acme/widget"],
)
def test_a_page_or_a_mere_slash_is_no_project(text):
    assert addresses(text, EntityType.PROJECT) == []


def test_an_argument_called_repo_names_a_project():
    assert project_from_argument("acme/widget") == "acme/widget"
    assert project_from_argument("https://github.com/acme/widget") == "acme/widget"
    assert project_from_argument("widget") is None


@pytest.mark.parametrize(
    ("text", "hostname"),
    [
        ("https://www.Example.COM.", "example.com"),
        ("postgres://u:p@db1:5432/app", "db1"),
        ("(wss://live.acme.io/feed)", "live.acme.io"),
        ("git@code.acme.io:team/proj.git", "code.acme.io"),
    ],
)
def test_the_host_of_an_address_is_a_system(text, hostname):
    assert addresses(text, EntityType.SYSTEM) == [hostname]


@pytest.mark.parametrize(
    "text",
    ["http://localhost:8000/x", "http://127.0.0.1/", "http://0.0.0.0", "s3://bucket/a", "acme.io"],
)
def test_this_machine_and_what_is_no_host_are_no_systems(text):
    assert addresses(text, EntityType.SYSTEM) == []


@given(st.text(st.sampled_from("a./:@#\\ ~git-https\n"), max_size=60))
def test_any_text_is_read_without_an_error(text):
    for matches in (*find_addresses(text), *find_files(text)):
        assert 0 <= matches.start < matches.end <= len(text)
        assert matches.name.strip()


def test_long_noise_is_read_in_no_time():
    begun = time.process_time()
    for noise in (
        "a/" * 10_000,
        "a." * 10_000,
        "x" * 20_000 + ".py",
        "https://" * 2_500,
        "a@" * 9_999,
    ):
        list(find_files(noise))
        list(find_addresses(noise))
    assert time.process_time() - begun < 2
