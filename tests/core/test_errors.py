"""The error tree: every class has a code of its own, and every code a way out of the program."""

from __future__ import annotations

import pytest

from meridia.core import errors
from meridia.core.errors import STATUS, MeridiaError, exit_status

CLASSES = [
    item
    for item in vars(errors).values()
    if isinstance(item, type) and issubclass(item, MeridiaError)
]


def test_there_are_at_most_ten_classes_and_each_has_its_own_code():
    assert len(CLASSES) <= 10
    assert len({error.code for error in CLASSES}) == len(CLASSES)


def test_the_table_of_statuses_has_every_code_and_no_other():
    assert set(STATUS) == {error.code for error in CLASSES}


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.code)
def test_each_error_has_an_exit_status_that_scripts_can_tell_from_success(error):
    assert 1 <= exit_status(error.__new__(error)) <= 6
    assert 400 <= STATUS[error.code][1] <= 599


def test_the_exit_statuses_mean_what_the_manual_says():
    assert exit_status(errors.InvalidInput()) == 2
    assert exit_status(errors.NotFound()) == 3
    assert exit_status(errors.Refused()) == 4
    assert exit_status(errors.Unavailable()) == 5
    assert exit_status(errors.Damaged()) == 6


def test_only_what_may_pass_by_itself_is_worth_another_try():
    assert [error.code for error in CLASSES if error.retryable] == ["unavailable"]


def test_the_text_of_an_error_is_what_a_user_reads():
    assert str(errors.NotFound("space 'x' does not exist")) == "space 'x' does not exist"
