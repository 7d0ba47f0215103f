"""`kctl reset`: a plane that runs begins again with no data and the same keys; one that doesn't loses its directory."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from .errors import PlaneError
from .leftovers import delete
from .places import places
from .processes import signal_if_same
from .run_file import READY, Claim, RunRecord, running
from .signals import EMPTY

_LOOK_AGAIN = 0.02


def reset_running(record: RunRecord, *, timeout: timedelta) -> RunRecord:
    """Ready again when it returns."""
    if record.external:
        raise PlaneError(
            f'plane "{record.name}" keeps its data in {record.store}, which kctl did not start and will not empty'
        )
    if record.phase != READY:
        raise PlaneError(f'plane "{record.name}" is {record.phase}: try again when it is ready')
    signal_if_same(record.pid, record.born, EMPTY)
    give_up = time.monotonic() + timeout.total_seconds()
    while time.monotonic() < give_up:
        now = running(record.name)
        if now is None or now.pid != record.pid:
            raise PlaneError(f'plane "{record.name}" ended while it was emptied: see {places(record.name).log}')
        if now.round > record.round and now.phase == READY:
            return now
        time.sleep(_LOOK_AGAIN)
    raise PlaneError(f'plane "{record.name}" was not ready again within {timeout.total_seconds():g} seconds')


def reset_stopped(name: str, data_dir: Path | None) -> Path | None:
    """Delete what a plane that is down has kept. None if there is nothing of ours."""
    with Claim.take(name) as claim:
        left = claim.left_behind.data_dir if claim.left_behind else ""
        path = data_dir or (Path(left) if left else claim.places.data)
        return path if delete(path) else None
