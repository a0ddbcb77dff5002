"""Rules for who somebody is: name, age, tongues, home, family and pets.

Addresses, numbers and accounts of people have no rule, on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence

from .fact_rule import DATE, END, PERSON, PLACE, FactRule, ObjectShape, copula_pattern, verb_pattern

#: What somebody is, and is not called, behind a greeting.
_NATIONALITIES = r"(?:@language|Christian|Muslim|Jewish|Catholic|Hindu|Buddhist|Swiss|Vegan)\b"
#: Between a verb of dwelling and the place: "moved back to".
_DIRECTION = r"(?: (?:back|here|over|out|all the way|away))?"
#: How a name follows what somebody is to the speaker: "my sister's name is", "my sister".
_NAME_LINK = r"(?:['’]s (?:first |full )?name(?: is|['’]s)|,? (?:is|was) (?:named|called)|,)?"

IDENTITY_RULES: Sequence[FactRule] = (
    # Who somebody is
    FactRule(
        "name",
        "name name's",
        f"@my (?:real |full |legal |actual )?name(?: is|['’]s)(?: now)? {PERSON}",
    ),
    FactRule(
        "name",
        "name",
        f"@i(?: have|['’]ve)?@adv changed my name to {PERSON}",
    ),
    FactRule(
        "name",
        "i'm am this",
        r"^(?i:hi|hello|hey)\b(?: there| all| everyone| team)?[,!. ]+(?:@am|[Tt]his is) "
        rf"(?!{_NATIONALITIES}){PERSON}"
        r"(?<!ish)(?<!ese)(?<!ian)(?<!ican)(?=\s*(?:$|[.,!]| and\b| from\b| here\b))",
    ),
    FactRule(
        "goes_by",
        "call calls",
        r"\b(?:[Pp]lease |[Yy]ou can |[Jj]ust )?"
        rf"(?:[Cc]all|(?:[Ee]veryone|[Pp]eople|[Ff]riends) calls?) me {PERSON}{END}",
    ),
    FactRule(
        "goes_by",
        "go",
        f"@i@adv go by {PERSON}{END}",
    ),
    FactRule(
        "birthday",
        "birthday birthday's",
        f"@my birthday(?: is|['’]s)(?: on)? {DATE}",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "birthday",
        "birthday",
        f"@who['’]s birthday is(?: on)? {DATE}",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "born",
        "born",
        r"(?:@i was|@who was) born (?P<o>(?:on (?:@date)|in \d{4}\b|in "
        r"[A-Z][a-z]+ \d{4}\b))",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "birthplace",
        "born",
        rf"(?:@i was|@who was) born(?: and raised)? in {PLACE}(?! \d)",
    ),
    FactRule(
        "origin",
        "from",
        "(?:@am@adv(?: originally)?|@i (?:originally )?come|@who (?:is|comes)(?: "
        f"originally)?) from {PLACE}{END}",
    ),
    FactRule(
        "grew_up_in",
        "grew raised",
        f"(?:@i|@who) (?:grew up|was raised) in {PLACE}",
    ),
    FactRule(
        "age",
        "years",
        copula_pattern(r" (?P<o>\d{1,3}|@number) years old"),
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "age",
        "i'm am",
        rf"@am@adv (?P<o>[1-9]\d){END}(?!-)",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "age",
        "turned",
        r"(?:@i|@who)@adv turned (?P<o>[1-9]\d)"
        r"(?=\s*(?:$|[.,;!)]| and\b| (?:last|this|yesterday|today|in|on) ))",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "native_language",
        "native tongue first",
        "@my (?:native language|mother tongue|native tongue|first language) is (?P<o>@language)",
    ),
    FactRule(
        "speaks",
        "native tongue first",
        "@my (?:native language|mother tongue|native tongue|first language) is (?P<o>@language)",
    ),
    FactRule(
        "speaks",
        "speak speaks",
        verb_pattern(
            "speak", "speaks", "(?: (?:fluent|good|some|a little|a bit of))? (?P<o>@languages)"
        ),
        ObjectShape.THINGS,
    ),
    FactRule(
        "speaks",
        "fluent",
        copula_pattern(r"(?: \w+)? fluent in (?P<o>@languages)"),
        ObjectShape.THINGS,
    ),
    FactRule(
        "speaks",
        "longer don't doesn't not",
        "(?:@i (?:@never)|@who (?:@nevers)) speak (?:any )?(?P<o>@languages)",
        ObjectShape.THINGS,
        ends=True,
    ),
    FactRule(
        "learns",
        "learning",
        copula_pattern(" learning(?: to speak)? (?P<o>@languages)"),
        ObjectShape.THINGS,
    ),
    # Where
    FactRule(
        "lives_in",
        "live lives reside resides",
        verb_pattern("(?:live|reside)", "(?:lives|resides)", f"{_DIRECTION} (?:in|at) {PLACE}"),
    ),
    FactRule(
        "lives_in",
        "living based",
        copula_pattern(f" (?:living|based|settled|residing){_DIRECTION} in {PLACE}"),
    ),
    FactRule(
        "lives_in",
        "lived living",
        f"(?:@i(?: have|['’]ve)|@who has)(?: been living|@adv lived){_DIRECTION} "
        rf"in {PLACE}(?=.*\b(?:since|for|all)\b)",
    ),
    FactRule(
        "lives_in",
        "moved relocated",
        f"(?:@i(?: have|['’]ve)?|@who(?: has)?)@adv (?:moved|relocated){_DIRECTION}(?: "
        f"from @place)? to {PLACE}",
    ),
    FactRule(
        "lives_in",
        "moved relocated",
        f"(?:@i(?: have|['’]ve)?|@who(?: has)?)@adv (?:moved|relocated){_DIRECTION} "
        f"(?:from|out of|away from) {PLACE}",
        ends=True,
    ),
    FactRule(
        "lives_in",
        "used",
        f"(?:@i|@who) used to live{_DIRECTION} in {PLACE}",
        ends=True,
    ),
    FactRule(
        "lives_in",
        "longer don't doesn't not",
        f"(?:@i(?:@adv) (?:@never)|@who(?:@adv) (?:@nevers)) lives?{_DIRECTION} in {PLACE}",
        ends=True,
    ),
    FactRule(
        "lives_in",
        "lived",
        f"(?:@i|@who) lived{_DIRECTION} in {PLACE}",
        ends=True,
    ),
    # Family
    FactRule(
        "partner",
        "married engaged",
        copula_pattern(rf"(?: \w+)? (?:married|engaged) to {PERSON}"),
    ),
    FactRule(
        "partner",
        "divorced broke split separated",
        "(?:@i|@who)@adv (?:divorced|broke up with|split up with|separated from) "
        r"(?:@person(?<=\w)|my (?:ex-)?(?:wife|husband|partner|girlfriend|boyfriend"
        "|fiancée?))",
        ObjectShape.VERBATIM,
        ends=True,
    ),
    FactRule(
        "partner",
        "broke divorced split passed died",
        "@my (?:wife|husband|partner|girlfriend|boyfriend)(?: and (?:I|i))?@adv "
        "(?:broke up|got divorced|divorced|split up|passed away|died|left me)",
        ObjectShape.VERBATIM,
        ends=True,
    ),
    FactRule(
        "marital_status",
        "married single divorced engaged widowed",
        r"@am@adv (?P<o>married|single|divorced|engaged|widowed)(?=\s*(?:$|[.,;!)–—]"
        r"| and\b| but\b| so\b| now\b| to\b))",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "marital_status",
        "married engaged divorced",
        r"@i@adv (?:got|just got) (?P<o>married|engaged|divorced)\b",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "",
        "name named called wife husband spouse partner girlfriend boyfriend fiancé "
        "fiancée fiance fiancee mother mom mum father dad sister brother son "
        "daughter cousin friend colleague coworker boss manager",
        "@my (?:best |older |younger |little |big |oldest |youngest |twin |new )?"
        f"(?P<kind>@kin){_NAME_LINK} {PERSON}",
        position_free=True,
    ),
    FactRule(
        "count",
        "kids children kid child sons daughters siblings brothers sisters",
        r"(?:@have|@who has)@adv (?P<o>(?:@number) (?:\w+ )?(?P<kind>@counted))\b",
        ObjectShape.VERBATIM,
    ),
    FactRule(
        "pet",
        "named called",
        "(?:@have|@i@adv (?:got|adopted|bought)|@who (?:has|got|adopted))@adv "
        rf"(?:an?|another|the) (?:[\w-]+ ){{0,3}}?(?:@animal),? (?:named"
        f"|called) {PERSON}",
    ),
    FactRule(
        "pet",
        "dog puppy pup cat kitten turtle hamster rabbit bunny parrot bird horse "
        "snake lizard pig dog's cat's",
        "@my (?:[a-z]+ )?(?:@animal)(?:['’]s name(?: is|['’]s)|,? is (?:named"
        f"|called)|,)? {PERSON}",
        position_free=True,
    ),
)
