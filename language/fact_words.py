"""The closed lists of English words by which facts are told: relatives, animals, trades, illnesses.

What is not in them is not understood, rather than misunderstood. Nothing is matched here.
"""

from __future__ import annotations


def _by_word(table: str) -> dict[str, str]:
    rows = [line.split(": ") for line in table.strip().splitlines()]
    return {word: name for name, words in rows for word in words.split()}


#: What a relative is called → the predicate.
KIN = _by_word("""
partner: wife husband spouse girlfriend boyfriend fiancé fiancée fiance fiancee hubby partner
mother: mother mom mum mama
father: father dad papa
sister: sister sis
brother: brother
son: son
daughter: daughter
cousin: cousin
grandmother: grandmother grandma granny
grandfather: grandfather grandpa
aunt: aunt auntie
uncle: uncle
niece: niece
nephew: nephew
friend: friend buddy bestie
colleague: colleague coworker teammate
neighbour: neighbour neighbor
roommate: roommate flatmate housemate
mentor: mentor coach
boss: boss manager
""")
#: Relatives, one and several, of whom a fact is stated by name.
FAMILY = {
    word: predicate
    for word, predicate in KIN.items()
    if predicate not in {"friend", "colleague", "neighbour", "roommate", "mentor", "boss"}
} | _by_word("""
sister: sisters
brother: brothers
son: sons boys
daughter: daughters girls
child: kid kids child children twins
cousin: cousins
niece: nieces
nephew: nephews
""")
ANIMALS = frozenset(
    """
    dog dogs puppy puppies pup pups pooch cat cats kitten kittens kitty kitties turtle turtles
    tortoise tortoises hamster hamsters rabbit rabbits bunny bunnies parrot parrots bird birds
    horse horses snake snakes lizard lizards gecko ferret ferrets pig pigs goldfish fish chicken
    chickens goat goats labrador retriever poodle bulldog corgi beagle terrier dachshund pony
    budgie canary cockatiel chinchilla gerbil hedgehog donkey mare stallion pet pets
    """.split()
)
#: What may stand between "my" and a relative or an animal that is still what it is called.
KEEPING = frozenset(
    """
    dear lovely beautiful sweet wonderful amazing gorgeous little big older elder younger oldest
    eldest youngest twin baby new only one two three four first second middle dear darling fat
    adorable cute fluffy black white grey gray brown ginger rescue rescued and beloved crazy
    golden german great goofy silly clever loyal shy tiny huge
    teenage adult half step own
    """.split()
)
#: Trades that "I'm a …" states; of the second list only with a word that says it is for a living.
TRADES = frozenset(
    """
    accountant actor actress analyst animator anaesthetist anesthesiologist apprentice architect
    archaeologist archivist astronomer attorney auditor baker barber barista bartender biologist
    bookkeeper bricklayer broker butcher cardiologist carer caregiver carpenter cashier chef chemist
    chiropractor clerk
    consultant contractor counselor counsellor curator dentist dermatologist designer developer
    dietitian doctor economist electrician engineer entrepreneur estate-agent farmer filmmaker
    firefighter fisherman florist forester freelancer geologist hairdresser illustrator interpreter
    janitor joiner journalist judge lawyer lecturer librarian lifeguard linguist locksmith machinist
    mason mathematician mechanic midwife musician nanny neurologist notary nurse nutritionist
    optician paediatrician paralegal paramedic pediatrician pharmacist photographer physician
    physicist physiotherapist pilot plumber policeman policewoman postman practitioner producer
    professor programmer psychiatrist psychologist radiologist realtor receptionist recruiter
    reporter researcher roofer salesman saleswoman scientist screenwriter secretary seamstress
    soldier statistician stonemason surgeon surveyor sysadmin tailor teacher technician therapist
    caretaker translator tutor veterinarian vet waiter waitress welder zookeeper ceo cto dj
    """.split()
)
PERHAPS_TRADES = frozenset(
    """
    artist author blogger builder coach coder composer cook dancer driver drummer editor gardener
    guitarist instructor investor manager painter pianist podcaster poet rapper sailor singer
    streamer stylist trader trainer violinist writer
    """.split()
)
#: Words with a trade that say how well or when, so that it may be none.
NO_TRADE = frozenset(
    """
    amateur aspiring average avid awful bad better big bit born budding careful casual closet
    dead decent fair fan fast former future good great hobby home hopeful hopeless horrible huge
    keen lazy lousy natural nervous passionate poor potential pretty proud real retired slow
    terrible total true wannabe weekend would-be ex
    """.split()
)
#: How the names of trades end that no list has; counted where "work as" stands before them.
TRADE_ENDINGS = (
    *("er", "or", "ist", "ian", "ant", "man", "woman", "eer", "nurse", "chef", "assistant"),
    *("intern", "clerk", "pilot", "host", "hostess", "guide", "cook", "lead", "rep", "agent"),
)
#: What people work at that has no name: "at a hospital".
WORKPLACES = frozenset(
    """
    airline airport agency archive bakery bank bar bookshop bookstore brewery cafe café care-home
    charity church cinema clinic college company consultancy daycare dairy factory farm firm
    foundation garage gym hospital hostel hotel institute kindergarten lab laboratory library
    magazine ministry museum newspaper nursery office pharmacy practice pub restaurant salon school
    shelter shop startup start-up store studio supermarket theatre theater university warehouse
    winery zoo
    """.split()
)
LANGUAGES = frozenset(
    """
    afrikaans albanian arabic armenian basque bengali bosnian bulgarian cantonese catalan chinese
    croatian czech danish dutch english estonian esperanto farsi finnish flemish french galician
    georgian german greek gujarati hebrew hindi hungarian icelandic indonesian irish italian
    japanese korean kurdish latin latvian lithuanian malay maltese mandarin marathi nepali norwegian
    pashto persian polish portuguese punjabi quechua romanian russian serbian slovak slovene
    slovenian somali spanish swahili swedish tagalog tamil telugu thai tigrinya turkish ukrainian
    urdu vietnamese welsh yoruba zulu
    """.split()
)
AILMENTS = frozenset(
    """
    asthma diabetes anxiety depression adhd add arthritis migraines migraine epilepsy insomnia
    gastritis scoliosis lupus fibromyalgia endometriosis cancer eczema psoriasis anemia anaemia
    autism dyslexia ptsd ocd celiac coeliac hypertension glaucoma tinnitus gout osteoporosis ibs
    hypothyroidism hyperthyroidism narcolepsy leukemia leukaemia parkinson's ms pcos rosacea
    hemophilia haemophilia sciatica tourette's crohn's vertigo rheumatism
    disease syndrome disorder intolerance condition deficiency apnea apnoea failure murmur
    """.split()
)
#: What somebody is, in one word, who has a condition.
CONDITIONS = frozenset(
    """
    diabetic asthmatic epileptic dyslexic autistic colorblind colourblind color-blind colour-blind
    deaf blind bipolar anemic anaemic coeliac celiac hemophiliac haemophiliac narcoleptic
    dyspraxic hypoglycemic
    """.split()
)
DIETS = frozenset(
    "vegan vegetarian pescatarian pescetarian flexitarian halal kosher plant-based keto".split()
)
#: To be allergic to these is a joke, or says nothing.
NO_ALLERGENS = frozenset(
    """
    anything everything nothing it that this them those these bullshit nonsense stupidity mornings
    mondays meetings work exercise people him her you change drama effort something some things
    """.split()
)
MONTHS = (
    "january february march april may june july august september october november december"
).split()
#: Words with a capital that name nobody and no place.
NO_NAMES = frozenset(
    [
        *MONTHS,
        *(f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")),
        *LANGUAGES,
        *"""
        christmas easter god jesus lord ok okay tv dr mr mrs ms american british german canadian
        australian asian african european indian mexican swiss yes no hi hello thanks please sorry
        congratulations happy mom mum dad grandma grandpa ai api pc id lol omg btw haha phd ceo
        """.split(),
    ]
)
