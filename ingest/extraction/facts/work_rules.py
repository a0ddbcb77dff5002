"""Rules for what somebody does: employer, occupation, studies, tools and time zone."""

from __future__ import annotations

from collections.abc import Sequence

from .fact_rule import END, ORG, THING, FactRule, ObjectShape, copula_pattern, verb_pattern
from .pattern_blocks import OCCUPATIONS

_TRADES = " ".join(OCCUPATIONS)
_JOB = r"my (?:old |previous |last |day |full-time )?job"

WORK_RULES: Sequence[FactRule] = (
    # Work and study
    FactRule(
        "works_at",
        "work works",
        verb_pattern(
            "work",
            "works",
            r"(?: (?:full[- ]time|part[- ]time|remotely|as an? (?:[\w-]+ "
            f"){{1,4}}?))? ?(?:at|for) {ORG}",
        ),
    ),
    FactRule(
        "works_at",
        "working employed",
        copula_pattern(
            rf" (?:working|employed)(?: as an? (?:[\w-]+ ){{1,4}}?)? ?(?:at|for|by) {ORG}"
        ),
    ),
    FactRule(
        "works_at",
        "job started working joined",
        "@i(?: have|['’]ve)?@adv (?:got|landed|started|took|accepted|have) (?:a|my"
        rf"|an|the) (?:\w+ ){{0,2}}(?:job|position|role) (?:at|with) {ORG}",
    ),
    FactRule(
        "works_at",
        "working",
        f"(?:@i|@who)@adv started working (?:at|for) {ORG}",
    ),
    FactRule(
        "works_at",
        _TRADES,
        copula_pattern(f" an? (?:@occupation) at {ORG}"),
    ),
    FactRule(
        "works_at",
        "used",
        f"(?:@i|@who) used to work (?:at|for) {ORG}",
        ends=True,
    ),
    FactRule(
        "works_at",
        "longer don't doesn't not",
        f"(?:@i(?:@adv) (?:@never)|@who(?:@adv) (?:@nevers)) works? (?:at|for) {ORG}",
        ends=True,
    ),
    FactRule(
        "works_at",
        "worked",
        f"(?:@i|@who) worked (?:at|for) {ORG}",
        ends=True,
    ),
    FactRule(
        "works_at",
        "quit resigned laid fired go left lost",
        f"(?:@i(?: have|['’]ve)?|@who(?: has)?)@adv (?:(?:left|lost|quit) (?:{_JOB}|"
        f"(?:his|her|their) job) (?:at|with)|@quit) {ORG}",
        ends=True,
    ),
    FactRule(
        "works_at",
        "quit resigned retired lost left laid fired unemployed",
        rf"(?:@i(?: have|['’]ve)?@adv (?:(?:quit|left|lost) {_JOB}(?! (?:at|with)\b)"
        f"|quit{END}|resigned{END}|retired{END}|(?:got|was) (?:laid off"
        f"|fired){END})|@am@adv (?:unemployed|retired|between jobs))",
        ends=True,
    ),
    FactRule(
        "works_as",
        "quit resigned retired lost left laid fired unemployed",
        f"(?:@i(?: have|['’]ve)?@adv (?:(?:quit|left|lost) {_JOB}|quit{END}"
        f"|resigned{END}|retired{END}|(?:got|was) (?:laid off|fired){END})"
        "|@am@adv (?:unemployed|retired|between jobs))",
        ends=True,
    ),
    FactRule(
        "works_as",
        _TRADES,
        verb_pattern("work", "works", "(?: (?:at|for) @proper)? as (?P<o>an? @occupation)"),
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "works_as",
        _TRADES,
        "(?:@i|@who) (?:used to work|worked) as (?P<o>an? @occupation)",
        ObjectShape.VERBATIM,
        ends=True,
    ),
    FactRule(
        "works_as",
        _TRADES,
        copula_pattern(r"(?: working as)? (?P<o>an? @occupation)(?! of\b)"),
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "works_as",
        _TRADES,
        "(?:@i|@who) used to be (?P<o>an? @occupation)",
        ObjectShape.VERBATIM,
        ends=True,
    ),
    FactRule(
        "works_as",
        _TRADES,
        "@am (?:not (?P<o>an? @occupation)(?:@anymore)|no longer (?P<o2>an? @occupation))",
        ObjectShape.VERBATIM,
        ends=True,
    ),
    FactRule(
        "studies",
        "study studies",
        verb_pattern(
            "study",
            "studies",
            r" (?!(?:at|for|in|hard|abroad|with|the|my|a|all|every|together)\b)(?P<o>@thing)",
        ),
        ObjectShape.THING,
    ),
    FactRule(
        "studies",
        "majoring major",
        copula_pattern(f" majoring in {THING}"),
        ObjectShape.THING,
    ),
    FactRule(
        "studies",
        "major",
        f"@i@adv major in {THING}",
        ObjectShape.THING,
    ),
    FactRule(
        "studies_at",
        "study studies studying student",
        r"(?:@i@adv study|@am@adv studying|@who@adv studies|@am@adv a (?:\w+ "
        rf"){{0,2}}student)(?: [\w ]{{1,30}}?)? at {ORG}",
    ),
    FactRule(
        "studied",
        "studied majored",
        "(?:@i|@who)@adv (?:studied|majored in) (?!(?:at|for|in|hard|abroad|with"
        r"|the|my|a|all|every|together)\b)(?P<o>@thing)",
        ObjectShape.THING,
    ),
    FactRule(
        "studied",
        "degree phd master's bachelor's masters",
        "(?:@have|@i@adv (?:got|earned|finished|completed)|@who has)@adv (?:an?"
        r"|my) (?:\w+['’]?s? )?(?:degree|PhD|phd|doctorate|[Mm]aster['’]?s"
        "|[Bb]achelor['’]?s) in (?P<o>@thing)",
        ObjectShape.THING,
    ),
    FactRule(
        "graduated_from",
        "graduated",
        f"(?:@i|@who)@adv graduated from {ORG}",
    ),
    # How
    FactRule(
        "uses",
        "use uses using",
        verb_pattern("use", "uses", " (?P<o>@tool)"),
    ),
    FactRule(
        "uses",
        "using",
        copula_pattern(" using (?P<o>@tool)"),
    ),
    FactRule(
        "uses",
        "switched migrated moved",
        "@i(?: have|['’]ve)?@adv (?:switched|migrated)(?: over)?(?: from @tool)? to (?P<o>@tool)",
    ),
    FactRule(
        "uses",
        "switched migrated",
        "@i(?: have|['’]ve)?@adv (?:switched|migrated)(?: over| away)? from (?P<o>@tool)",
        ends=True,
    ),
    FactRule(
        "uses",
        "used longer don't not stopped",
        "@i(?: have|['’]ve)?@adv (?:used to use|(?:@never) use|stopped using) (?P<o>@tool)",
        ends=True,
    ),
    FactRule(
        "timezone",
        "timezone zone",
        r"@my time ?zone is (?P<o>(?:UTC|GMT)(?: ?[+-] ?\d{1,2}(?::?\d\d)?)?"
        r"|[A-Z]{2,5}\b|[A-Z]\w+/[A-Z]\w+|[A-Z][a-z]+(?: [A-Z][a-z]+)?)",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "timezone",
        "timezone zone time",
        r"@am@adv (?:in|on) (?:the )?(?P<o>(?:UTC|GMT)(?: ?[+-] ?\d{1,2}"
        r"(?::?\d\d)?)?|[A-Z]{2,5}|Pacific|Eastern|Central|Mountain)(?: time ?zone| "
        r"[Tt]ime\b)",
        ObjectShape.VERBATIM,
    ),
)
