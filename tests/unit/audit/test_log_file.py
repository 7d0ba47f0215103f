"""The file that events are written to."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from localplane.apiserver.audit import AuditLogFile
from localplane.apiserver.audit.log_file import RotatingFile


def events_in(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_events_are_lines_of_json_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    async with AuditLogFile(path) as log:
        for index in range(1000):
            log.record({"index": index, "text": "a\nb"})
    assert events_in(path) == [{"index": index, "text": "a\nb"} for index in range(1000)]


async def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    path.write_text("")
    path.chmod(0o644)
    async with AuditLogFile(path, max_bytes=10) as log:
        log.record({"a": 1})
        log.record({"a": 2})
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
    assert len(list(tmp_path.iterdir())) == 2


async def test_what_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    for value in (1, 2):
        async with AuditLogFile(path) as log:
            log.record({"a": value})
    assert events_in(path) == [{"a": 1}, {"a": 2}]


async def test_a_full_file_is_moved_aside_and_no_line_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    async with AuditLogFile(path, max_bytes=100, max_backups=0) as log:
        for index in range(100):
            log.record({"index": index})
    files = sorted(tmp_path.iterdir(), key=lambda file: (file == path, file.name))
    assert all(file.stat().st_size <= 100 for file in files)
    assert [event["index"] for file in files for event in events_in(file)] == list(range(100))


async def test_only_the_newest_backups_are_kept_and_nothing_else_is_touched(tmp_path: Path) -> None:
    path, other = tmp_path / "audit.log", tmp_path / "audit-notes.log"
    other.write_text("mine")
    async with AuditLogFile(path, max_bytes=20, max_backups=2) as log:
        for index in range(10):
            log.record({"index": index, "x": 1})
    backups = sorted(file for file in tmp_path.iterdir() if file not in (path, other))
    assert [events_in(file)[0]["index"] for file in (*backups, path)] == [7, 8, 9]
    assert other.read_text() == "mine"


async def test_a_line_longer_than_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    async with AuditLogFile(path, max_bytes=10) as log:
        log.record({"text": "x" * 100})
    assert events_in(path) == [{"text": "x" * 100}]


async def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    (tmp_path / "audit.log").symlink_to(target)
    with pytest.raises(OSError, match=r"audit\.log"):
        async with AuditLogFile(tmp_path / "audit.log"):
            pass
    assert target.read_text() == "mine"


async def test_a_path_that_can_not_be_written_is_known_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        async with AuditLogFile(tmp_path / "missing" / "audit.log"):
            pass


async def test_what_the_disk_is_too_slow_for_is_dropped_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "audit.log"
    async with AuditLogFile(path, max_waiting_bytes=30) as log:
        for index in range(10):
            log.record({"index": index})
        assert log.dropped == 8
    assert len(events_in(path)) == 2
    assert "8 events are lost" in caplog.text


def test_a_disk_that_fails_loses_lines_and_nothing_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = RotatingFile(Path("/dev/full"), max_bytes=1000, max_backups=1)
    file._descriptor = os.open("/dev/full", os.O_WRONLY)
    with caplog.at_level(logging.WARNING):
        file.write([b"line\n"])
    file.close()
    assert "No space left on device" in caplog.text


EVENT = {
    "auditID": "id-1",
    "stage": "ResponseComplete",
    "requestURI": "/api/v1/namespaces/shop/pods?limit=1",
    "verb": "list",
    "user": {"username": "jane", "groups": ["team", 'a "b"']},
    "sourceIPs": ["127.0.0.1"],
    "userAgent": "kubectl",
    "objectRef": {"resource": "pods", "namespace": "shop"},
    "responseStatus": {"code": 200},
    "requestReceivedTimestamp": "2026-01-02T15:04:05.000000Z",
}


async def test_legacy_events_are_lines_of_text(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    async with AuditLogFile(path, legacy=True) as log:
        log.record(EVENT)
        log.record({"user": {}, "verb": "get", "impersonatedUser": {"username": "joe", "groups": ["g"]}})
    jane, joe = path.read_text().splitlines()
    assert jane == (
        '2026-01-02T15:04:05.000000Z AUDIT: id="id-1" stage="ResponseComplete" ip="127.0.0.1" method="list" '
        r'user="jane" groups="\"team\",\"a \\\"b\\\"\"" as="<self>" asgroups="<lookup>" user-agent="kubectl" '
        'namespace="shop" uri="/api/v1/namespaces/shop/pods?limit=1" response="200"'
    )
    assert joe == (
        ' AUDIT: id="" stage="" ip="<unknown>" method="get" user="<none>" groups="<none>" as="joe" '
        r'asgroups="\"g\"" user-agent="" namespace="<none>" uri="" response="<deferred>"'
    )


async def test_old_logs_go_when_their_time_is_over(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    old, recent = datetime.now(UTC) - timedelta(days=3), datetime.now(UTC) - timedelta(days=1)
    names = [f"audit-{moment:%Y-%m-%dT%H-%M-%S.%f}.log" for moment in (old, recent)]
    for name in (*names, "audit-mine.log"):
        (tmp_path / name).write_text("")
    async with AuditLogFile(path, max_age=timedelta(days=2)):
        pass
    assert {file.name for file in tmp_path.iterdir()} == {names[1], "audit-mine.log", "audit.log"}
    async with AuditLogFile(path):
        pass
    assert (tmp_path / names[1]).exists()


async def test_a_dash_is_standard_output(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        async with AuditLogFile(Path("-"), max_bytes=1) as log:
            log.record({"a": 1})
            log.record({"a": 2})
    assert capfd.readouterr().out.splitlines() == ['{"a":1}', '{"a":2}']
    assert list(tmp_path.iterdir()) == []
