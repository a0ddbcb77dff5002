"""Which memories answer a question, and why?

From a question to ranked memories with reasons, plans and packs.
"""
