"""Which public data sets of conversations and runs are read?"""
