"""`python -m tests.soak`: exit 0 if a plane under load holds no more after minutes than it must, 1 otherwise."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from localplane.apiserver.storage.etcd.program.binary import find_etcd
from localplane.client.kubeconfig import load, resolve
from tests.bench.running_plane import running_plane
from tests.e2e.up.machine import WITHOUT_WORKLOADS
from tests.soak.harness import Plan, soak


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=(sys.modules["tests.soak"].__doc__ or ""))
    parser.add_argument("--store", choices=("etcd", "sqlite", "memory"), action="append", help="default: etcd")
    parser.add_argument("--minutes", type=float, default=6.0, help="of load, for each store (default: 6)")
    parser.add_argument("--rate", type=float, default=450.0, help="writes a second, of all together (default: 450)")
    arguments = parser.parse_args()
    plan = Plan(seconds=arguments.minutes * 60, per_second=arguments.rate)
    return max(_run(store, plan) for store in arguments.store or ("etcd",))


def _run(store: str, plan: Plan) -> int:
    etcd = ("--etcd", str(find_etcd().path)) if store == "etcd" else ()
    with (
        tempfile.TemporaryDirectory(prefix="soak-") as home,
        running_plane(Path(home), "--storage", store, *etcd, *WITHOUT_WORKLOADS) as plane,
    ):
        soaked = asyncio.run(soak(resolve(load(Path(home) / "config")), plane.pid, plan))
    print(f"{store}: {soaked}", flush=True)
    return 1 if soaked.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
