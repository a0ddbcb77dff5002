"""Which models does Meridia use, and how?

Sentence encoders, and clients of language models within budgets.
"""
