"""Changes of feelings that a model read; what becomes of them is tested with `findings`."""

from __future__ import annotations

from meridia.core.codec import encode
from meridia.core.experience import EmotionalSignature, Phenomenology
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Emotion
from meridia.ingest.enrichment.register import STANDARD
from meridia.ingest.enrichment.session_answers import felt_changes
from meridia.ingest.enrichment.session_question import windows_of
from tests.drafts import a_draft
from tests.ingest.model_session import HOME, LIGHT, WISH, add, whole


def felt_as(emotion, valence):
    return Phenomenology(EmotionalSignature((emotion,), 0.8, valence))


def test_a_change_stands_where_the_model_has_a_word_and_no_rule_told_one(private_file):
    said = [WISH | {"person": "Dana", "payload": {"text": text}} for text in ("Yay!", "Oh.", "Hm.")]
    ids = add(private_file, *(whole(event, LIGHT) for event in said))
    (window,) = windows_of(private_file.journal.by_ids(HOME, ids))
    glad, sad = felt_as(Emotion.EXCITED, 0.8), felt_as(Emotion.SAD, -0.8)

    def changed():
        felt = {ids[1]: sad}
        return list(felt_changes(window, felt, lambda _: glad, private_file, STANDARD))

    ((key, change),) = changed()
    assert (change.experience, change.transition) == (ids[1], key)
    add(private_file, a_draft(EntryKind.STATE_TRANSITIONED, key, encode(change)))
    assert changed() == []
