"""How does what happened become an experience?

Capture before the acknowledgement, enrichment after it.
"""
