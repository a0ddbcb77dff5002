"""The closed lists of words by which English states facts: relatives, trades, animals, pastimes.

What is not in them is not understood, rather than misunderstood. Nothing is matched here.
"""

from __future__ import annotations

from ..entities.bearer_words import predicate_by_word

#: Predicate: what is counted.
_COUNTED = """
children: kids children kid child
sons: sons
daughters: daughters
siblings: siblings
brothers: brothers
sisters: sisters
"""


#: What is counted → the predicate.
COUNTED = predicate_by_word(_COUNTED)
#: Relatives of whom several are spoken of at once.
KIN_PLURAL = frozenset("kids children parents sons daughters siblings grandparents".split())

#: What people do for a living.
OCCUPATIONS = frozenset(
    """
    accountant actor actress analyst animator architect artist attorney author baker barber barista
    bartender biologist blogger bookkeeper builder butcher carpenter cashier chef chemist clerk
    coach coder composer consultant contractor cook counselor counsellor dancer dentist designer
    developer dietitian doctor driver economist editor electrician engineer entrepreneur farmer
    filmmaker firefighter freelancer gardener geologist illustrator instructor investor janitor
    journalist judge lawyer lecturer librarian lifeguard linguist machinist manager mathematician
    mechanic midwife musician nanny nurse nutritionist painter paralegal paramedic pharmacist
    photographer physician physicist physiotherapist pilot plumber podcaster poet policeman
    policewoman producer professor programmer psychiatrist psychologist realtor receptionist
    recruiter reporter researcher sailor salesman saleswoman scientist screenwriter secretary
    singer soldier statistician streamer student surgeon surveyor sysadmin tailor teacher
    stylist choreographer florist banker rapper drummer guitarist pianist violinist ceo dj
    technician therapist trader trainer translator tutor veterinarian vet waiter waitress welder
    writer
    """.split()
)
LANGUAGES = frozenset(
    """
    afrikaans albanian arabic armenian bengali bulgarian cantonese catalan chinese croatian czech
    danish dutch english estonian farsi finnish french georgian german greek gujarati hebrew hindi
    hungarian icelandic indonesian irish italian japanese korean latin latvian lithuanian malay
    mandarin marathi norwegian persian polish portuguese punjabi romanian russian serbian slovak
    slovenian spanish swahili swedish tagalog tamil telugu thai turkish ukrainian urdu vietnamese
    welsh yoruba zulu
    """.split()
)
TOOLS = frozenset(
    """
    vim neovim emacs vscode git linux macos windows ubuntu debian python rust golang java
    javascript typescript docker kubernetes postgres postgresql mysql sqlite neo4j redis numpy
    pandas pytorch tensorflow react django flask pytest tmux zsh bash make cmake npm yarn pip uv
    conda jira slack notion obsidian figma photoshop excel terraform ansible github gitlab
    kafka nginx azure aws heroku firefox chrome safari fedora android netlify telegram
    """.split()
)
#: What is played, and who plays it goes in for it.
PLAYED = frozenset(
    """
    guitar piano violin clarinet drums flute cello saxophone trumpet ukulele bass keyboard banjo
    basketball football soccer tennis golf volleyball baseball hockey rugby badminton cricket
    squash chess poker games
    """.split()
)
#: What people go in for; what ends in "-ing" is an activity where "go" stands before it.
PASTIMES = frozenset(
    """
    yoga pilates meditation karate judo boxing kickboxing ballet gymnastics crossfit aerobics
    zumba pottery origami calligraphy photography woodworking gardening painting drawing sketching
    hiking running jogging swimming cycling biking climbing surfing skiing snowboarding skating
    skateboarding camping fishing sailing kayaking canoeing bowling dancing singing reading writing
    cooking baking knitting sewing crocheting journaling birdwatching traveling travelling acting
    """.split()
)
AILMENTS = frozenset(
    """
    asthma diabetes allergies allergy anxiety depression adhd arthritis migraines migraine epilepsy
    insomnia gastritis scoliosis lupus fibromyalgia endometriosis cancer eczema
    anemia autism dyslexia ptsd ocd celiac hypertension
    """.split()
)
INJURED = frozenset(
    """
    ankle knee leg arm wrist shoulder back foot hand hip elbow finger toe rib ribs tooth nose neck
    """.split()
)
MARITAL = frozenset("married single divorced engaged widowed".split())
DIETS = frozenset("vegan vegetarian pescatarian".split())
#: What people make with a verb such as "made", "built" or "designed".
WORKS = frozenset(
    """
    painting paintings drawing drawings sketch portrait self-portrait sculpture mural bowl bowls
    plate plates cup cups mug vase pot pots necklace bracelet quilt sweater scarf blanket dress
    song songs album track poem poems novel book books story stories screenplay screenplays script
    scripts play movie film documentary video videos blog podcast website app game games mod
    program engine robot table chair bench bookshelf shelf cabinet treehouse garden window cake
    cakes pie cookies bread cupcakes cream dessert desserts collage card
    logo collection article articles essay figurine figurines design designs recipe dish
    bookmark presentation cheesecake mousse tart brownies muffins
    creation creations artwork art illustration illustrations
    """.split()
)
#: Works of which one says "I did one".
ART = frozenset(
    """
    painting paintings drawing drawings sketch portrait self-portrait sculpture mural collage
    """.split()
)
#: What people attend, so that having been there is worth telling.
EVENTS = frozenset(
    """
    conference workshop parade concert festival wedding funeral convention exhibition exhibit
    retreat tournament competition marathon race fair gala fundraiser auction rally protest
    seminar webinar summit meetup reunion opera musical play show expo gig recital premiere
    ceremony graduation class course bootcamp camp audition interview game match trip tour cruise
    safari museum zoo aquarium vacation roadtrip event reading meeting group appointment doctor
    hospital therapist therapy center centre
    beach park lake mountains shelter gallery orphanage castle cathedral
    """.split()
)
#: What owning says something about somebody.
GOODS = frozenset(
    """
    car cars house home apartment flat condo cabin farm boat motorcycle bike bicycle truck van
    laptop computer pc tablet phone camera telescope piano guitar violin drone printer console
    playstation xbox switch shop store business company restaurant cafe studio tattoo ring
    necklace shoes skateboard surfboard keyboard collection library
    """.split()
)
#: What somebody has who bought it, besides.
BOUGHT = frozenset(
    """
    dress jacket coat sweater hoodie poster figurine figurines plant plants vinyl records mattress
    couch sofa desk chair tent grill oven blender bracelet watch sneakers boots jersey painting
    print statue mug lamp rug bookcase book books headphones headset monitor mic microphone easel
    """.split()
)
#: Heads that say nothing without what they point to.
VAGUE = frozenset(
    """
    thing things stuff lot lots way ways time times moment moments part parts kind kinds bit one
    ones look idea ideas feeling feelings fun blast chance chances opportunity opportunities ability
    something anything everything someone anyone everyone nothing nobody place places spot person
    people guy guys kind type sort reason fact point case day days week weeks year years memories
    memory mind vibe vibes energy support advice job step steps start end rest way journey process
    project projects progress experience experiences work effort both all same other others much
    many more most so too such stories story words word message photo photos pic pics picture
    pictures post posts break challenge challenges sense difference change changes plan plans impact
    sure friends company interest interests weekend visit talk chat conversation comment compliment
    couple few hand
    """.split()
)
#: What people start, open or finish.
VENTURES = frozenset(
    """
    business company blog channel vlog podcast shop store studio cafe restaurant bakery nonprofit
    foundation organization organisation club band program programme school college university
    degree job internship course class classes training apprenticeship certification bootcamp
    campaign website charity workshop gym franchise brand line startup firm agency page community
    diet therapy journal garden collection group team series fundraiser
    """.split()
)
#: What people get that changes their life.
GAINS = frozenset(
    """
    job promotion scholarship award awards offer role certificate degree grant internship medal
    trophy raise license licence diploma prize tattoo visa permit certification contract deal
    endorsement sponsorship
    """.split()
)
_UNITS = "one two three four five six seven eight nine ten".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
#: Words of numbers, 1 to 10 and 20 to 99 → their digits.
NUMBERS = (
    {word: str(number) for number, word in enumerate(_UNITS, 1)}
    | {word: str(10 * number) for number, word in enumerate(_TENS, 2)}
    | {
        f"{ten}-{unit}": str(10 * tens + units)
        for tens, ten in enumerate(_TENS, 2)
        for units, unit in enumerate(_UNITS[:9], 1)
    }
)
#: What people tell that they do not eat or drink.
FOODS = frozenset(
    """
    dairy gluten lactose nuts peanuts shellfish seafood fish eggs meat pork beef chicken alcohol
    caffeine coffee tea soda sugar soy wheat milk cheese bread carbs
    """.split()
)
