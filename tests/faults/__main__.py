"""`python -m tests.faults --kills 60`: exit 0 if nothing was lost, 1 if something was, 2 if it is void."""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Coroutine, Iterator
from typing import Any

import uvloop

from tests.faults.harness import Evidence, Plan, run_on_one_host
from tests.faults.hosts import HostFailed
from tests.faults.nemesis import DidNotComeBack
from tests.faults.plane.committed import LogLost
from tests.faults.plane.harness import run_on_plane
from tests.faults.plane.report import PlaneReport
from tests.faults.plane.stage import Kept
from tests.faults.report import Report


def main() -> int:
    arguments = _arguments()
    seed = secrets.randbelow(1_000_000) if arguments.seed is None else arguments.seed
    plan = Plan(arguments.kills, seed, arguments.clients, arguments.followers)
    return max(_run(title, kind, running, seed) for title, kind, running in _runs(arguments, plan))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Break everything, look for losses.")
    parser.add_argument(
        "--through",
        choices=("storage", "http"),
        action="append",
        help="the storage alone, killed, or a whole plane over HTTPS, killed, stopped and cut off (default: both)",
    )
    parser.add_argument(
        "--store",
        choices=tuple(Kept),
        type=Kept,
        action="append",
        help="etcd, sqlite, or etcd-servers, which is a plane that is told of an etcd (default: all, one by one)",
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="faults of a plane with this in their name: 'kill'")
    parser.add_argument("--kills", type=int, default=60, help="how many times to strike at something (default: 60)")
    parser.add_argument("--clients", type=int, default=8, help="how many clients write and read (default: 8)")
    parser.add_argument("--followers", type=int, default=5, help="how many clients watch (default: 5)")
    parser.add_argument("--seed", type=int, help="repeat the choices of an earlier run")
    return parser.parse_args()


Running = Coroutine[Any, Any, Evidence]


def _runs(arguments: argparse.Namespace, plan: Plan) -> Iterator[tuple[str, type[Report], Running]]:
    ways = arguments.through or ("storage", "http")
    for kept in arguments.store or Kept:
        if "storage" in ways and kept is not Kept.EXTERNAL:
            yield kept, Report, run_on_one_host(kept, plan)
        if "http" in ways:
            yield f"{kept} through HTTP", PlaneReport, run_on_plane(kept, plan, only=arguments.only)


def _run(title: str, kind: type[Report], running: Running, seed: int) -> int:
    report = None
    try:
        report = kind(title, uvloop.run(running))
    except* (HostFailed, DidNotComeBack, LogLost) as failures:
        print(f"{title}: FAILED, seed {seed}")
        for failure in failures.exceptions:
            print(f"  {failure}")
    if report is not None:
        print(report, flush=True)
    return 1 if report is None else report.exit_code


if __name__ == "__main__":
    sys.exit(main())
