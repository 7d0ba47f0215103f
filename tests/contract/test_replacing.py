"""Other content in the place of everything: all of it at once, as changes that go on from where the store is."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apiserver.storage.backend import Change, Wanted, prefix_end
from localplane.apiserver.storage.errors import RequestTooLarge
from tests.contract.subjects import Subject

MANY = 300
"""More than one transaction of etcd's takes."""


def _wanted(subject: Subject, *names: str, value: bytes = b"{}") -> list[Wanted]:
    return [Wanted(subject.absolute(f"/pods/{name}"), value) for name in sorted(names)]


def _names(count: int) -> list[str]:
    return [f"pod-{number:04}" for number in range(count)]


async def _replace(subject: Subject, wanted: list[Wanted]) -> int:
    start = subject.root + "/"
    return await subject.backend.replace(start, prefix_end(start), wanted)


async def _all(subject: Subject) -> dict[str, bytes]:
    start = subject.root + "/"
    page = await subject.backend.range(start, prefix_end(start))
    return {kv.key.removeprefix(subject.root + "/pods/"): kv.value for kv in page.kvs}


@pytest.mark.parametrize("count", [3, MANY])
async def test_a_range_holds_exactly_what_it_was_replaced_by(subject: Subject, count: int) -> None:
    await subject.plant("/pods/gone", b'{"old": 1}')
    await subject.plant("/pods/pod-0001", b'{"old": 2}')
    await _replace(subject, _wanted(subject, *_names(count)))
    assert await _all(subject) == dict.fromkeys(_names(count), b"{}")


async def test_what_was_there_already_keeps_its_revision_and_the_rest_goes_on_above_all(subject: Subject) -> None:
    same = await subject.plant("/pods/same", b"{}")
    await subject.plant("/pods/other", b'{"old": 1}')
    before = await subject.write_elsewhere()
    after = await _replace(subject, _wanted(subject, "same", "other", "new"))
    page = await subject.backend.range(subject.absolute("/pods/"), subject.absolute("/pods0"))
    revisions = {kv.key.rpartition("/")[2]: kv.revision for kv in page.kvs}
    assert revisions["same"] == same
    assert min(revisions["other"], revisions["new"]) > before
    assert after == max(revisions.values()) <= page.revision


async def test_what_is_outside_of_the_range_stays(subject: Subject) -> None:
    await subject.write_elsewhere()
    await _replace(subject, [])
    assert (await subject.backend.get(f"elsewhere{subject.root}")).kv is not None


@pytest.mark.parametrize("count", [3, MANY])
async def test_a_watch_sees_a_replacement_as_changes(subject: Subject, count: int) -> None:
    await subject.plant("/pods/gone", b"{}")
    after = await subject.plant("/pods/pod-0000", b'{"old": 1}')
    start = subject.root + "/"
    watch = subject.backend.watch(start, prefix_end(start), after=after)
    await _replace(subject, _wanted(subject, *_names(count)))
    seen: dict[str, Change] = {}
    async with asyncio.timeout(20):
        async for batch in watch:
            seen |= {change.key.rpartition("/")[2]: change for change in batch.changes}
            if len(seen) == count + 1:
                break
    await watch.close()
    assert seen["gone"].value is None
    assert seen["pod-0000"].previous is not None
    assert seen["pod-0001"].previous is None
    assert [seen[name].value for name in _names(count)] == [b"{}"] * count


async def test_nothing_is_written_where_nothing_differs(subject: Subject) -> None:
    await _replace(subject, _wanted(subject, *_names(5)))
    before = await subject.backend.current_revision()
    await _replace(subject, _wanted(subject, *_names(5)))
    assert await subject.backend.current_revision() == before


async def test_what_is_too_large_changes_nothing(subject: Subject) -> None:
    await subject.plant("/pods/pod-0000", b'{"old": 1}')
    wanted = [*_wanted(subject, *_names(3)), Wanted(subject.absolute("/pods/q"), b" " * 3_000_000)]
    with pytest.raises(RequestTooLarge):
        await _replace(subject, wanted)
    assert await _all(subject) == {"pod-0000": b'{"old": 1}'}


async def test_what_has_a_ttl_goes_by_itself(subject: Subject) -> None:
    passing = Wanted(subject.absolute("/pods/b"), b"{}", timedelta(seconds=1))
    after = await _replace(subject, [*_wanted(subject, "a"), passing])
    watch = subject.backend.watch(passing.key, passing.key + "\0", after=after)
    async with asyncio.timeout(20):
        assert [change.value for change in (await anext(watch)).changes] == [None]
    await watch.close()
    assert await _all(subject) == {"a": b"{}"}


async def test_writes_and_a_replacement_at_the_same_time_leave_a_whole_of_both(subject: Subject) -> None:
    """Whatever order they come in, a write that was acknowledged after the replacement is there."""
    replaced = asyncio.create_task(_replace(subject, _wanted(subject, *_names(MANY))))
    await asyncio.sleep(0)
    revision = await subject.plant("/pods/written", b"{}")
    done = await replaced
    found = (await subject.backend.get(subject.absolute("/pods/written"))).kv
    assert found is not None or revision < done
    assert set(_names(MANY)) <= set(await _all(subject))
