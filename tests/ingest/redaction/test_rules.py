from __future__ import annotations

from meridia.ingest.redaction.rules import RedactionRule, SecretSpan, read_rules
from meridia.ingest.redaction.scanner import MARK, mark

SECTIONS = (
    ("formats", "formats"), ("formats", "apart"), ("contexts", "rules"), ("personal", "rules"),
)  # fmt: skip


def test_every_rule_compiles_and_has_a_kind_that_fits_a_mark() -> None:
    for file, section in SECTIONS:
        for rule in read_rules(file, section):
            assert rule.regex.groups <= 2, rule
            assert MARK.fullmatch(mark(rule.kind)) or rule.reader in {"named", "address"}, rule


def test_every_rule_but_those_of_numbers_has_anchors() -> None:
    bare = [
        rule.kind for file, key in SECTIONS for rule in read_rules(file, key) if not rule.anchors
    ]
    assert bare == ["iban", "card_number", "phone"]


def test_a_rule_gives_its_first_group_or_the_whole_match() -> None:
    assert list(RedactionRule("a(b+)", "x").find("abb ab")) == [
        SecretSpan(1, 3, "x"),
        SecretSpan(5, 6, "x"),
    ]
    assert list(RedactionRule("ab+", "x").find("abb")) == [SecretSpan(0, 3, "x")]
    assert list(RedactionRule("ab+", "x", accept=str.isupper).find("abb")) == []


def test_a_match_begins_where_a_word_begins_unless_the_rule_says_within() -> None:
    text = "pin: 1 spin: 2"
    apart = RedactionRule(r"pin: (\d)", starts=("pin",))
    within = RedactionRule(r"pin: (\d)", starts=("pin",), within=True)
    assert [match[1] for match in apart.matches(text)] == ["1"]
    assert [match[1] for match in within.matches(text)] == ["1", "2"]
    assert [match[1] for match in RedactionRule(r"n: (\d)").matches(text)] == ["1", "2"]
