"""What does a text say on its surface, and where may it be cut?

Read once, when a message is enriched; text in, spans and kinds out. Nothing is stored here and no
encoder is run. Others import `reading` (one message), `ranker` (what a summary would mention),
`cutting`, `talk` and `horizons`.
"""

from ..core.lazy import door

__getattr__ = door(__name__)
