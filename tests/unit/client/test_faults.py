"""A fault stays where it happened, and is never hidden."""

from __future__ import annotations

import asyncio

import pytest

from localplane.client import WorkQueue
from localplane.client.workqueue.supervision import Contained
from localplane.controllers.worker import work


def test_a_fault_is_logged_with_what_it_was_about_and_goes_no_further(caplog: pytest.LogCaptureFixture) -> None:
    contained = Contained(lambda: "reading the tea leaves")
    with contained:
        raise KeyError("leaf")
    assert isinstance(contained.error, KeyError)
    assert "reading the tea leaves failed: KeyError: 'leaf'" in caplog.text
    assert "Traceback" in caplog.text
    with contained:
        pass
    assert contained.error is None


def test_what_is_named_passes() -> None:
    with pytest.raises(LookupError), Contained(lambda: "asking", passes=(LookupError,)):
        raise KeyError


async def test_a_cancellation_passes() -> None:
    async def wait() -> None:
        with Contained(lambda: "waiting"):
            await asyncio.Event().wait()

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_one_key_that_nobody_can_work_on_leaves_the_others_alone(caplog: pytest.LogCaptureFixture) -> None:
    queue, tried, good = WorkQueue[str](), list[str](), asyncio.Event()

    async def sync(key: str) -> None:
        tried.append(key)
        if key == "bad":
            raise TypeError("no work can be done on this")
        good.set()

    queue.add("bad")
    queue.add("good")
    working = asyncio.create_task(work(queue, sync))
    async with asyncio.timeout(60):
        await good.wait()
        while tried.count("bad") < 3:  # noqa: ASYNC110 - it is tried again, later and later
            await asyncio.sleep(0.001)
    assert not working.done()
    assert "the work on bad failed: TypeError: no work can be done on this" in caplog.text
    working.cancel()
    await asyncio.wait([working])
