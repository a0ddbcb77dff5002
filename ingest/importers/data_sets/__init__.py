"""Which public data sets of conversations and runs are read?"""

from ....core.lazy import door

__all__ = ["locomo", "sharegpt", "swe_agent", "tau_bench"]
__getattr__ = door(__name__)
