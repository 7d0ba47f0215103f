"""What a cluster of its own costs each test: `python -m tests.bench.isolation --help`.

A suite is written whose tests all do the same: each takes the fixture `cluster`, defines a custom resource and creates
ten objects of it. pytest runs it in one process, and in two with xdist. What a test costs beside its own work is the
time from before its first fixture until after its last, without the call; pytest's own share is in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.figures import Aim, Table
from tests.bench.machine import facts
from tests.bench.options import parser
from tests.bench.report import as_json, as_text

HEADING = "Clusters for tests: one run on one machine, medians over the tests. CPU is the process's that runs the test."
SIDES: Final = ("alone", "xdist -n 2")
_ROOT: Final = Path(__file__).parents[2]

_SUITE: Final = """
import pytest

SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "gizmos.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "gizmos", "kind": "Gizmo"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}],
    },
}


@pytest.mark.parametrize("number", range(COUNT))
def test_own_cluster(cluster, number):
    cluster.create(CRD)
    for index in range(10):
        name = {"name": f"gizmo-{index}"}
        cluster.create({"apiVersion": "example.com/v1", "kind": "Gizmo", "metadata": name, "spec": {"size": index}})
    assert len(cluster.list("gizmos", "default")) == 10
"""
_CONFTEST: Final = """
import json
import os
import time
from pathlib import Path

import pytest

TIMES = Path(os.environ["BENCH_TIMES"], str(os.getpid()))
SECONDS = {}


def clocks():
    return time.perf_counter(), time.process_time()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    before = clocks()
    yield
    after = clocks()
    called = SECONDS.pop(item.nodeid, (0.0, 0.0))
    whole = [end - begin for begin, end in zip(before, after)]
    line = {"wall": whole[0] - called[0], "cpu": whole[1] - called[1], "test_wall": whole[0], "test_cpu": whole[1]}
    with TIMES.open("a") as file:
        file.write(json.dumps(line) + chr(10))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    before = clocks()
    yield
    SECONDS[item.nodeid] = tuple(end - begin for begin, end in zip(before, clocks()))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds of a whole run, and of each test but the first of each process, which prepares what the others share."""

    total: float
    tests: list[dict[str, float]]


def main(argv: Sequence[str]) -> int:
    made = parser("tests.bench.isolation", __doc__)
    made.add_argument("--tests", type=int, default=500, metavar="N", help="how many tests the suite has (500)")
    options = made.parse_args(argv)
    command = " ".join(["python -m tests.bench.isolation", *argv])
    with tempfile.TemporaryDirectory(prefix="kctl-bench-") as directory:
        machine = facts(Path(directory), needs_etcd=False)
        table = measure(50 if options.quick else options.tests, Path(directory))
    del machine["object"]
    print(as_text(machine, [table], command, heading=HEADING))
    if options.json is not None:
        options.json.write_text(as_json(machine, [table], command) + "\n", encoding="utf-8")
    return 0


def measure(count: int, directory: Path) -> Table:
    (directory / "test_suite.py").write_text(_SUITE.replace("COUNT", str(count)))
    (directory / "conftest.py").write_text(_CONFTEST)
    (directory / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    runs = {}
    for side, workers in zip(SIDES, ("0", "2"), strict=True):
        print(f"measuring: {count} tests, {side}", file=sys.stderr, flush=True)
        runs[side] = _run(directory, side.replace(" ", ""), workers)
    table = Table(f"{count} tests with a cluster, a definition and ten objects each", SIDES)
    table.add("all of it", "s", {side: [run.total] for side, run in runs.items()})
    for name, key, aim in (
        ("a test's overhead", "wall", Aim(at_most=25.0, of="alone")),
        ("a test's overhead, CPU", "cpu", None),
        ("a whole test", "test_wall", None),
        ("a whole test, CPU", "test_cpu", None),
    ):
        table.add(name, "ms", {side: [each[key] * 1e3 for each in run.tests] for side, run in runs.items()}, aim=aim)
    return table


def _run(directory: Path, name: str, workers: str) -> Run:
    times = directory / f"times-{name}"
    times.mkdir()
    plugins = ("-p", "no:localplane", "-p", "localplane.testing.plugin")
    env = os.environ | {"BENCH_TIMES": str(times), "PYTHONPATH": str(_ROOT)}
    begun = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, "-n", workers, "test_suite.py"],
        cwd=directory,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    total = time.perf_counter() - begun
    if ended.returncode:
        raise SystemExit(f"the suite failed:\n{ended.stdout}{ended.stderr}")
    return Run(total, [json.loads(line) for path in times.iterdir() for line in path.read_text().splitlines()[1:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
