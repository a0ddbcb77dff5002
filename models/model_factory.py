"""Open the model that the settings name; the only place that loads what the extra `llm` brings.

Its libraries take seconds to load and tens of megabytes, so they are imported when a model is
opened and not before. Meridia never needs one.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from ..core.errors import InvalidInput, Unavailable
from ..core.settings import ModelSettings
from ..core.time import Clock, system_clock
from .budget import Budget, RetryPolicy

#: The modules that the extra brings.
_EXTRA = frozenset({"pydantic_ai", "openai", "anthropic", "httpx2", "anyio"})


def open_model(
    settings: ModelSettings,
    earlier: Iterable[tuple[datetime, int]] = (),
    policy: RetryPolicy | None = None,
    clock: Clock = system_clock,
) -> Any:
    """Open a `ModelClient`; `earlier` is what was spent before (see `Budget`).

    Asks nothing yet. Raises `InvalidInput` where the address or the key cannot be right, and
    `Unavailable` where the extra `llm` is not installed. No message holds the key.
    """
    _check(settings)
    try:
        module = importlib.import_module(".model_client", __package__)
        return module.ModelClient(
            settings, Budget(settings, earlier), policy or RetryPolicy(), clock
        )
    except ImportError as error:
        # The library reports a missing library of its own as the cause of a nameless error.
        missing = (error.name or getattr(error.__cause__, "name", "") or "").partition(".")[0]
        if missing not in _EXTRA:
            raise
        raise Unavailable(
            f"a model is set up, but {missing} is not installed: pip install 'meridia[llm]', "
            'or set model.dialect = "none"'
        ) from None


def _check(settings: ModelSettings) -> None:
    if not settings.name.strip():
        raise InvalidInput("model.name is empty: name the model to ask")
    if settings.base_url:
        parts = urlsplit(settings.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidInput(
                "model.base_url is not a valid address: write it as http://127.0.0.1:8080/v1"
            )
        if parts.username or parts.password:
            raise InvalidInput("model.base_url contains a password: move it to model.api_key")
    key = settings.api_key.get_secret_value().strip()
    if not key.isascii() or not key.isprintable():
        raise InvalidInput("model.api_key contains characters that no key has: copy it again")
