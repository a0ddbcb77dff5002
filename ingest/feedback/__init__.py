"""Was a shown memory useful?

Verdicts, references in later turns, style.
"""
