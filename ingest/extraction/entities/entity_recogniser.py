"""Find names in texts with a spaCy pipeline that the settings name: the extra `ner`.

Loading one takes seconds and tens of megabytes, so it happens at the first text and not before.
Nothing is downloaded: a pipeline is installed by whoever wants one, and none is ever needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from ....core.entities.entity_gazetteer import EntityType
from ....core.errors import InvalidInput, Unavailable

#: What the labels of common pipelines mean; English ones first, then those of other languages.
#: Dates, amounts, peoples and the like are no entities of ours.
LABEL_TYPES: Mapping[str, EntityType] = {
    "PERSON": EntityType.PERSON,
    "ORG": EntityType.ORG,
    "GPE": EntityType.PLACE,
    "LOC": EntityType.PLACE,
    "FAC": EntityType.PLACE,
    "WORK_OF_ART": EntityType.WORK,
    "PER": EntityType.PERSON,
    "persName": EntityType.PERSON,
    "orgName": EntityType.ORG,
    "placeName": EntityType.PLACE,
    "geogName": EntityType.PLACE,
    **{type.value: type for type in EntityType},
}
#: A longer text is read as far as this: what follows costs more than it names.
TEXT_CHARS_MAX = 20_000
_ENTITY_ATTRIBUTES = frozenset({"doc.ents", "doc.spans"})


class EntityRecogniser:
    """Finds names with one spaCy pipeline: a package's name or a folder."""

    def __init__(self, pipeline: str) -> None:
        if not pipeline.strip():
            raise InvalidInput("the entity pipeline is empty: name one, such as en_core_web_sm")
        self.pipeline = pipeline
        self._analyse: Callable[[str], Any] | None = None

    def __call__(self, text: str) -> list[tuple[int, int, str]]:
        """Return where `text` names something: start, end and the word of `EntityType`.

        Raises `Unavailable` where spaCy or the pipeline is not installed, and `InvalidInput` for
        a pipeline that finds no names.
        """
        if self._analyse is None:
            self._analyse = _load(self.pipeline)
        return [
            (span.start_char, span.end_char, LABEL_TYPES[span.label_].value)
            for span in self._analyse(text[:TEXT_CHARS_MAX]).ents
            if span.label_ in LABEL_TYPES
        ]


def _load(pipeline: str) -> Callable[[str], Any]:
    try:
        spacy = importlib.import_module("spacy")
    except ImportError:
        raise Unavailable(
            f"the entity pipeline {pipeline!r} is set up, but spaCy is not installed: "
            "pip install 'meridia[ner]', or set no pipeline"
        ) from None
    try:
        analyse = spacy.load(pipeline)
    except (OSError, ImportError, ValueError) as error:
        raise Unavailable(
            f"the entity pipeline {pipeline!r} cannot be loaded: install it (python -m spacy "
            f"download {pipeline}, or the folder's full name), or set no pipeline: "
            f"{str(error).splitlines()[0][:200] if str(error) else type(error).__name__}"
        ) from None
    assigned_attributes = {
        assigned for name in analyse.pipe_names for assigned in analyse.get_pipe_meta(name).assigns
    }
    if _ENTITY_ATTRIBUTES.isdisjoint(assigned_attributes):
        raise InvalidInput(
            f"the entity pipeline {pipeline!r} finds no names: take one with a component that "
            "does, such as en_core_web_sm"
        )
    return analyse  # type: ignore[no-any-return]
