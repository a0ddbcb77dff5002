"""Rules for what somebody likes, plans, feels and asks to have noted, and for what is due when."""

from __future__ import annotations

from collections.abc import Sequence

from .fact_rules import DAY, END, THING, THINGS, Rule, Shape, is_, says

TASTES: Sequence[Rule] = (
    # Tastes
    Rule(
        "favourite_",
        "favourite favorite fav fave",
        "@my (?:all[- ]time |new |absolute |current |personal )?(?:favou?rite"
        rf"|fave?) (?P<kind>[a-z][\w-]*(?: [a-z][\w-]*){{0,2}}?)(?: is"
        f"|['’]s)@adv {THING}",
        Shape.THING,
    ),
    Rule(
        "favourite_",
        "called named",
        r"@my (?:favou?rite|fave?) (?P<kind>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?),? "
        "(?:called|named) (?P<o>@proper)",
        presumed=True,
    ),
    Rule(
        "favourite_",
        "favourite favorite fav fave",
        "(?P<o>@proper)(?: is|['’]s)@adv my (?:all[- ]time |new |absolute |current "
        r"|personal )?(?:favou?rite|fave?) (?P<kind>[a-z][\w-]*(?: "
        rf"[a-z][\w-]*)?){END}",
        Shape.PROPER,
    ),
    Rule(
        "prefers",
        "prefer prefers",
        says(
            "prefer",
            "prefers",
            r" (?P<o>[^.,;:!?()\n]{2,40}?) (?:over|to|rather than|instead of) (?P<than>@thing)",
        ),
        Shape.THING,
    ),
    Rule(
        "prefers",
        "prefer prefers",
        says(
            "prefer",
            "prefers",
            r" (?!to\b|not\b|if\b|that\b)(?P<o>(?:(?! over | to | rather | "
            r"instead )[^.,;:!?()\n]){2,60})(?=$|[.,;:!?()\n])",
        ),
        Shape.THING,
    ),
    Rule(
        "likes",
        "love like enjoy adore loves likes enjoys adores",
        says("(?:@fond)", "(?:@fonds)", f" {THINGS}"),
        Shape.THINGS,
    ),
    Rule(
        "likes",
        "fan into",
        is_(
            f" (?:an? (?:big |huge |massive |great )?fan of|(?:really |very |super )?into) {THINGS}"
        ),
        Shape.THINGS,
    ),
    Rule(
        "likes",
        "used",
        f"(?:@i|@who) used to@adv (?:@fond) {THINGS}",
        Shape.THINGS,
        ends=True,
    ),
    Rule(
        "likes",
        "longer anymore any",
        f"(?:@i no longer (?:@fond) {THING}|@i(?:@adv) don['’]t(?:@adv) (?:@fond) "
        rf"(?P<o2>[^.,;:!?()\n]{{2,40}}?)(?:@anymore))",
        Shape.THING,
        ends=True,
    ),
    Rule(
        "dislikes",
        "hate dislike detest stand bear hates dislikes detests don't doesn't not",
        f"(?:@i@adv (?:@loath|@dislike)|@who@adv (?:@loaths|@dislikes)) (?!.*(?:@anymore)){THINGS}",
        Shape.THINGS,
    ),
    Rule(
        "dislikes",
        "fan into",
        f"@am (?:not (?:a (?:big |huge )?fan of|(?:really )?into)) {THINGS}",
        Shape.THINGS,
    ),
    Rule(
        "dislikes",
        "used",
        f"(?:@i|@who) used to@adv (?:hate|dislike) {THINGS}",
        Shape.THINGS,
        ends=True,
    ),
    Rule(
        "allergic_to",
        "allergic",
        is_(rf"(?: \w+ly| very)? allergic to {THINGS}"),
        Shape.THINGS,
    ),
    Rule(
        "allergic_to",
        "allergic",
        f"(?:@am|@who is) (?:not|no longer) allergic to {THINGS}",
        Shape.THINGS,
        ends=True,
    ),
    # For a while
    Rule(
        "deadline",
        "deadline",
        r"\b(?:[Tt]he|[Mm]y|[Oo]ur) deadline(?: (?:for|of) (?P<what>(?:the |my |our "
        rf")?[\w -]{{2,40}}?))?(?: is|['’]s)(?: now)?(?: on| by| at)? {DAY}",
        Shape.PLAIN,
    ),
    Rule(
        "deadline",
        "due",
        rf"\b(?P<what>(?:[Tt]he|[Mm]y|[Oo]ur) [\w -]{{2,40}}?) (?:is|are)(?: now)? "
        f"due(?: on| by| at)? {DAY}",
        Shape.PLAIN,
    ),
    Rule(
        "meeting",
        "meeting appointment interview",
        "(?:@have|@have) an? (?:meeting|appointment|interview) (?P<o>(?:with "
        r"(?:@thing) )?(?:on |at )?@day(?: at \d{1,2}(?::\d\d)? ?(?:am|pm)?)?)",
        Shape.PLAIN,
    ),
    Rule(
        "meeting",
        "meeting appointment interview",
        r"\b(?:[Tt]he|[Mm]y|[Oo]ur) (?:meeting|appointment|interview) (?P<o>(?:with "
        r"[^.,;:!?()\n]{2,40}? )?is (?:now )?(?:on |at )?@day(?: at \d{1,2}"
        r"(?::\d\d)? ?(?:am|pm)?)?)",
        Shape.PLAIN,
    ),
    Rule(
        "plan",
        "going flying travelling traveling leaving visiting",
        "@am@adv (?P<o>(?:(?:going|flying|travelling|traveling|leaving) (?:to|for)"
        r"|visiting) @place (?:tomorrow|tonight|today|next \w+|this \w+|on @day|in "
        "@day))",
        Shape.PLAIN,
    ),
    Rule(
        "mood",
        "feeling feel",
        "(?:@am@adv feeling|@i feel)(?: (?:so|really|very|a bit|a little|pretty"
        "|quite|kinda|super))? (?P<o>@mood)(?= (?:today|right now|now|these days"
        r"|this week|tonight|lately)\b)",
        Shape.PLAIN,
    ),
    # By request
    Rule(
        "note",
        "remember note mind forget",
        "^(?:[^,]{0,20}, )?(?:[Pp]lease |[Aa]lso |[Aa]nd )*(?:[Rr]emember|[Nn]ote"
        "|[Kk]eep in mind|[Dd]o(?:n['’]t| not) forget)(?: that|:| for (?:later"
        "|next time|the future):?)(?P<o> .{8,300})$",
        Shape.PLAIN,
    ),
    Rule(
        "note",
        "remember note mind",
        "^(?:[Pp]lease (?:remember|note|keep in mind)),? (?P<o>(?:I|I['’]m|my|we"
        "|our|the) .{8,300})$",
        Shape.PLAIN,
    ),
)
