"""Which chats of people are read?"""
