"""Rules for what somebody does: employer, occupation, studies, tools and time zone."""

from __future__ import annotations

from collections.abc import Sequence

from .fact_rules import END, ORG, THING, Rule, Shape, is_, says
from .fact_words import OCCUPATIONS

_TRADES = " ".join(OCCUPATIONS)
_JOB = r"my (?:old |previous |last |day |full-time )?job"

WORK: Sequence[Rule] = (
    # Work and study
    Rule(
        "works_at",
        "work works",
        says(
            "work",
            "works",
            r"(?: (?:full[- ]time|part[- ]time|remotely|as an? (?:[\w-]+ "
            f"){{1,4}}?))? ?(?:at|for) {ORG}",
        ),
    ),
    Rule(
        "works_at",
        "working employed",
        is_(rf" (?:working|employed)(?: as an? (?:[\w-]+ ){{1,4}}?)? ?(?:at|for|by) {ORG}"),
    ),
    Rule(
        "works_at",
        "job started working joined",
        "@i(?: have|['’]ve)?@adv (?:got|landed|started|took|accepted|have) (?:a|my"
        rf"|an|the) (?:\w+ ){{0,2}}(?:job|position|role) (?:at|with) {ORG}",
    ),
    Rule(
        "works_at",
        "working",
        f"(?:@i|@who)@adv started working (?:at|for) {ORG}",
    ),
    Rule(
        "works_at",
        _TRADES,
        is_(f" an? (?:@occupation) at {ORG}"),
    ),
    Rule(
        "works_at",
        "used",
        f"(?:@i|@who) used to work (?:at|for) {ORG}",
        ends=True,
    ),
    Rule(
        "works_at",
        "longer don't doesn't not",
        f"(?:@i(?:@adv) (?:@never)|@who(?:@adv) (?:@nevers)) works? (?:at|for) {ORG}",
        ends=True,
    ),
    Rule(
        "works_at",
        "worked",
        f"(?:@i|@who) worked (?:at|for) {ORG}",
        ends=True,
    ),
    Rule(
        "works_at",
        "quit resigned laid fired go left lost",
        f"(?:@i(?: have|['’]ve)?|@who(?: has)?)@adv (?:(?:left|lost|quit) (?:{_JOB}|"
        f"(?:his|her|their) job) (?:at|with)|@quit) {ORG}",
        ends=True,
    ),
    Rule(
        "works_at",
        "quit resigned retired lost left laid fired unemployed",
        rf"(?:@i(?: have|['’]ve)?@adv (?:(?:quit|left|lost) {_JOB}(?! (?:at|with)\b)"
        f"|quit{END}|resigned{END}|retired{END}|(?:got|was) (?:laid off"
        f"|fired){END})|@am@adv (?:unemployed|retired|between jobs))",
        ends=True,
    ),
    Rule(
        "works_as",
        "quit resigned retired lost left laid fired unemployed",
        f"(?:@i(?: have|['’]ve)?@adv (?:(?:quit|left|lost) {_JOB}|quit{END}"
        f"|resigned{END}|retired{END}|(?:got|was) (?:laid off|fired){END})"
        "|@am@adv (?:unemployed|retired|between jobs))",
        ends=True,
    ),
    Rule(
        "works_as",
        _TRADES,
        says("work", "works", "(?: (?:at|for) @proper)? as (?P<o>an? @occupation)"),
        Shape.PLAIN,
    ),
    Rule(
        "works_as",
        _TRADES,
        "(?:@i|@who) (?:used to work|worked) as (?P<o>an? @occupation)",
        Shape.PLAIN,
        ends=True,
    ),
    Rule(
        "works_as",
        _TRADES,
        is_(r"(?: working as)? (?P<o>an? @occupation)(?! of\b)"),
        Shape.PLAIN,
    ),
    Rule(
        "works_as",
        _TRADES,
        "(?:@i|@who) used to be (?P<o>an? @occupation)",
        Shape.PLAIN,
        ends=True,
    ),
    Rule(
        "works_as",
        _TRADES,
        "@am (?:not (?P<o>an? @occupation)(?:@anymore)|no longer (?P<o2>an? @occupation))",
        Shape.PLAIN,
        ends=True,
    ),
    Rule(
        "studies",
        "study studies",
        says(
            "study",
            "studies",
            r" (?!(?:at|for|in|hard|abroad|with|the|my|a|all|every|together)\b)(?P<o>@thing)",
        ),
        Shape.THING,
    ),
    Rule(
        "studies",
        "majoring major",
        is_(f" majoring in {THING}"),
        Shape.THING,
    ),
    Rule(
        "studies",
        "major",
        f"@i@adv major in {THING}",
        Shape.THING,
    ),
    Rule(
        "studies_at",
        "study studies studying student",
        r"(?:@i@adv study|@am@adv studying|@who@adv studies|@am@adv a (?:\w+ "
        rf"){{0,2}}student)(?: [\w ]{{1,30}}?)? at {ORG}",
    ),
    Rule(
        "studied",
        "studied majored",
        "(?:@i|@who)@adv (?:studied|majored in) (?!(?:at|for|in|hard|abroad|with"
        r"|the|my|a|all|every|together)\b)(?P<o>@thing)",
        Shape.THING,
    ),
    Rule(
        "studied",
        "degree phd master's bachelor's masters",
        "(?:@have|@i@adv (?:got|earned|finished|completed)|@who has)@adv (?:an?"
        r"|my) (?:\w+['’]?s? )?(?:degree|PhD|phd|doctorate|[Mm]aster['’]?s"
        "|[Bb]achelor['’]?s) in (?P<o>@thing)",
        Shape.THING,
    ),
    Rule(
        "graduated_from",
        "graduated",
        f"(?:@i|@who)@adv graduated from {ORG}",
    ),
    # How
    Rule(
        "uses",
        "use uses using",
        says("use", "uses", " (?P<o>@tool)"),
    ),
    Rule(
        "uses",
        "using",
        is_(" using (?P<o>@tool)"),
    ),
    Rule(
        "uses",
        "switched migrated moved",
        "@i(?: have|['’]ve)?@adv (?:switched|migrated)(?: over)?(?: from @tool)? to (?P<o>@tool)",
    ),
    Rule(
        "uses",
        "switched migrated",
        "@i(?: have|['’]ve)?@adv (?:switched|migrated)(?: over| away)? from (?P<o>@tool)",
        ends=True,
    ),
    Rule(
        "uses",
        "used longer don't not stopped",
        "@i(?: have|['’]ve)?@adv (?:used to use|(?:@never) use|stopped using) (?P<o>@tool)",
        ends=True,
    ),
    Rule(
        "timezone",
        "timezone zone",
        r"@my time ?zone is (?P<o>(?:UTC|GMT)(?: ?[+-] ?\d{1,2}(?::?\d\d)?)?"
        r"|[A-Z]{2,5}\b|[A-Z]\w+/[A-Z]\w+|[A-Z][a-z]+(?: [A-Z][a-z]+)?)",
        Shape.PLAIN,
    ),
    Rule(
        "timezone",
        "timezone zone time",
        r"@am@adv (?:in|on) (?:the )?(?P<o>(?:UTC|GMT)(?: ?[+-] ?\d{1,2}"
        r"(?::?\d\d)?)?|[A-Z]{2,5}|Pacific|Eastern|Central|Mountain)(?: time ?zone| "
        r"[Tt]ime\b)",
        Shape.PLAIN,
    ),
)
