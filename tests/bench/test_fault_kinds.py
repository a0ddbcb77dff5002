"""Kinds of faults: nothing goes wrong in any, and what would go wrong is told."""

from __future__ import annotations

import random

import pytest

from bench import derived, fault_kinds
from meridia import Memory
from meridia.ingest.enrichment.space_names import SpaceNames
from meridia.storage.work import Leases

KINDS = ("kill_forgetting", "kill_backup", "kill_projection", "kill_import", "crowd", "slow_disk")


@pytest.mark.thorough
def test_clocks_that_jump_hold_nothing_up(tmp_path):
    assert fault_kinds.jump_clocks(tmp_path, random.Random(1), 1) == []


@pytest.mark.thorough
def test_who_only_listens_after_a_forgetting_is_listed_as_by_a_rebuild(tmp_path):
    assert fault_kinds.forget_listeners(tmp_path, random.Random(1), 1) == []


def test_a_lease_that_holds_everything_up_would_be_told(tmp_path, monkeypatch):
    monkeypatch.setattr(Leases, "take", lambda *_: False)
    monkeypatch.setattr(fault_kinds, "WAIT_S", 0.0)
    monkeypatch.setattr(fault_kinds, "wrong_in", lambda *_: [])
    monkeypatch.setattr(Memory, "enrich", lambda _: None)
    wrong = fault_kinds.jump_clocks(tmp_path, random.Random(1), 1)
    assert any("not read yet" in problem for problem in wrong)


@pytest.mark.thorough
def test_a_person_of_whom_half_is_left_would_be_told(tmp_path, monkeypatch):
    def half(_, path, *__):
        with Memory(path, fault_kinds.SPACE, fault_kinds.QUICK) as memory:
            memory.forget(ids=["d0-0"])
        return [], []

    monkeypatch.setattr(fault_kinds, "killed", half)
    wrong = fault_kinds.kill_forgetting(tmp_path, random.Random(1), 1)
    assert wrong == ["person 0 has 3 memories of 4 after a kill"]


def test_another_name_in_a_process_that_is_opened_anew_would_be_told(tmp_path, monkeypatch):
    monkeypatch.setattr(derived, "plans", lambda *_, **__: [derived.Plan(batch=1)])
    monkeypatch.setattr(SpaceNames, "take", lambda *_: True)
    (wrong,) = derived.reopen(tmp_path, random.Random(1), 1)
    assert "lines are missing" in wrong


@pytest.mark.thorough
def test_what_is_derived_is_the_same_wherever_a_journal_is_opened_anew(tmp_path):
    assert derived.reopen(tmp_path, random.Random(1), 2) == []


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_goes_wrong(kind, tmp_path):
    assert getattr(fault_kinds, kind)(tmp_path, random.Random(1), 2) == []
