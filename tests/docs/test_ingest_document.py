"""docs/ingest.md lists the stages that run, in their order."""

from __future__ import annotations

import re

import pytest

from meridia.ingest.capture.stages import DECISION_STAGES, PREPARE_STAGES
from meridia.ingest.enrichment.rule_stages import STAGES
from tests.tidy.tree import ROOT

TEXT = (ROOT / "docs" / "ingest.md").read_text("utf-8")


def listed(heading):
    """Return the stages under a heading of the first picture, without what follows a semicolon."""
    lines = re.search(rf"^    {heading}:(.*?)(?=^ +[\w ]+: |\n\n)", TEXT, re.MULTILINE | re.DOTALL)
    return [stage.strip() for stage in " ".join(lines[1].split(";")[0].split()).split("→")]


@pytest.mark.parametrize(
    ("heading", "stages"),
    [("before", (*PREPARE_STAGES, *DECISION_STAGES)), ("rules", STAGES)],
)
def test_the_document_lists_the_stages_that_run_in_their_order(heading, stages):
    names = [stage.__name__.removeprefix("_").removeprefix("add_") for stage in stages]
    assert listed(heading) == [name.replace("_", " ") for name in names]
