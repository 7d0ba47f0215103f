"""The benchmark runs, what it says can be true, and wrong answers are noticed. Nothing asserts how fast anything is."""

from __future__ import annotations

import json
import math
from pathlib import Path
from unittest.mock import Mock

import pytest
import uvloop

from localplane.library import StorageKind
from tests.bench.figures import Aim, Range
from tests.bench.http import __main__ as program
from tests.bench.http import kube
from tests.bench.http.connection import Connection, UnexpectedAnswer
from tests.bench.http.sizes import PROOF
from tests.bench.http.subjects import Updates, resource_version_in
from tests.bench.http.watcher import LAST, Watcher
from tests.bench.http.watches import count_faults
from tests.bench.report import as_json, as_text

SCENARIOS = (
    "start, and idle",
    "get-c1",
    "get-c16",
    "list-10-c1",
    "list-40-c1",
    "list-40-c4",
    "list-40-gzip-c1",
    "list-40-page10-c1",
    "create-c1",
    "create-c32",
    "put-c1",
    "put-c16",
    "mergepatch-c1",
    "mergepatch-c16",
    "delete-c1",
    "delete-c16",
    "watch-burst-3",
    "watch-burst-5",
)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: application/json\r\n\r\n12345"
REFUSAL = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"


def test_every_scenario_runs_and_its_figures_can_be_true(tmp_path: Path) -> None:
    tables = uvloop.run(program.measure(PROOF, StorageKind.MEMORY, tmp_path))

    assert tuple(table.title for table in tables) == SCENARIOS
    for table in tables:
        figures = {figure.name: figure for figure in table.figures}
        assert figures["CPU, server"].sides[kube.OURS].lowest > 0, table.title
        for figure in table.figures:
            for spread in (*figure.sides.values(), *([figure.ratio] if figure.ratio else [])):
                assert 0 <= spread.lowest <= spread.median <= spread.highest < math.inf, (table.title, figure)
    for table in tables[-2:]:
        assert table.figures[-1].name == "lost, twice, out of order"
        assert table.figures[-1].met

    machine = program.machine_facts(tmp_path, StorageKind.MEMORY)
    told = json.loads(as_json(machine, tables, "again"))
    assert [scenario["title"] for scenario in told["scenarios"]] == list(SCENARIOS)
    text = as_text(machine, tables, "the command that repeats it", heading=program.HEADING)
    assert text.startswith(program.HEADING)
    assert "0.695 … 0.821" in text
    assert "v1.37.0-rc.1" in text


def test_a_ratio_is_taken_against_the_low_end_of_what_is_known() -> None:
    table = kube.table("a table")
    known = Range.between(8.0, 100.0)
    kube.add(table, "CPU", "s/1000", [1.0, 2.0, 4.0], known=known, compared=True, aim=Aim(at_least=5.0))
    [figure] = table.figures
    assert figure.ratio is not None
    assert (figure.ratio.lowest, figure.ratio.median, figure.ratio.highest) == (2.0, 4.0, 8.0)
    assert figure.met is False


def test_where_nothing_is_known_there_is_neither_a_ratio_nor_an_aim() -> None:
    table = kube.table("a table")
    kube.add(table, "CPU", "s/1000", [1.0], compared=True, aim=Aim(at_least=5.0))
    assert table.figures[0].ratio is None
    assert table.figures[0].met is None


@pytest.mark.parametrize(
    ("seen", "faults"),
    [
        ([b"a", b"b", b"c"], 0),
        ([b"a", b"c"], 1),
        ([b"a", b"b", b"b", b"c"], 1),
        ([b"b", b"a", b"c"], 1),
        ([], 3),
    ],
)
def test_events_that_are_lost_come_twice_or_out_of_order_are_counted(seen: list[bytes], faults: int) -> None:
    assert count_faults([b"a", b"b", b"c"], seen) == faults


@pytest.mark.parametrize("at", range(1, len(ANSWER)))
async def test_an_answer_is_whole_wherever_it_was_cut(at: int) -> None:
    connection = Connection()
    connection.connection_made(Mock())
    answered = connection.ask(b"anything")
    connection.data_received(ANSWER[:at])
    assert not answered.done()
    connection.data_received(ANSWER[at:])
    assert await answered == b"12345"


async def test_a_refusal_is_no_answer() -> None:
    connection = Connection()
    connection.connection_made(Mock())
    answered = connection.ask(b"anything")
    connection.data_received(REFUSAL)
    with pytest.raises(UnexpectedAnswer, match="403 Forbidden"):
        await answered


async def test_a_server_that_hangs_up_is_noticed() -> None:
    connection = Connection()
    connection.connection_made(Mock())
    answered = connection.ask(b"anything")
    connection.connection_lost(None)
    with pytest.raises(UnexpectedAnswer, match="closed the connection"):
        await answered


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
async def test_a_watcher_sees_each_event_once_however_the_stream_is_cut(size: int) -> None:
    events = [
        b'{"type":"ADDED","object":{"metadata":{"name":"%b"}}}\n' % name for name in (b"one", b"two", LAST.encode())
    ]
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    stream = head + b"".join(b"%x\r\n%b\r\n" % (len(event), event) for event in events)
    watcher = Watcher()
    watcher.connection_made(Mock())
    answered = watcher.ask(b"anything")
    for start in range(0, len(stream), size):
        watcher.data_received(stream[start : start + size])
    assert b"200 OK" in await answered
    assert [name for name, _ in watcher.seen] == [b"one", b"two", LAST.encode()]
    assert watcher.has_last.is_set()


async def test_a_watch_that_is_refused_is_no_answer() -> None:
    watcher = Watcher()
    watcher.connection_made(Mock())
    answered = watcher.ask(b"anything")
    watcher.data_received(REFUSAL)
    with pytest.raises(UnexpectedAnswer, match="403 Forbidden"):
        await answered


def test_an_update_names_its_turn_and_the_version_it_was_made_for() -> None:
    head, _, body = Updates("a-namespace", "a-name").request(b"4711", 12).partition(b"\r\n\r\n")
    obj = json.loads(body)
    assert obj["metadata"]["resourceVersion"] == "4711"
    assert obj["data"]["turn"] == "12"
    assert head.endswith(b"Content-Length: %d" % len(body))
    assert resource_version_in(body) == b"4711"


def test_a_run_without_etcd_says_so_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KCTL_ETCD", str(tmp_path / "nothing-here"))
    assert program.main(["--quick"]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_a_store_that_does_not_exist_is_a_usage_error() -> None:
    with pytest.raises(SystemExit) as exited:
        program.main(["--storage", "tape"])
    assert exited.value.code == 2
