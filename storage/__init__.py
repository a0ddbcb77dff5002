"""Where is everything kept, and how does it stay whole?

The journal and every projection in its file.
"""
