"""What does each mechanism add to a score?

A score is the sum of its contributions.
"""

from ...core.lazy import door

__all__ = [
    "confidence",
    "context_norms",
    "contributions",
    "feedback_terms",
    "formula",
    "late_interaction",
    "lateral",
    "optional_terms",
    "order_terms",
    "people_terms",
    "question_encoding",
    "ranker_file",
    "ranking_weights",
    "repeats",
    "score_trace",
    "source_terms",
    "spreading",
    "trace_summary",
    "working_set",
]
__getattr__ = door(__name__)
