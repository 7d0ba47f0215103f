"""`kctl down`: ask a plane to stop, wait until it has, and take away what it left if it was killed."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from datetime import timedelta

from .errors import AlreadyUp, PlaneError
from .leftovers import take_away
from .places import Places, known_names, places
from .processes import signal_if_same
from .run_file import Claim, RunRecord, is_up, read, running

_LOOK_AGAIN = 0.02


def stop(name: str, *, timeout: timedelta) -> RunRecord | None:
    """What was stopped; None if it was not up. Raises PlaneError if it does not end in time."""
    where = places(name)
    record = running(name)
    if record is None:
        if is_up(where):
            raise PlaneError(f'plane "{name}" is up, but its run file {where.run_file} can\'t be read')
        _clean(where)
        return None
    signal_if_same(record.pid, record.born, signal.SIGTERM)
    give_up = time.monotonic() + timeout.total_seconds()
    while is_up(where) or record.is_alive:
        if time.monotonic() > give_up:
            raise PlaneError(
                f'plane "{name}" (process {record.pid}) did not stop within {timeout.total_seconds():g} seconds: '
                "wait longer with --timeout, or end it at once with --force"
            )
        time.sleep(_LOOK_AGAIN)
    _clean(where)
    return record


def kill(name: str) -> RunRecord | None:
    """End it at once; its data survives that. None if it was not up."""
    record = running(name)
    if record is not None:
        signal_if_same(record.pid, record.born, signal.SIGKILL)
        while is_up(places(name)) or record.is_alive:
            time.sleep(_LOOK_AGAIN)
    _clean(places(name))
    return record


def clean_abandoned(prefix: str) -> None:
    """After planes whose names begin so and that were killed: they have names that nobody will say again."""
    for name in known_names():
        if name.startswith(prefix) and not is_up(places(name)):
            with suppress(AlreadyUp):  # somebody else cleans up
                _clean(places(name))


def _clean(where: Places) -> None:
    """A plane that was killed could not do it itself. Whoever starts it at this moment keeps what is his."""
    if read(where) is None:
        return
    with Claim.take(where.name) as claim:
        left = claim.left_behind
        if left is not None:
            take_away(left)
        claim.forget()
        if left is not None and left.ephemeral:
            claim.vanish()
