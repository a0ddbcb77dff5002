"""Which sentiment does a text show, and what does its speaker feel?

Valence and intensity of the words; at most three words for the speaker's own feelings.
"""
