"""Which models does Meridia use, and how?

Sentence encoders, and clients of language models within budgets.
"""

from ..core.lazy import door

__all__ = [
    "answer_types",
    "embedder",
    "encoders",
    "model_factory",
    "model_types",
    "tokens",
]
__getattr__ = door(__name__)
