def project(*a, **k):
    return 0
