"""What can a person do with all this?

The command `meridia`.
"""
