"""What time it is, and waiting for it: the machine's time, unless a plane has a clock of its own.

    reading    present timestamp elapsed: what time it is, and how long something took
    waiting    call_at sleep time_limit: until it is time; mind, AtWork: who has work in hand
    virtual    VirtualClock: the machine's time and as much more as somebody has advanced it by

Whatever is said of an object, or decided by what is said there, goes by this time: its timestamps, conditions,
deadlines, back-offs, leases, tokens, schedules. How long the machine may take for something does not: sockets,
requests, watches, stores, and pauses before something is tried again that failed here.

A plane's clock runs in a context, as an event loop does: whatever the plane starts, and every request that it answers,
has it. The hooks of a kind are the same for all planes of a process, and nobody hands them a plane. `reading` is all
that is imported with the package.
"""

from .reading import elapsed, present, timestamp

__all__ = ["elapsed", "present", "timestamp"]
