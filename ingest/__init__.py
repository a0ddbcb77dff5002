"""How does an event become an experience?

Capture before the acknowledgement, enrichment after it.
"""
