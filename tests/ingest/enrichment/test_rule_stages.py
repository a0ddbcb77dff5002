"""The stages of the pass, read again: what the rules state no more is withdrawn, the rest stays."""

from __future__ import annotations

from dataclasses import replace

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
