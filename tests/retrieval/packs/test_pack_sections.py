"""What a pack says besides its history."""

from meridia import Memory
from meridia.core.types import EntryKind, Space
from meridia.retrieval.packs.layout import SectionTitle
from tests.drafts import a_draft
from tests.fakes import WAITING
from tests.retrieval.packs.pack_samples import opened, say, story, use


def test_it_says_how_often_and_when_and_who_else():
    with opened() as memory:
        story(memory)
        pack = memory.resume("dana")
    head, *more = pack.lines(SectionTitle.SUMMARY)
    assert head.startswith("Dana: 4 messages in 2 sessions, the first on 2026-03-02")
    assert any(line.startswith("Who else spoke: Robin (1)") for line in more)


def test_what_somebody_is_to_the_agent_is_told_where_a_session_begins_and_not_of_a_friend():
    with opened() as memory:
        story(memory)
        memory.curation.set_relationship("Robin", "collaborator")
        assert "collaborator" not in memory.resume("dana").text
        assert "Robin (1, collaborator)" in memory.reconstitute(mode="session_bootstrap").text


def test_anchors_quote_what_was_felt_and_say_what_for():
    with opened() as memory:
        story(memory)
        (anchor, *_) = memory.resume("Dana").anchors
        assert anchor.phrase in {m.text for m in memory.list().memories}
        assert anchor.instruction.startswith("return to it")
        assert memory.get(anchor.citation).text == anchor.phrase


def test_an_anchor_quotes_the_words_that_tell_the_feeling():
    told = "Yes, he will drive there on every second Monday with the car of my neighbour Henrike. "
    told += "I am so sad and hopeless about it."
    with Memory.open(settings=WAITING) as memory:
        memory.remember(told, person="Dana", session="a")
        (anchor, *_) = memory.resume("Dana").anchors
    assert "sad" in anchor.phrase


def anchor_of(text):
    """Return the one anchor of a journal in which Dana said a text."""
    with Memory.open(settings=WAITING) as memory:
        memory.remember(text, person="Dana", session="a")
        (line,) = memory.resume("Dana").lines(SectionTitle.ANCHORS)
    return line


def test_an_anchor_of_a_sad_message_quotes_no_friendly_word():
    text = (
        "Yeah, it's a bummer that I didn't get the part in the play. But that is life, you know? "
    )
    text += "Also that cake looks super good! I'm glad that yours went well."
    line = anchor_of(text)
    assert "felt sad" in line
    assert "bummer" in line


def test_an_anchor_quotes_what_was_felt_about():
    text = "Robin, after the long winter I handed in the drawings of the slipway at the "
    text += "harbour office. I am so proud of it!"
    line = anchor_of(text)
    assert "drawings of the slipway" in line
    assert "so proud" in line


def test_next_actions_are_failures_and_promises_by_rule():
    with opened() as memory:
        story(memory)
        use(memory, "bash", "publish: permission denied", "b", day=9, error=True)
        found = memory.resume("Dana").next_actions
    assert any("permission denied" in line for line in found)
    assert any("ring the boatbuilder" in line and "Robin" in line for line in found)


def test_what_is_open_is_asked_and_dated():
    with opened() as memory:
        story(memory)
        found = memory.resume("Dana").open_uncertainties
    assert found == ["question, Dana: “Will she be ready for the regatta in June?” (2026-03-09)"]


def test_facts_stand_under_whom_they_are_about():
    with opened() as memory:
        story(memory)
        found = memory.resume("Dana").lines(SectionTitle.FACTS)
    assert any(line.startswith("Dana: ") and "Mira" in line for line in found)


def test_a_fact_that_a_model_read_stands_with_the_words_it_was_read_from():
    with opened() as memory:
        story(memory)
        memory.enrich()
        id = next(m.id for m in memory.list().memories if m.person == "Dana")
        fact = {
            "fact": "f",
            "experience": id,
            "subject": "Dana",
            "by": "model",
            "text": "Dana sails weekly.",
            "evidence": "I sail every week",
        }
        draft = a_draft(EntryKind.FACT_ASSERTED, "f", fact)
        memory._components.file.journal.append(Space(memory.space), [draft])
        found = memory.resume("Dana").lines(SectionTitle.FACTS)
    assert any("sails weekly (“I sail every week”)" in line for line in found)


def test_a_crisis_says_where_it_broke_off_and_what_was_good():
    with opened() as memory:
        story(memory)
        use(memory, "bash", "rigging plan saved", "c", day=10)
        use(memory, "bash", "disk full", "c", day=10, error=True, command="sync photos")
        pack = memory.reconstitute()
    assert pack.mode == "crisis"
    lines = pack.lines(SectionTitle.SUMMARY)
    assert any(line.startswith("It broke off at: tool bash failed") for line in lines)
    assert any("Last good state" in line and "rigging plan saved" in line for line in lines)
    assert any("disk full" in line for line in pack.next_actions)
    assert any("disk full" in line for line in pack.approach_guidance)


def test_a_reflection_counts_feelings_and_themes():
    with opened() as memory:
        story(memory)
        say(memory, "The mast is up.", session="c", day=20)
        pack = memory.reconstitute("reflection")
    assert pack.format == "analytical"
    assert pack.lines(SectionTitle.FEELINGS)
    assert any(line.startswith("mast: in 2 sessions") for line in pack.lines(SectionTitle.THEMES))


def test_a_reflection_for_a_person_counts_only_their_feelings():
    with opened() as memory:
        story(memory)
        say(memory, "I am so happy and proud of it.", person="Robin", session="c", day=20)
        about_all = memory.reconstitute("reflection").lines(SectionTitle.FEELINGS)
        about_dana = memory.reconstitute("reflection", person="Dana").lines(SectionTitle.FEELINGS)
    assert any(line.startswith("Robin, satisfied") for line in about_all)
    assert about_dana == ["Dana, frustrated: 1 time"]


def test_a_pack_that_looks_at_the_latest_says_that_it_counts_them_alone():
    with opened() as memory:
        story(memory)
        pack = memory.reconstitute("session_bootstrap", person="Dana")
    assert pack.lines(SectionTitle.SUMMARY)[0].startswith("Dana, lately: 4 messages")


def test_row_54_a_reflection_counts_what_looking_back_counts():
    with opened() as memory:
        story(memory)
        say(memory, "The mast is up.", session="c", day=20)
        pack = memory.reconstitute("reflection")
        counted = memory.reflect()
    feelings = [
        f"Dana, {word}: {often} {'time' if often == 1 else 'times'}"
        for word, often in counted.emotions.items()
    ]
    assert pack.lines(SectionTitle.FEELINGS) == feelings
    named = [line.partition(": in ")[0] for line in pack.lines(SectionTitle.THEMES)]
    assert named == [theme.name for theme in counted.themes[:10]]


def test_what_is_open_is_what_the_story_has_open():
    with opened() as memory:
        story(memory)
        say(memory, "Will she be ready for the regatta in June?", session="c", day=20)
        pack, told = memory.resume("Dana"), memory.relationship("Dana")
    lines = [*pack.next_actions, *pack.open_uncertainties]
    for text in {thread.text for thread in told.open_threads}:
        assert sum(text in line for line in lines) == 1


def test_somebody_who_said_one_thing_is_quoted_with_it():
    with opened() as memory:
        memory.remember("The blue wool is for a blanket.", person="Eve", id="e0")
        text = memory.resume("Eve").text
    assert "Eve: 1 message, the first on 2026-04-01" in text
    assert "The blue wool is for a blanket" in text


def test_a_failure_that_was_solved_is_a_lesson_that_cites_both_calls():
    with opened() as memory:
        story(memory)
        failed = use(memory, "bash", "fatal: disk full", "c", day=10, error=True, command="sync a")
        worked = use(memory, "bash", "synced", "c", day=10, command="rm -r b && sync a")
        pack = memory.reconstitute()
        (lesson,) = (
            item
            for section in pack.sections
            for line in section.lines
            for item in line.items
            if "it worked" in item.text
        )
        cited = [cited.event_id for cited in lesson.memories]
    assert lesson.text == "`sync a` failed: “fatal: disk full”; it worked as `rm -r b && sync a`"
    assert cited == [failed, worked]
    assert not any("disk full" in line for line in pack.next_actions)


def test_feelings_are_those_that_the_person_told():
    with opened() as memory:
        say(memory, "I failed my exam and I am so sad.", session="d", day=12)
        say(memory, "I'm so excited about my trip!", session="d", day=12, person="Robin")
        say(memory, "It is great, lovely, wonderful to see the rope.", session="d", day=12)
        use(memory, "bash", "disk full", "d", day=12, error=True)
        pack = memory.resume("Dana")
    assert "Feeling of Dana: sad on 2026-03-12" in pack.lines(SectionTitle.SUMMARY)
    text = pack.text
    assert "Dana last felt: “I failed my exam and I am so sad.”: sad" in text
    assert not any(word in text for word in ("excited on", "concerned", "good spirits"))
