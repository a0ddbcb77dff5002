"""What a conversation says of each of its sentences."""

from meridia.language.talk import Rarity, Turn, TurnSentence, common_stems, features_of


def turn(speaker: str, session: str, *words: str) -> Turn:
    return Turn(speaker, session, [TurnSentence(("own",), {"news": 0.8}, words)])


def test_a_word_of_one_turn_is_rarest_and_common_talk_weighs_nothing():
    rarity = Rarity([turn("a", "s", "loom", "thing"), turn("b", "s", "thing"), turn("a", "s")])
    assert rarity("loom") == 1 > rarity("thing")
    assert rarity.mass("thing") == 0
    assert "thing" in common_stems()


def test_echo_place_and_what_was_known_are_counted():
    turns = [
        turn("a", "1", "loom", "warp"),
        turn("b", "1", "loom"),
        turn("a", "2", "loom", "heron"),
        *(turn("b", "3", f"word{n}") for n in range(9)),
    ]
    first, second, later = (row[0] for row in features_of(turns)[:3])
    assert first["echoed"] > second["echoed"] == 0
    assert first["first turn"] == 1
    assert later["known"] > first["known"] == 0
    assert later["new here"] > 0
    assert first["is news"] == 0.8
