"""Rules for who somebody is: name, age, tongues, home, family and pets.

Addresses, numbers and accounts of people have no rule, on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence

from .fact_rules import DATE, END, PERSON, PLACE, Rule, Shape, is_, says

#: What somebody is, and is not called, behind a greeting.
_NATIONS = r"(?:@language|Christian|Muslim|Jewish|Catholic|Hindu|Buddhist|Swiss|Vegan)\b"
#: Between a verb of dwelling and the place: "moved back to".
_SINCE = r"(?: (?:back|here|over|out|all the way|away))?"
#: How a name follows what somebody is to the speaker: "my sister's name is", "my sister".
_NAMED = r"(?:['’]s (?:first |full )?name(?: is|['’]s)|,? (?:is|was) (?:named|called)|,)?"

IDENTITY: Sequence[Rule] = (
    # Who somebody is
    Rule(
        "name",
        "name name's",
        f"@my (?:real |full |legal |actual )?name(?: is|['’]s)(?: now)? {PERSON}",
    ),
    Rule(
        "name",
        "name",
        f"@i(?: have|['’]ve)?@adv changed my name to {PERSON}",
    ),
    Rule(
        "name",
        "i'm am this",
        r"^(?i:hi|hello|hey)\b(?: there| all| everyone| team)?[,!. ]+(?:@am|[Tt]his is) "
        rf"(?!{_NATIONS}){PERSON}"
        r"(?<!ish)(?<!ese)(?<!ian)(?<!ican)(?=\s*(?:$|[.,!]| and\b| from\b| here\b))",
    ),
    Rule(
        "goes_by",
        "call calls",
        r"\b(?:[Pp]lease |[Yy]ou can |[Jj]ust )?"
        rf"(?:[Cc]all|(?:[Ee]veryone|[Pp]eople|[Ff]riends) calls?) me {PERSON}{END}",
    ),
    Rule(
        "goes_by",
        "go",
        f"@i@adv go by {PERSON}{END}",
    ),
    Rule(
        "birthday",
        "birthday birthday's",
        f"@my birthday(?: is|['’]s)(?: on)? {DATE}",
        Shape.PLAIN,
    ),
    Rule(
        "birthday",
        "birthday",
        f"@who['’]s birthday is(?: on)? {DATE}",
        Shape.PLAIN,
    ),
    Rule(
        "born",
        "born",
        r"(?:@i was|@who was) born (?P<o>(?:on (?:@date)|in \d{4}\b|in "
        r"[A-Z][a-z]+ \d{4}\b))",
        Shape.PLAIN,
    ),
    Rule(
        "birthplace",
        "born",
        rf"(?:@i was|@who was) born(?: and raised)? in {PLACE}(?! \d)",
    ),
    Rule(
        "origin",
        "from",
        "(?:@am@adv(?: originally)?|@i (?:originally )?come|@who (?:is|comes)(?: "
        f"originally)?) from {PLACE}{END}",
    ),
    Rule(
        "grew_up_in",
        "grew raised",
        f"(?:@i|@who) (?:grew up|was raised) in {PLACE}",
    ),
    Rule(
        "age",
        "years",
        is_(r" (?P<o>\d{1,3}|@number) years old"),
        Shape.PLAIN,
    ),
    Rule(
        "age",
        "i'm am",
        rf"@am@adv (?P<o>[1-9]\d){END}(?!-)",
        Shape.PLAIN,
    ),
    Rule(
        "age",
        "turned",
        r"(?:@i|@who)@adv turned (?P<o>[1-9]\d)"
        r"(?=\s*(?:$|[.,;!)]| and\b| (?:last|this|yesterday|today|in|on) ))",
        Shape.PLAIN,
    ),
    Rule(
        "native_language",
        "native tongue first",
        "@my (?:native language|mother tongue|native tongue|first language) is (?P<o>@language)",
    ),
    Rule(
        "speaks",
        "native tongue first",
        "@my (?:native language|mother tongue|native tongue|first language) is (?P<o>@language)",
    ),
    Rule(
        "speaks",
        "speak speaks",
        says("speak", "speaks", "(?: (?:fluent|good|some|a little|a bit of))? (?P<o>@languages)"),
        Shape.THINGS,
    ),
    Rule(
        "speaks",
        "fluent",
        is_(r"(?: \w+)? fluent in (?P<o>@languages)"),
        Shape.THINGS,
    ),
    Rule(
        "speaks",
        "longer don't doesn't not",
        "(?:@i (?:@never)|@who (?:@nevers)) speak (?:any )?(?P<o>@languages)",
        Shape.THINGS,
        ends=True,
    ),
    Rule(
        "learns",
        "learning",
        is_(" learning(?: to speak)? (?P<o>@languages)"),
        Shape.THINGS,
    ),
    # Where
    Rule(
        "lives_in",
        "live lives reside resides",
        says("(?:live|reside)", "(?:lives|resides)", f"{_SINCE} (?:in|at) {PLACE}"),
    ),
    Rule(
        "lives_in",
        "living based",
        is_(f" (?:living|based|settled|residing){_SINCE} in {PLACE}"),
    ),
    Rule(
        "lives_in",
        "lived living",
        f"(?:@i(?: have|['’]ve)|@who has)(?: been living|@adv lived){_SINCE} "
        rf"in {PLACE}(?=.*\b(?:since|for|all)\b)",
    ),
    Rule(
        "lives_in",
        "moved relocated",
        f"(?:@i(?: have|['’]ve)?|@who(?: has)?)@adv (?:moved|relocated){_SINCE}(?: "
        f"from @place)? to {PLACE}",
    ),
    Rule(
        "lives_in",
        "moved relocated",
        f"(?:@i(?: have|['’]ve)?|@who(?: has)?)@adv (?:moved|relocated){_SINCE} "
        f"(?:from|out of|away from) {PLACE}",
        ends=True,
    ),
    Rule(
        "lives_in",
        "used",
        f"(?:@i|@who) used to live{_SINCE} in {PLACE}",
        ends=True,
    ),
    Rule(
        "lives_in",
        "longer don't doesn't not",
        f"(?:@i(?:@adv) (?:@never)|@who(?:@adv) (?:@nevers)) lives?{_SINCE} in {PLACE}",
        ends=True,
    ),
    Rule(
        "lives_in",
        "lived",
        f"(?:@i|@who) lived{_SINCE} in {PLACE}",
        ends=True,
    ),
    # Family
    Rule(
        "partner",
        "married engaged",
        is_(rf"(?: \w+)? (?:married|engaged) to {PERSON}"),
    ),
    Rule(
        "partner",
        "divorced broke split separated",
        "(?:@i|@who)@adv (?:divorced|broke up with|split up with|separated from) "
        r"(?:@person(?<=\w)|my (?:ex-)?(?:wife|husband|partner|girlfriend|boyfriend"
        "|fiancée?))",
        Shape.PLAIN,
        ends=True,
    ),
    Rule(
        "partner",
        "broke divorced split passed died",
        "@my (?:wife|husband|partner|girlfriend|boyfriend)(?: and (?:I|i))?@adv "
        "(?:broke up|got divorced|divorced|split up|passed away|died|left me)",
        Shape.PLAIN,
        ends=True,
    ),
    Rule(
        "marital_status",
        "married single divorced engaged widowed",
        r"@am@adv (?P<o>married|single|divorced|engaged|widowed)(?=\s*(?:$|[.,;!)–—]"
        r"| and\b| but\b| so\b| now\b| to\b))",
        Shape.PLAIN,
    ),
    Rule(
        "marital_status",
        "married engaged divorced",
        r"@i@adv (?:got|just got) (?P<o>married|engaged|divorced)\b",
        Shape.PLAIN,
    ),
    Rule(
        "",
        "name named called wife husband spouse partner girlfriend boyfriend fiancé "
        "fiancée fiance fiancee mother mom mum father dad sister brother son "
        "daughter cousin friend colleague coworker boss manager",
        "@my (?:best |older |younger |little |big |oldest |youngest |twin |new )?"
        f"(?P<kind>@kin){_NAMED} {PERSON}",
        presumed=True,
    ),
    Rule(
        "count",
        "kids children kid child sons daughters siblings brothers sisters",
        r"(?:@have|@who has)@adv (?P<o>(?:@number) (?:\w+ )?(?P<kind>@counted))\b",
        Shape.PLAIN,
    ),
    Rule(
        "pet",
        "named called",
        "(?:@have|@i@adv (?:got|adopted|bought)|@who (?:has|got|adopted))@adv "
        rf"(?:an?|another|the) (?:[\w-]+ ){{0,3}}?(?:@animal),? (?:named"
        f"|called) {PERSON}",
    ),
    Rule(
        "pet",
        "dog puppy pup cat kitten turtle hamster rabbit bunny parrot bird horse "
        "snake lizard pig dog's cat's",
        "@my (?:[a-z]+ )?(?:@animal)(?:['’]s name(?: is|['’]s)|,? is (?:named"
        f"|called)|,)? {PERSON}",
        presumed=True,
    ),
)
