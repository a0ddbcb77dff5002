"""Which models does Meridia use, and how?

Sentence encoders, and clients of language models within budgets.
"""

from ..core.lazy import door

__all__ = [
    "answer_types",
    "encoder_ports",
    "encoders",
    "encoding_cache",
    "model_factory",
    "model_types",
    "products",
    "prompts",
    "text_chunks",
    "tokens",
    "wordpiece",
]
__getattr__ = door(__name__)
