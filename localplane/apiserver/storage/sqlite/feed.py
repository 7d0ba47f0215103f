"""Live changes on their way from the writer to the watches, all of it on the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .group import Detail, WriteGroup

if TYPE_CHECKING:
    from .watch import SQLiteWatch


class Feed:
    """Knows who watches. `revision` is how far they have been fed; every write up to it is on the disk.

    `observed` is the highest revision that any answer has shown: a read may have seen a write that is on the disk
    but still on its way here.
    """

    def __init__(self, revision: int) -> None:
        self.revision = revision
        self.observed = revision
        self.detail = Detail.NOTHING
        self._watches: set[SQLiteWatch] = set()

    def publish(self, group: WriteGroup) -> None:
        """Hand a group to every watch."""
        self.revision = max(self.revision, group.revision)
        self.observe(group.revision)
        for watch in self._watches:
            watch.feed(group)

    def observe(self, revision: int) -> None:
        """An answer is about to show this revision."""
        self.observed = max(self.observed, revision)

    def advance(self, revision: int) -> None:
        """The store stands higher without a change: tell everyone who watches."""
        for watch in self._watches:
            watch.expect_progress(revision)
        self.publish(WriteGroup([], revision, Detail.PREVIOUS))

    def join(self, watch: SQLiteWatch) -> None:
        self._watches.add(watch)
        self._set_detail()

    def leave(self, watch: SQLiteWatch) -> None:
        self._watches.discard(watch)
        self._set_detail()

    def end(self, reason: str) -> None:
        """The store is gone: tell everyone who watches."""
        for watch in tuple(self._watches):
            watch.fail(reason)

    def _set_detail(self) -> None:
        self.detail = max((watch.detail for watch in self._watches), default=Detail.NOTHING)
