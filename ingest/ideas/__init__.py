"""What may belong together, though nothing says so?

Daydreaming: pairs of memories, proposed while there is nothing else to do, decided by a person.
"""
