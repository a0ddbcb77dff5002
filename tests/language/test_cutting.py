"""The shortest run of clauses that says nearly all of a sentence."""

from hypothesis import given
from hypothesis import strategies as st

from meridia.language.marks import shortened_end, telling_piece
from meridia.language.reading import read_message

#: What says nothing, and makes a sentence long enough to be cut.
TAIL = (
    "and well, that is how it goes in this world, as they always say to you and me, "
    "all over again and again"
)
RARE = {"job", "mill", "heron", "loom"}


def weight(text: str) -> float:
    return sum(word.strip(".,!").lower() in RARE for word in text.split())


def piece(sentence: str) -> str:
    cuts = read_message(sentence)[0].cuts
    start, end = telling_piece(sentence, cuts, weight)
    return sentence[start:end]


def test_what_tells_nothing_is_cut_off_at_the_end_of_a_clause():
    assert piece(f"I lost my job at the mill, {TAIL}.") == "I lost my job at the mill"
    assert piece("I lost my job at the mill, that's how it goes.").endswith("how it goes")


@given(st.sampled_from(["but not the loom one", "although it was hard", "unless we pay more"]))
def test_what_turns_a_sentence_is_never_cut_off(turn):
    sentence = f"I lost my job at the mill, {turn}, {TAIL}"
    assert turn in piece(f"{sentence}.")


@given(
    st.sampled_from(
        [
            "I lost my job, my heron, my loom, and all of the other things of the whole long year",
            "The loom in the mill, coupled with the heron on my job, makes it a good place to be",
            "I lost my job at the mill near the loom and the heron on 4 May, 2024, all of it",
            "It wasn't just about the job at the mill with a loom – it was about being there again",
        ]
    )
)
def test_neither_a_list_nor_a_verb_nor_what_goes_on_is_cut_off(sentence):
    assert piece(f"{sentence}.") == sentence


def test_a_piece_that_is_no_beginning_opens_with_its_speaker():
    text = f"It is what it is, {TAIL}, and I saw a heron at the loom."
    assert piece(text) == "I saw a heron at the loom"
    assert piece("It was cold, the heron was gone.") == "It was cold, the heron was gone"


@given(st.text(alphabet="abI ,;.–-", min_size=1, max_size=80), st.integers(5, 40))
def test_a_piece_stands_in_its_sentence(text, chars):
    for sentence in read_message(text):
        own = text[sentence.start : sentence.end]
        cuts = [cut - sentence.start for cut in sentence.cuts]
        start, end = telling_piece(own, cuts, weight)
        assert 0 <= start <= end <= len(own)
        assert shortened_end(own, cuts, chars) <= max(chars, 0) or len(own) <= chars


def test_a_clause_that_depends_on_what_comes_behind_it_does_not_stand_alone():
    sentence = f"If you know the mill or the loom, I can look it up, {TAIL}."
    assert "I can look it up" in piece(sentence)


def test_what_a_condition_says_is_not_cut_out_of_it():
    sentence = (
        "My sister has taught me to keep calm in front of people when things are super important "
        "and I'm nervous about the heron"
    )
    cuts = read_message(sentence)[0].cuts
    start, _ = telling_piece(sentence, cuts, weight)
    assert start == 0
