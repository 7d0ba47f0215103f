"""What a watch sends first, and how it says that it has sent it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from localplane.apiserver.storage.interface import WatchOptions
from tests.contract.pods import create, not_older_than, pod, selecting
from tests.contract.subjects import Subject
from tests.contract.watching import (
    expect_added,
    expect_initial_events_end,
    expect_nothing_more,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """`at` is a resourceVersion or `before` and `newest`; `initial` says whether the present objects come first."""

    at: str
    bookmarks: bool
    send: bool | None
    initial: bool

    @property
    def id(self) -> str:
        sends = "legacy" if self.send is None else f"send={self.send}"
        return f"{self.at or 'unset'}, bookmarks={self.bookmarks}, {sends}"


BEGINNINGS = (
    *(
        Beginning(at=at, bookmarks=bookmarks, send=True, initial=True)
        for at in ("", "0", "before", "newest")
        for bookmarks in (True, False)
    ),
    *(
        # From an old version the three pods are no initial events, they are the events since then.
        Beginning(at=at, bookmarks=bookmarks, send=False, initial=at == "before")
        for at in ("", "0", "before", "newest")
        for bookmarks in (True, False)
    ),
    Beginning(at="0", bookmarks=False, send=None, initial=True),
    Beginning(at="", bookmarks=False, send=None, initial=True),
)


@pytest.mark.upstream("RunWatchSemantics")
@pytest.mark.parametrize("beginning", BEGINNINGS, ids=lambda beginning: beginning.id)
async def test_what_comes_first(subject: Subject, beginning: Beginning) -> None:
    before = await subject.storage.current_revision()
    present = [await create(subject.storage, pod(f"pod-{number}", "ns")) for number in (1, 2, 3)]
    newest = present[-1].revision
    # Brings a cache up to date, so that a watch from anywhere begins here.
    assert len((await subject.storage.list("/pods/ns", not_older_than(newest))).items) == 3

    watch = await subject.storage.watch(
        "/pods/ns",
        WatchOptions(
            resource_version={"before": str(before), "newest": str(newest)}.get(beginning.at, beginning.at),
            allow_bookmarks=beginning.bookmarks,
            send_initial_events=beginning.send,
        ),
    )

    if beginning.initial:
        await expect_added(watch, *present)
    if beginning.send and beginning.bookmarks:
        assert (await expect_initial_events_end(watch)).revision >= newest
    later = [await create(subject.storage, pod(f"pod-{number}", "ns")) for number in (4, 5)]
    await expect_added(watch, *later)
    await expect_nothing_more(subject.storage, watch)


@pytest.mark.upstream("RunSendInitialEventsBackwardCompatibility")
@pytest.mark.parametrize("resource_version", ["", "0"])
async def test_initial_events_can_be_asked_for_without_bookmarks(subject: Subject, resource_version: str) -> None:
    created = await create(subject.storage, pod("foo"))
    await subject.storage.get("/pods/test-ns/foo")

    watch = await subject.storage.watch(
        "/pods/", WatchOptions(resource_version=resource_version, send_initial_events=True)
    )

    await expect_added(watch, created)
    await expect_nothing_more(subject.storage, watch)


@pytest.mark.upstream("RunWatchSemanticInitialEventsExtended")
async def test_the_end_of_the_initial_events_carries_the_revision_of_the_whole_store(subject: Subject) -> None:
    present = [await create(subject.storage, pod(f"pod-{number}", "ns-foo")) for number in range(1, 6)]
    elsewhere = await create(subject.storage, pod("pod-1", "other-ns-foo"))

    watch = await subject.storage.watch("/pods/ns-foo", WatchOptions(send_initial_events=True, allow_bookmarks=True))

    await expect_added(watch, *present)
    assert (await expect_initial_events_end(watch)).revision == elsewhere.revision
    await expect_nothing_more(subject.storage, watch)


@pytest.mark.upstream("RunWatchListMatchSingle")
async def test_the_initial_events_are_selected_too(subject: Subject) -> None:
    wanted = await create(subject.storage, pod("pod-1", "ns-foo"))
    for number in range(2, 6):
        last = await create(subject.storage, pod(f"pod-{number}", "ns-foo"))

    watch = await subject.storage.watch(
        "/pods/",
        WatchOptions(predicate=selecting("metadata.name=pod-1"), send_initial_events=True, allow_bookmarks=True),
    )

    await expect_added(watch, wanted)
    assert (await expect_initial_events_end(watch)).revision == last.revision
    await expect_nothing_more(subject.storage, watch)


@pytest.mark.upstream("RunWatchSemanticInitialEventsExtended")
async def test_without_objects_the_end_comes_at_once(subject: Subject) -> None:
    newest = await subject.write_elsewhere()

    watch = await subject.storage.watch("/pods/", WatchOptions(send_initial_events=True, allow_bookmarks=True))

    assert (await expect_initial_events_end(watch)).revision == newest
    await watch.stop()
