"""What happens to an event before it is acknowledged?

Stages, decision and commit; no model is asked.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
