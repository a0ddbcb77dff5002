"""How is a recall shown in a browser?"""
