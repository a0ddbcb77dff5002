"""The stages of the pass, read again: what the rules state no more is withdrawn, the rest stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from meridia import Memory
from meridia.core.entries import FactAsserted
from meridia.core.time import to_text
from meridia.core.types import EntryDraft
from meridia.core.vocabulary import Stability


def test_enriching_again_withdraws_what_the_rules_read_no_more():
    with Memory.open(None) as memory:
        kept = memory.remember("I work as a nurse at Saint Mary's.", person="Ola")
        memory.enrich()
        before = {fact.text for fact in memory.chronicle.facts() if not fact.is_end_record}
        assert before
        entry = memory.get(kept.id)
        wrong = FactAsserted(
            fact="old-rule",
            experience=entry.id,
            subject="Ola",
            subject_id=None,
            predicate="likes",
            object="really",
            text="Ola likes really.",
            stability=Stability.DYNAMIC,
            t_valid=to_text(entry.at),
            confidence=0.8,
            by="rule",
        )
        said = replace(wrong, fact="by-user", object="tea", by="user")
        drafts = [EntryDraft(fact.fact, fact, entry.at) for fact in (wrong, said)]
        memory.parts.journal.append(memory.space, drafts)

        memory.enrich(again=True)

        facts = {fact.id: fact for fact in memory.chronicle.facts()}
        assert facts["old-rule"].is_end_record
        assert not facts["by-user"].is_end_record
        standing = {fact.text for fact in facts.values() if not fact.is_end_record}
        assert before <= standing
        memory.enrich(again=True)
        again = {fact.text for fact in memory.chronicle.facts() if not fact.is_end_record}
        assert again == standing


def test_a_correction_ends_what_the_version_before_stated_and_states_the_rest_itself():
    with Memory.open(None) as memory:
        first = memory.remember("I have a dog called Zephyrine and I live in Turku.", person="Ola")
        memory.enrich()
        second = memory.update(first.id, "I have a cat called Biscuit and I live in Turku.")
        memory.enrich()
        facts = {(fact.experience, fact.object): fact for fact in memory.chronicle.facts()}
        at = memory.get(second.id).at
        for thing in ("Zephyrine", "Turku"):
            assert (facts[first.id, thing].t_invalid, facts[first.id, thing].superseded_by) == (
                at,
                None,
            )
        assert facts[second.id, "Biscuit"].t_invalid is None
        assert (facts[second.id, "Turku"].t_valid, facts[second.id, "Turku"].t_invalid) == (
            at,
            None,
        )
        count = len(facts)
        memory.update(second.id, "I said nothing.", metadata={"visibility": "private"})
        memory.enrich()
        memory.enrich(again=True)
        facts = {(fact.experience, fact.object): fact for fact in memory.chronicle.facts()}
        assert len(facts) == count
        assert all(fact.t_invalid is not None for fact in facts.values())


def test_a_correction_in_the_same_batch_and_of_an_earlier_time_ends_what_was_stated():
    with Memory.open(None) as memory:
        first = memory.remember("I live in Oslo.", person="Ola")
        at = memory.get(first.id).at
        memory.update(first.id, "I live in Bergen.", at=at - timedelta(hours=1))
        memory.enrich()
        facts = {fact.object: fact for fact in memory.chronicle.facts()}
        assert facts["Oslo"].t_invalid == at
        assert (facts["Bergen"].t_invalid, facts["Bergen"].contradicts) == (None, ())
