"""`kctl down`: ask a plane to stop, wait until it has, and take away what it left if it was killed."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from localplane.client.errors import ConfigError
from localplane.temporary import sweep_temporary

from .context import Left, context_before, current_context
from .errors import AlreadyUp, PlaneError
from .leftovers import take_away
from .places import Places, known_names, places
from .processes import signal_if_same
from .run_file import Claim, RunRecord, is_up, read, running

_LOOK_AGAIN = 0.02


@dataclass(frozen=True, slots=True)
class Stopped:
    """A plane that has ended, and what is current in the kubeconfig that had its context."""

    record: RunRecord
    left: Left


def stop(name: str, *, timeout: timedelta) -> Stopped | None:
    """What was stopped; None if it was not up. Raises PlaneError if it does not end in time."""
    where = places(name)
    record = running(name)
    if record is None:
        if is_up(where):
            raise PlaneError(f'plane "{name}" is up, but its run file {where.run_file} can\'t be read')
        _clean(where)
        return None
    before = _before(record)
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
    return _stopped(record, before)


def kill(name: str) -> Stopped | None:
    """End it at once; its data survives that. None if it was not up."""
    record = running(name)
    if record is None:
        _clean(places(name))
        return None
    before = _before(record)
    signal_if_same(record.pid, record.born, signal.SIGKILL)
    while is_up(places(name)) or record.is_alive:
        time.sleep(_LOOK_AGAIN)
    _clean(places(name))
    return _stopped(record, before)


def _before(record: RunRecord) -> str:
    return context_before(Path(record.merged_into), record.context) if record.merged_into else ""


def _stopped(record: RunRecord, before: str) -> Stopped:
    return Stopped(record, Left(current_context(Path(record.merged_into)) if before else "", before))


def sweep(besides: str = "") -> None:
    """After planes that keep nothing and were killed: nobody may ever say their names again. Whatever can't be done now
    is left for the next one; what `besides` has left is for whoever starts it."""
    for name in known_names():
        if name == besides:
            continue
        where = places(name)
        with suppress(AlreadyUp, PlaneError, ConfigError):  # somebody else cleans up, or can't
            if _is_abandoned(where) and not is_up(where):
                _clean(where)
    sweep_temporary()


def _is_abandoned(where: Places) -> bool:
    """Without a record it was stopped as it should, or killed before it could write one."""
    record = read(where)
    return record is not None and record.ephemeral


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
