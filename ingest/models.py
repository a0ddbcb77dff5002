"""Opens the language model that the settings name, with what was spent on it before."""

from __future__ import annotations

from datetime import timedelta

from ..core.model import Address, Dialect, Model
from ..core.model_budget import Limits, Spending
from ..core.model_loading import open_model
from ..core.settings import ModelSettings
from ..graph.journal_file import JournalFile
from .opinion_stages import OpinionLimits

_DAY = timedelta(days=1)


def model_of(settings: ModelSettings, file: JournalFile) -> Model | None:
    """Open the model of the settings; None where they name none.

    What the trace says was spent within a day, by whatever process, counts against the budget.
    Raises `InvalidInput` where the settings cannot be right, `Unavailable` without the extra `llm`.
    """
    if settings.dialect == "none":
        return None
    names = (settings.name, settings.base_url, settings.api_key, settings.temperature)
    earlier = [
        Spending(at, 0 if again else detail.get("tokens_in", 0) + detail.get("tokens_out", 0))
        for at, detail in file.trace.since("model", file.clock() - _DAY)
        for again in range(detail.get("attempts", 0))
    ]
    limits = Limits(
        settings.calls_per_hour,
        settings.calls_per_day,
        settings.tokens_per_hour,
        settings.tokens_per_day,
    )
    return open_model(Address(Dialect(settings.dialect), *names), limits, earlier, clock=file.clock)


def limits_of(settings: ModelSettings) -> OpinionLimits:
    """Return how long the model may take."""
    return OpinionLimits(settings.decision_s, settings.extraction_s, settings.prose_s)
