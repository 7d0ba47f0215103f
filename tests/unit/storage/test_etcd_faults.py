"""Why etcd ended, told from its last words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.program.faults import EtcdFailed, EtcdFault, FaultCause, diagnose
from localplane.apiserver.storage.etcd.program.process import ProcessLog


def fault_of(*lines: str, returncode: int = 1) -> EtcdFault:
    return diagnose(
        lines,
        returncode=returncode,
        data=Path("/data/etcd"),
        binary=Path("/bin/etcd"),
        log=Path("/data/etcd.log"),
    )


def logged(message: str, error: str = "", level: str = "fatal") -> str:
    return json.dumps(
        {"level": level, "ts": "t", "caller": "x.go:1", "msg": message, "error": error, "stacktrace": "s"}
    )


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (
            logged("failed to commit tx", "write /data/etcd/member/snap/db: no space left on device"),
            FaultCause.NO_SPACE,
        ),
        (logged("discovery failed", "cannot access data directory: permission denied"), FaultCause.PERMISSION_DENIED),
        (logged("failed to open database", "open db: read-only file system", "panic"), FaultCause.READ_ONLY),
        (logged("discovery failed", "walpb: crc mismatch"), FaultCause.DAMAGED),
        (logged("failed to open database", "invalid database", "panic"), FaultCause.DAMAGED),
        ("panic: assertion failed: Page expected to be: 3, but self identifies as 67", FaultCause.DAMAGED),
        ("panic: tocommit(9) is out of range [lastIndex(3)]. Was the raft log lost?", FaultCause.DAMAGED),
        (logged("invalid downgrade; server version is lower", "cluster cannot be downgraded"), FaultCause.NEWER_DATA),
        (
            logged("discovery failed", "listen unix peer.sock:0: bind: address already in use"),
            FaultCause.ADDRESS_IN_USE,
        ),
        (logged("failed to listen", "accept: too many open files"), FaultCause.TOO_MANY_FILES),
        ("fatal error: runtime: out of memory", FaultCause.OUT_OF_MEMORY),
        ("flag provided but not defined: -log-outputs", FaultCause.UNSUITABLE_BINARY),
        ("panic: something that nobody foresaw", FaultCause.PANIC),
        ("", FaultCause.EXITED),
    ],
)
def test_last_words_have_a_cause(line: str, cause: FaultCause) -> None:
    fault = fault_of(line)
    assert fault.cause is cause
    assert "{" not in fault.sentence


def test_the_detail_is_what_etcd_said_without_noise_and_stack() -> None:
    fault = fault_of(
        logged("Running http and grpc server on single port. This is not recommended.", level="warn"),
        logged("failed to open database", "file size too small", "panic"),
        "panic: failed to open database",
        "",
        "goroutine 46 [running]:",
        "go.uber.org/zap/zapcore.CheckWriteAction.OnWrite(0x2?, 0xc000486640?)",
        "\tgo.uber.org/zap/zapcore/entry.go:196 +0x54",
    )
    assert fault.detail == "failed to open database: file size too small\npanic: failed to open database"


def test_an_etcd_that_was_killed_is_not_blamed_for_what_it_said_before() -> None:
    fault = fault_of(logged("snapshot save failed", "no space left on device", "warn"), returncode=-9)
    assert (fault.cause, fault.sentence) == (
        FaultCause.KILLED,
        "etcd was killed by SIGKILL; its log is in /data/etcd.log",
    )


def test_an_exit_without_a_word_tells_its_code() -> None:
    assert fault_of(returncode=7).sentence == "etcd exited with code 7; its log is in /data/etcd.log"


def test_a_failure_is_an_unavailable_store_with_sentence_and_detail() -> None:
    error = EtcdFailed(EtcdFault(FaultCause.PANIC, "a sentence", "a detail"))
    assert isinstance(error, Unavailable)
    assert str(error) == "a sentence\na detail"
    assert not error.may_have_happened


def test_the_log_never_holds_more_than_two_files_of_its_size(tmp_path: Path) -> None:
    log = ProcessLog(tmp_path / "etcd.log", most_bytes=1000)
    for _ in range(100):
        log.write(b"x" * 99 + b"\n")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["etcd.log", "etcd.log.1"]
    assert all(entry.stat().st_size <= 1100 for entry in tmp_path.iterdir())
    assert all(entry.stat().st_mode & 0o777 == 0o600 for entry in tmp_path.iterdir())


def test_lines_that_arrive_in_pieces_are_whole(tmp_path: Path) -> None:
    log = ProcessLog(tmp_path / "etcd.log")
    for piece in (b"fir", b"st\nsecond\nth", b"ird"):
        log.write(piece)
    assert log.lines == ["first", "second", "third"]


def test_a_log_that_cannot_be_written_keeps_its_lines_in_memory(tmp_path: Path) -> None:
    log = ProcessLog(tmp_path / "missing" / "etcd.log")
    log.write(b"no space left on device\n")
    assert log.lines == ["no space left on device"]


def test_a_run_does_not_see_the_lines_of_the_one_before(tmp_path: Path) -> None:
    log = ProcessLog(tmp_path / "etcd.log")
    log.write(b"old\nunfinished")
    log.begin_run()
    log.write(b"new\n")
    assert log.lines == ["new"]
    assert (tmp_path / "etcd.log").read_bytes() == b"old\nunfinishednew\n"
