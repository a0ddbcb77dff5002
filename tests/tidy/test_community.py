"""What a public repository has for those who take part conforms to the schemas of its host."""

from __future__ import annotations

import pytest

from tests.schemas import conforms
from tests.tidy.tree import ROOT

SCHEMAS = [
    *(("github-workflows", path) for path in sorted(ROOT.glob(".github/workflows/*.yml"))),
    *(
        ("github-issue-forms", path)
        for path in sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml"))
        if path.name != "config.yml"
    ),
]


@pytest.mark.parametrize(("schema", "file"), SCHEMAS, ids=lambda value: getattr(value, "name", ""))
def test_files_for_the_host_conform_to_its_schemas(schema, file):
    answer = conforms(schema, file)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_there_are_two_workflows_and_two_forms():
    assert len(SCHEMAS) == 4
