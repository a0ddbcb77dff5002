"""What in an event is a secret or personal?

Rules in data files, and one engine for them.
"""
