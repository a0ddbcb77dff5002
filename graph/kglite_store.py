class KgliteStore:
    pass
