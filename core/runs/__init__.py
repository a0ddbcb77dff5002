"""What did a tool do, did it fail, and what solved that?

Shared by ingest and retrieval. Nothing here stores anything or asks a model.
"""
