"""Was what was shown of use?

Verdicts, references in later turns, style.
"""
