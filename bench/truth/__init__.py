"""How right is what is derived without a model: beside labels that readers made by hand?"""
