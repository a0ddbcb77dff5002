"""Which memories answer a question, and why?

From a question to ranked memories with reasons, and to plans.
"""
