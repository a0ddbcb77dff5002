"""The programs of docs/examples/ print what docs/examples.md shows, as a user runs them."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import socket
import sys
import types

import pytest

from tests.docs.test_examples import run
from tests.model_server import Reply, model_server
from tests.tidy.tree import ROOT

EXAMPLES = ROOT / "docs" / "examples"
_SECTION = re.compile(r"^\[(\w+\.\w+)\]\(examples/.*?(?=^\[\w+\.|\Z)", re.DOTALL | re.MULTILINE)
_SHOWN = re.compile(r"^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: A day, with or without its year: programs run today.
_DAY = re.compile(r"\b(?:\d{4}-)?\d\d-\d\d\b")
SECTIONS = {
    match[1]: match[0] for match in _SECTION.finditer((ROOT / "docs" / "examples.md").read_text())
}


def printed(name, folder, **more):
    done = run((EXAMPLES / name).read_text("utf-8"), folder, shell=False, more=more)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def test_every_example_has_its_section():
    assert set(SECTIONS) == {path.name for path in EXAMPLES.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", ["support_agent.py", "coding_agent.py", "two_tenants.py"])
@pytest.mark.thorough
def test_a_program_prints_what_its_section_shows(name, tmp_path):
    (shown,) = _SHOWN.findall(SECTIONS[name])
    done = printed(name, tmp_path, PORT=free_port())
    assert _DAY.sub("DAY", done) == _DAY.sub("DAY", shown.strip())


@pytest.mark.thorough
def test_the_support_agent_asks_a_real_server(tmp_path):
    with model_server() as server:
        server.by_rule = lambda request: Reply("Certainly.")
        real = {"OPENAI_BASE_URL": f"{server.origin}/v1", "OPENAI_API_KEY": "none"}
        done = printed("support_agent.py", tmp_path, MODEL="some-model", **real)
    assert done.count("agent: Certainly.") == 3
    monday, thursday, friday = server.received
    assert {request.body["model"] for request in server.received} == {"some-model"}
    said = "The front brake of my bike squeals"
    assert said in monday.words
    assert said not in thursday.words  # Omar's agent is told nothing of Rosa
    assert said in friday.words


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """Return what the notebook's cells show, in order, and print."""
    display = types.ModuleType("IPython.display")
    display.SVG = str
    book = json.loads((EXAMPLES / "graph.ipynb").read_text("utf-8"))
    names, output = {}, io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
        patch.setitem(sys.modules, "IPython.display", display)
        sources = ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "code"]
        values = [value_of(source, names) for source in sources]
    return values, output.getvalue()


def value_of(source, names):
    """Run a cell, and return the value of its last line as a notebook does."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def test_the_notebook_walks_through_a_graph(values):
    (people, recall, labels, path, central, picture, closed), printed = values
    assert "Dana" in people._repr_html_()
    assert "Oskar will sew the sails" in recall[0].text
    assert "Oskar will sew the sails" in recall._repr_html_()
    assert printed.endswith("edges\n")
    assert {"Person", "Entity", "Experience"} <= set(labels)
    assert (path[0], path[-1]) == ("Dana", "Mia")
    assert "North Sails" in path  # both know it
    assert "North Sails" in [name for _, name in central]
    assert picture.startswith("<svg")
    assert ">Lapwing<" in picture
    assert closed is None


def test_the_notebook_is_kept_without_output():
    book = json.loads((EXAMPLES / "graph.ipynb").read_text("utf-8"))
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert [cell for cell in cells if cell["outputs"] or cell["execution_count"]] == []
