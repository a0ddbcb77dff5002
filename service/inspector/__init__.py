"""How does a person look at a recall in a browser?"""
