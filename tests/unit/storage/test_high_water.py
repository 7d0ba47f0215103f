"""The high-water mark: what notices that data went back."""

from __future__ import annotations

import json
import stat
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from localplane.apiserver.storage.high_water import DataWentBack, HighWaterDamaged, HighWaterMark, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "high-water.json"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def mark(path: Path, clock: Clock) -> Iterator[HighWaterMark]:
    mark = HighWaterMark(path, interval=timedelta(seconds=1), clock=clock)
    yield mark
    mark.close()


def written(path: Path) -> Mark:
    return Mark(**json.loads(path.read_bytes()))


def settle(mark: HighWaterMark) -> None:
    """Wait for the write that is under way."""
    if mark._writing is not None:
        mark._writing.result()


def leave(path: Path, identity: str, revision: int) -> None:
    mark = HighWaterMark(path)
    mark.check(identity, revision)
    mark.close()


def test_a_first_start_writes_what_it_found(mark: HighWaterMark, path: Path) -> None:
    assert mark.known() is None
    mark.check("a", 1)
    assert written(path) == Mark("a", 1)


def test_only_the_owner_may_read_the_file(mark: HighWaterMark, path: Path) -> None:
    mark.check("a", 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_store_that_went_on_is_accepted(mark: HighWaterMark, path: Path) -> None:
    leave(path, "a", 10)
    mark.check("a", 10)
    mark.check("a", 12)
    assert written(path) == Mark("a", 12)


def test_a_lower_revision_is_refused_and_changes_nothing(mark: HighWaterMark, path: Path) -> None:
    leave(path, "a", 10)
    with pytest.raises(DataWentBack) as raised:
        mark.check("a", 9)
    assert str(raised.value) == (
        f"the data in {path.parent} is older than it was: it had reached revision 10 and now stands at 9: restore the "
        "newest copy, or start once with --accept-data-loss to go on with what is there"
    )
    assert (raised.value.known, raised.value.found) == (Mark("a", 10), Mark("a", 9))
    mark.close()
    assert written(path) == Mark("a", 10)


def test_another_identity_is_refused_however_far_it_came(mark: HighWaterMark, path: Path) -> None:
    leave(path, "a", 10)
    with pytest.raises(DataWentBack, match="its identity was a and is now b"):
        mark.check("b", 1000)


def test_the_file_follows_about_once_per_interval(mark: HighWaterMark, path: Path, clock: Clock) -> None:
    mark.check("a", 1)
    for revision in range(2, 100):
        mark.advance(revision)
    settle(mark)
    assert written(path) == Mark("a", 1)
    clock.now = 1.0
    mark.advance(100)
    mark.advance(101)
    settle(mark)
    assert written(path) == Mark("a", 100)
    mark.close()
    assert written(path) == Mark("a", 101)


def test_the_mark_never_goes_back(mark: HighWaterMark, path: Path) -> None:
    mark.check("a", 5)
    mark.advance(9)
    mark.advance(7)
    mark.close()
    assert written(path) == Mark("a", 9)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"identity": "a"}', b'{"identity": 1, "revision": 2}', b"\xff",
     b'{"identity": "a", "revision": true}', b'{"identity": "a", "revision": -1}'],
)  # fmt: skip
def test_a_damaged_file_is_an_error_that_names_it(mark: HighWaterMark, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(HighWaterDamaged, match="--accept-data-loss") as raised:
        mark.check("a", 1)
    assert str(path) in str(raised.value)
    assert path.read_bytes() == content


def test_accepting_a_loss_asks_for_a_revision_that_nobody_saw(mark: HighWaterMark, path: Path) -> None:
    leave(path, "a", 50)
    floor = mark.revision_to_exceed()
    assert floor > 50, "the mark trails, so revisions above it have been seen too"
    with pytest.raises(ValueError, match="may have been used before"):
        mark.accept("b", floor)
    mark.accept("b", floor + 1)
    mark.advance(floor + 2)
    mark.close()
    assert written(path) == Mark("b", floor + 2)


def test_accepting_a_loss_replaces_a_damaged_file(mark: HighWaterMark, path: Path) -> None:
    path.write_bytes(b"{")
    assert mark.revision_to_exceed() == 0
    mark.accept("a", 7)
    assert written(path) == Mark("a", 7)


def test_a_full_disk_leaves_the_older_mark(
    mark: HighWaterMark, path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    mark.check("a", 1)

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("localplane.apiserver.storage.high_water.write_atomically", full)
    clock.now = 1.0
    mark.advance(2)
    settle(mark)
    assert written(path) == Mark("a", 1)
    assert "stays behind" in caplog.text


def test_closing_twice_or_without_a_check_does_nothing(path: Path) -> None:
    mark = HighWaterMark(path)
    mark.close()
    mark.close()
    assert not path.exists()


def test_a_store_that_is_started_again_must_have_what_was_seen_of_it(mark: HighWaterMark) -> None:
    assert mark.reached(500) is None  # nothing is known before the first check
    mark.check("a", 7)
    mark.advance(9)
    observed, noted = mark.reached(12), mark.reached(3)
    assert observed is not None
    assert noted is not None
    mark.verify(observed, identity="a", revision=12)
    with pytest.raises(DataWentBack, match="had reached revision 12 and now stands at 11"):
        mark.verify(observed, identity="a", revision=11)
    with pytest.raises(DataWentBack, match="had reached revision 9 and now stands at 8"):
        mark.verify(noted, identity="a", revision=8)
    with pytest.raises(DataWentBack, match="its identity was a and is now b"):
        mark.verify(observed, identity="b", revision=12)


def test_what_is_written_while_the_store_is_asked_is_no_loss(mark: HighWaterMark) -> None:
    """The client is faster than the probe: it writes, and the mark follows, before the probe's answer is judged."""
    mark.check("a", 7)
    known = mark.reached(9)
    assert known is not None
    mark.advance(10)
    mark.verify(known, identity="a", revision=9)
