"""Open the language model that the settings name, with the spending of the last day."""

from __future__ import annotations

from datetime import timedelta

from ...core.settings import ModelSettings
from ...models.model_factory import open_model
from ...models.model_types import Model
from ...storage.store import Store

_DAY = timedelta(days=1)


def model_of(settings: ModelSettings, file: Store) -> Model | None:
    """Open the model of the settings; None where they name none.

    What the trace says was spent within a day, by whatever process, counts against the budget.
    Raises `InvalidInput` where the settings cannot be right, `Unavailable` without the extra `llm`.
    """
    if settings.dialect == "none":
        return None
    earlier = [
        (at, 0 if again else detail.get("tokens_in", 0) + detail.get("tokens_out", 0))
        for at, detail in file.trace.since("model", file.clock() - _DAY)
        for again in range(detail.get("attempts", 0))
    ]
    model: Model = open_model(settings, earlier, clock=file.clock)
    return model
