"""The highest revision that was ever acknowledged here, written outside the store's own files.

A store whose files were emptied or replaced by an older copy starts without a word, and would hand out
resourceVersions that clients have already seen with other content. The mark is what notices.

It is a lower bound: it trails the store by up to its interval and is never ahead of it.
"""

from __future__ import annotations

import json
import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from localplane.files import write_atomically

from .data_directory import DataDirectoryError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_log = logging.getLogger(__name__)

# More than a store acknowledges while the mark waits to be written, even if a disk hangs for hours: it is what etcd's
# documentation has people raise revisions by when they restore a backup. It costs nothing: nobody counts up to there.
_MARGIN = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the data with this identity had come."""

    identity: str
    revision: int


class HighWaterDamaged(DataDirectoryError):
    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{path} can't be read ({why}), so nobody can tell whether the data went back: restore it from a backup, "
            "or start once with --accept-data-loss to write it anew"
        )
        self.path = path


class DataWentBack(DataDirectoryError):
    """Carries both sides, so that whoever accepts the loss knows what to raise the store's revision above."""

    def __init__(self, path: Path, *, known: Mark, found: Mark) -> None:
        what = (
            f"is not the data it was: its identity was {known.identity} and is now {found.identity}"
            if known.identity != found.identity
            else f"is older than it was: it had reached revision {known.revision} and now stands at {found.revision}"
        )
        super().__init__(
            f"the data in {path.parent} {what}: restore the newest copy, "
            "or start once with --accept-data-loss to go on with what is there"
        )
        self.known = known
        self.found = found


class HighWaterMark:
    """The mark in its file. Call `check` before serving, `advance` after every acknowledged write, then `close`."""

    def __init__(
        self,
        path: Path,
        *,
        interval: timedelta = timedelta(seconds=1),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path
        self._interval = interval.total_seconds()
        self._clock = clock
        self._due = clock()
        self._current: Mark | None = None
        self._written: Mark | None = None
        # A disk that takes its time with an fsync must not hold up the event loop.
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="high-water")
        self._writing: Future[None] | None = None

    def check(self, identity: str, revision: int) -> None:
        """Take over the store's state, or raise DataWentBack or HighWaterDamaged and change nothing."""
        known, found = self.known(), Mark(identity, revision)
        if known is not None and not _continues(known, found):
            raise DataWentBack(self._path, known=known, found=found)
        self._rebase(found)

    def permits(self, identity: str, revision: int) -> bool:
        """Whether `check` would take over such a state."""
        try:
            known = self.known()
        except HighWaterDamaged:
            return False
        return known is None or _continues(known, Mark(identity, revision))

    def reached(self, revision: int) -> Mark | None:
        """What a store that is started again under us must at least have, if it had answered with this revision before.

        Taken before the store is asked: whoever writes to it in the meantime raises what was observed, and an answer
        from before that is no loss. None without a check: there is nothing to compare with.
        """
        if self._current is None:
            return None
        return Mark(self._current.identity, max(self._current.revision, revision))

    def verify(self, known: Mark, *, identity: str, revision: int) -> None:
        """Raise DataWentBack if the store's answer is not what `reached` has promised of it."""
        found = Mark(identity, revision)
        if not _continues(known, found):
            raise DataWentBack(self._path, known=known, found=found)

    def known(self) -> Mark | None:
        """What the file says; None before the first start."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HighWaterDamaged(self._path, str(error)) from error
        return _parsed(self._path, content)

    def revision_to_exceed(self) -> int:
        """The store must be above this before data loss may be accepted: nobody has seen a higher revision.

        The mark may trail what was acknowledged, hence the margin. 0 when nothing is known.
        """
        try:
            known = self.known()
        except HighWaterDamaged:
            return 0
        return 0 if known is None else known.revision + _MARGIN

    def accept(self, identity: str, revision: int) -> None:
        """Go on from here after a loss; the caller has raised the store above `revision_to_exceed`."""
        floor = self.revision_to_exceed()
        if revision <= floor:
            raise ValueError(f"revision {revision} may have been used before: raise the store above {floor} first")
        self._rebase(Mark(identity, revision))

    def advance(self, revision: int) -> None:
        """Note an acknowledged revision. Cheap: the file follows about once per interval, in another thread."""
        assert self._current is not None, "check or accept comes first"
        if revision <= self._current.revision:
            return
        self._current = Mark(self._current.identity, revision)
        if self._clock() >= self._due and (self._writing is None or self._writing.done()):
            self._due = self._clock() + self._interval
            self._writing = self._writer.submit(self._write_or_warn, self._current)

    def close(self) -> None:
        """Write the last value. Idempotent; a mark that was never checked leaves the file alone."""
        self._writer.shutdown(wait=True)
        if self._current is not None and self._current != self._written:
            self._write_or_warn(self._current)

    def _rebase(self, mark: Mark) -> None:
        self._write(mark)
        self._current = mark
        self._due = self._clock() + self._interval

    def _write_or_warn(self, mark: Mark) -> None:
        """A mark that stays behind is still a lower bound, so a full disk here stops nothing."""
        try:
            self._write(mark)
        except OSError as error:
            _log.warning("the high-water mark %s stays behind: %s", self._path, error)

    def _write(self, mark: Mark) -> None:
        write_atomically(self._path, json.dumps({"identity": mark.identity, "revision": mark.revision}).encode())
        self._written = mark


def _continues(known: Mark, found: Mark) -> bool:
    return known.identity == found.identity and known.revision <= found.revision


def _parsed(path: Path, content: bytes) -> Mark:
    try:
        value: Any = json.loads(content)
        identity, revision = value["identity"], value["revision"]
    except (ValueError, KeyError, TypeError) as error:
        raise HighWaterDamaged(path, f"{type(error).__name__}: {error}") from error
    if not isinstance(identity, str) or type(revision) is not int or revision < 0:
        raise HighWaterDamaged(path, "identity is not text or revision is not a number")
    return Mark(identity, revision)
