"""What does an event name: entities, concepts, artifacts?

Names, addresses and duplicates.
"""
