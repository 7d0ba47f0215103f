"""Apply manifests again whenever their files change."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from localplane.cli.errors import PlaneError

from .applier import Applier, Outcome
from .reader import EXTENSIONS, read_file

_log = logging.getLogger(__name__)


async def follow(filenames: Sequence[str], applier: Applier) -> None:
    """Until it is cancelled. What can't be read or applied is logged: the next change may mend it."""
    async for changed in _changes(filenames):
        for path in changed:
            if not path.exists():
                _log.info("%s is gone; what it described stays", path)
                continue
            try:
                outcome = await applier.apply(read_file(path))
            except PlaneError as error:
                _log.warning("%s", error)
                continue
            log_outcome(outcome, path)


def log_outcome(outcome: Outcome, path: Path) -> None:
    if outcome.applied:
        _log.info("%s changed: %s applied", path.name, ", ".join(outcome.applied))
    for problem in outcome.problems:
        _log.warning("%s", problem)


async def _changes(filenames: Sequence[str]) -> AsyncIterator[list[Path]]:
    """The directories are watched, not the files: editors replace a file by another one of its name."""
    from watchfiles import awatch

    directories = {path for path in map(Path, filenames) if path.is_dir()}
    files = {path for path in map(Path, filenames) if not path.is_dir()}

    def wanted(_: object, changed: str) -> bool:
        path = Path(changed)
        return path in files or (path.parent in directories and path.suffix in EXTENSIONS)

    watched = directories | {path.parent for path in files}
    async for batch in awatch(*watched, watch_filter=wanted, recursive=False, debounce=400, step=50):
        yield sorted({Path(changed) for _, changed in batch})
