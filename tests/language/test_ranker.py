"""What a summary would mention."""

from meridia.language.analyser import Analyser
from meridia.language.heads import mention_likelihoods
from meridia.language.reading import read_message
from meridia.language.talk import Turn, TurnSentence


def test_news_is_likelier_mentioned_than_talk():
    terms = Analyser().terms
    texts = [
        "Hey! How are you doing?",
        "My daughter passed her diving exam in Bergen last week.",
        "Wow, that is great, congrats!",
        "Thanks, you are so kind.",
        "We sold the flat in Porto and bought a small farm near Ghent.",
    ]
    turns = [
        Turn(
            "ab"[place % 2],
            "s",
            [
                TurnSentence(s.marks, s.kinds, tuple(terms(text[s.start : s.end])))
                for s in read_message(text)
            ],
        )
        for place, text in enumerate(texts)
    ]
    likely = [max(turn) for turn in mention_likelihoods(turns)]
    assert min(likely[1], likely[4]) > 3 * max(likely[0], likely[2], likely[3])
