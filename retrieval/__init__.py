"""Why this memory, and not another?

From a question to ranked memories with reasons, plans and packs.
"""
