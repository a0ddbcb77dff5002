"""Which commands serve a memory to agents and programs?"""
