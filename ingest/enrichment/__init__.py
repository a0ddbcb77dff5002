"""What happens to an experience after it is acknowledged?

Passes over the journal, each behind a cursor.
"""

from ...core.lazy import door

__all__ = ["batch_state", "model_pass", "passes", "register", "rule_pass", "worker"]
__getattr__ = door(__name__)
