"""The measurement runs, and measures what it says."""

import json

from bench.sanitise import ORDINARY, SECRET, SIZES, code, main, message, tool_result
from meridia.ingest.redaction.sanitise import sanitise


def test_the_ordinary_message_is_clean_and_the_other_is_not():
    assert sanitise(message(ORDINARY)).counts == {}
    assert sanitise(message(SECRET)).counts == {"github_token": 1}


def test_the_texts_have_the_sizes_they_say():
    assert [len(code(size)) for size in SIZES] == list(SIZES)
    assert tool_result("x")["payload"]["result"] == "x"


def test_a_report_compares_every_operation_with_writing_the_message(tmp_path, capsys):
    main(["--rounds", "1", "--json", str(tmp_path / "report.json")])
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert {"message of 20 words", "message with a token"} <= {row["name"] for row in report}
    assert "100,000 characters of code" in capsys.readouterr().out
