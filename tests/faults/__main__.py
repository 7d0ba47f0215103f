"""`python -m tests.faults --store etcd --kills 60`: exit 0 if nothing was lost, 1 if something was, 2 if it is void."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys

from .harness import Plan, run_on_one_host
from .hosts import HostFailed
from .nemesis import DidNotComeBack
from .report import Report


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Kill the store and look for losses.")
    parser.add_argument("--store", choices=("etcd", "sqlite"), action="append", help="default: both, one by one")
    parser.add_argument("--kills", type=int, default=60, help="how many times to kill something (default: 60)")
    parser.add_argument("--clients", type=int, default=8, help="how many clients write and read (default: 8)")
    parser.add_argument("--followers", type=int, default=5, help="how many clients watch (default: 5)")
    parser.add_argument("--seed", type=int, help="repeat the choices of an earlier run")
    arguments = parser.parse_args()
    seed = secrets.randbelow(1_000_000) if arguments.seed is None else arguments.seed
    plan = Plan(arguments.kills, seed, arguments.clients, arguments.followers)
    return max(_run(store, plan) for store in arguments.store or ("etcd", "sqlite"))


def _run(store: str, plan: Plan) -> int:
    report = None
    try:
        report = Report(store, asyncio.run(run_on_one_host(store, plan)))
    except* (HostFailed, DidNotComeBack) as failures:
        print(f"{store}: FAILED, seed {plan.seed}")
        for failure in failures.exceptions:
            print(f"  {failure}")
    if report is not None:
        print(report, flush=True)
    return 1 if report is None else report.exit_code


if __name__ == "__main__":
    sys.exit(main())
