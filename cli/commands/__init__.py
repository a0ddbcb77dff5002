"""What does each command do?

One module a group of commands.
"""
