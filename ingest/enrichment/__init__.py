"""What happens to an experience after it is acknowledged?

Passes over the journal, each behind a cursor.
"""
