"""Bodies that say where each byte belongs; the applications under test use them too."""

STEP = 16


def pattern(length: int, start: int = 0) -> bytes:
    """A piece of an endless body in which no two places look alike: what is lost shows."""
    first, skip = divmod(start, STEP)
    count = (skip + length + STEP - 1) // STEP
    return b"".join(b"%015x\n" % (first + at) for at in range(count))[skip : skip + length]
