"""General words of a question."""

from meridia.retrieval.plans.plan_choice import words_behind


def test_a_general_word_stands_for_the_words_of_facts():
    assert "sister" in words_behind("How is Dana's family?").split()
    assert words_behind("Does she have pets or a job?").split()[-1] == "works"


def test_other_words_stand_for_nothing():
    assert words_behind("Where is the boat?") == ""
