"""Which transcripts of agents are read?"""
