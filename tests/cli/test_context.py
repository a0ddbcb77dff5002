def test_x(meridia, demo):
    import time

    for args in (
        ["recall", "who sent the address?"],
        ["query", "MATCH (n) RETURN count(n)"],
        ["list"],
        ["config"],
        ["spaces"],
    ):
        t = time.time()
        d = meridia(*args, *demo.where)
        print(args[0], d.status, time.time() - t, d.err, d.out[:100])
