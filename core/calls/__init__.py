"""Are the arguments of a call what the method asks for?

Nothing here stores anything or knows what a method does.
"""
