"""Which quotes a pack has."""

from meridia.language.analyser import Analyser
from meridia.resume.quotes import Quotable, QuoteChoice
from tests.resume.experience_builders import experience

TEXTS = [
    "I sold my flat in Porto last week.",
    "I sold my flat in Porto, yes, last week.",
    "My daughter Ilka passed her diving exam in Bergen.",
    "Thanks!",
]


def chosen(room, at_least=0.03):
    views = [experience(place, text) for place, text in enumerate(TEXTS, 1)]
    return [
        quote.text
        for quote in QuoteChoice().fill(Quotable(views, Analyser()).quotes, room, at_least)
    ]


def test_what_is_new_comes_before_what_was_told():
    texts = chosen(1000)
    assert texts.index("My daughter Ilka passed her diving exam in Bergen") < 2
    assert "Thanks!" not in texts


def test_room_is_kept_and_nothing_is_taken_twice():
    assert sum(map(len, chosen(120))) <= 120
    assert chosen(0) == []
    assert len(set(chosen(10_000, 0.0))) == len(chosen(10_000, 0.0))
