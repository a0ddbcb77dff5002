"""Rules for what somebody likes, plans, feels and asks to have noted, and for what is due when."""

from __future__ import annotations

from collections.abc import Sequence

from .fact_rule import DAY, END, THING, THINGS, FactRule, ObjectShape, copula_pattern, verb_pattern

PREFERENCE_RULES: Sequence[FactRule] = (
    # Tastes
    FactRule(
        "favourite_",
        "favourite favorite fav fave",
        "@my (?:all[- ]time |new |absolute |current |personal )?(?:favou?rite"
        rf"|fave?) (?P<kind>[a-z][\w-]*(?: [a-z][\w-]*){{0,2}}?)(?: is"
        f"|['’]s)@adv {THING}",
        ObjectShape.THING,
    ),
    FactRule(
        "favourite_",
        "called named",
        r"@my (?:favou?rite|fave?) (?P<kind>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?),? "
        "(?:called|named) (?P<o>@proper)",
        position_free=True,
    ),
    FactRule(
        "favourite_",
        "favourite favorite fav fave",
        "(?P<o>@proper)(?: is|['’]s)@adv my (?:all[- ]time |new |absolute |current "
        r"|personal )?(?:favou?rite|fave?) (?P<kind>[a-z][\w-]*(?: "
        rf"[a-z][\w-]*)?){END}",
        ObjectShape.PROPER,
    ),
    FactRule(
        "prefers",
        "prefer prefers",
        verb_pattern(
            "prefer",
            "prefers",
            r" (?P<o>[^.,;:!?()\n]{2,40}?) (?:over|to|rather than|instead of) (?P<than>@thing)",
        ),
        ObjectShape.THING,
    ),
    FactRule(
        "prefers",
        "prefer prefers",
        verb_pattern(
            "prefer",
            "prefers",
            r" (?!to\b|not\b|if\b|that\b)(?P<o>(?:(?! over | to | rather | "
            r"instead )[^.,;:!?()\n]){2,60})(?=$|[.,;:!?()\n])",
        ),
        ObjectShape.THING,
    ),
    FactRule(
        "likes",
        "love like enjoy adore loves likes enjoys adores",
        verb_pattern("(?:@fond)", "(?:@fonds)", f" {THINGS}"),
        ObjectShape.THINGS,
    ),
    FactRule(
        "likes",
        "fan into",
        copula_pattern(
            f" (?:an? (?:big |huge |massive |great )?fan of|(?:really |very |super )?into) {THINGS}"
        ),
        ObjectShape.THINGS,
    ),
    FactRule(
        "likes",
        "used",
        f"(?:@i|@who) used to@adv (?:@fond) {THINGS}",
        ObjectShape.THINGS,
        ends=True,
    ),
    FactRule(
        "likes",
        "longer anymore any",
        f"(?:@i no longer (?:@fond) {THING}|@i(?:@adv) don['’]t(?:@adv) (?:@fond) "
        rf"(?P<o2>[^.,;:!?()\n]{{2,40}}?)(?:@anymore))",
        ObjectShape.THING,
        ends=True,
    ),
    FactRule(
        "dislikes",
        "hate dislike detest stand bear hates dislikes detests don't doesn't not",
        f"(?:@i@adv (?:@loath|@dislike)|@who@adv (?:@loaths|@dislikes)) (?!.*(?:@anymore)){THINGS}",
        ObjectShape.THINGS,
    ),
    FactRule(
        "dislikes",
        "fan into",
        f"@am (?:not (?:a (?:big |huge )?fan of|(?:really )?into)) {THINGS}",
        ObjectShape.THINGS,
    ),
    FactRule(
        "dislikes",
        "used",
        f"(?:@i|@who) used to@adv (?:hate|dislike) {THINGS}",
        ObjectShape.THINGS,
        ends=True,
    ),
    FactRule(
        "allergic_to",
        "allergic",
        copula_pattern(rf"(?: \w+ly| very)? allergic to {THINGS}"),
        ObjectShape.THINGS,
    ),
    FactRule(
        "allergic_to",
        "allergic",
        f"(?:@am|@who is) (?:not|no longer) allergic to {THINGS}",
        ObjectShape.THINGS,
        ends=True,
    ),
    # For a while
    FactRule(
        "deadline",
        "deadline",
        r"\b(?:[Tt]he|[Mm]y|[Oo]ur) deadline(?: (?:for|of) (?P<what>(?:the |my |our "
        rf")?[\w -]{{2,40}}?))?(?: is|['’]s)(?: now)?(?: on| by| at)? {DAY}",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "deadline",
        "due",
        rf"\b(?P<what>(?:[Tt]he|[Mm]y|[Oo]ur) [\w -]{{2,40}}?) (?:is|are)(?: now)? "
        f"due(?: on| by| at)? {DAY}",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "meeting",
        "meeting appointment interview",
        "(?:@have|@have) an? (?:meeting|appointment|interview) (?P<o>(?:with "
        r"(?:@thing) )?(?:on |at )?@day(?: at \d{1,2}(?::\d\d)? ?(?:am|pm)?)?)",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "meeting",
        "meeting appointment interview",
        r"\b(?:[Tt]he|[Mm]y|[Oo]ur) (?:meeting|appointment|interview) (?P<o>(?:with "
        r"[^.,;:!?()\n]{2,40}? )?is (?:now )?(?:on |at )?@day(?: at \d{1,2}"
        r"(?::\d\d)? ?(?:am|pm)?)?)",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "plan",
        "going flying travelling traveling leaving visiting",
        "@am@adv (?P<o>(?:(?:going|flying|travelling|traveling|leaving) (?:to|for)"
        r"|visiting) @place (?:tomorrow|tonight|today|next \w+|this \w+|on @day|in "
        "@day))",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "mood",
        "feeling feel",
        "(?:@am@adv feeling|@i feel)(?: (?:so|really|very|a bit|a little|pretty"
        "|quite|kinda|super))? (?P<o>@mood)(?= (?:today|right now|now|these days"
        r"|this week|tonight|lately)\b)",
        ObjectShape.VERBATIM,
    ),
    # By request
    FactRule(
        "note",
        "remember note mind forget",
        "^(?:[^,]{0,20}, )?(?:[Pp]lease |[Aa]lso |[Aa]nd )*(?:[Rr]emember|[Nn]ote"
        "|[Kk]eep in mind|[Dd]o(?:n['’]t| not) forget)(?: that|:| for (?:later"
        "|next time|the future):?)(?P<o> .{8,300})$",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "note",
        "remember note mind",
        "^(?:[Pp]lease (?:remember|note|keep in mind)),? (?P<o>(?:I|I['’]m|my|we"
        "|our|the) .{8,300})$",
        ObjectShape.VERBATIM,
    ),
)
