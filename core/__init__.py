"""What do all parts share?

Types, ids, time, errors, events, settings and text analysis.
"""
