"""Ask a server of yours and a plane of ours the same, and tell where their answers differ."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.differential.command_runs import all_commands, compare_lines, documents, flags_of, two_sides
from tests.differential.report import Report
from tests.differential.runs import compare
from tests.differential.servers import server_at
from tests.e2e.examples.kubectl import kubectls
from tests.e2e.up.machine import machine

AS_BARE = ("--controllers", "none", "--disable-admission-plugins", "ServiceAccount")
"""As a kube-apiserver without controllers has it: nothing happens by itself, and pods need no service account."""


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    if options.commands:
        return _of_commands(options)
    if options.ours is not None:
        report = asyncio.run(_compared(options, options.ours))
    else:
        with tempfile.TemporaryDirectory(prefix="kctl-differential-") as home, machine(Path(home)) as here:
            here.up("--ephemeral", *AS_BARE, *options.up)
            report = asyncio.run(_compared(options, here.kubeconfig))
    print("\n".join(report.lines(options.most)))
    if options.out is not None:
        options.out.write_text(json.dumps(report.document(), indent=1, ensure_ascii=False) + "\n")
    return 1 if report.differing > report.requests * options.tolerated / 100 else 0


def _of_commands(options: argparse.Namespace) -> int:
    """kctl and kubectl side by side on a plane of ours."""
    program = options.kubectl or next(reversed(kubectls()), None)
    if program is None:
        print("no kubectl on PATH or in .tools: run `make kubectl`, or name one with --kubectl", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="kctl-differential-") as home, machine(Path(home)) as here:
        here.up("--ephemeral", *AS_BARE, *options.up)
        (beside := Path(home) / "beside").mkdir()
        peer, ours = two_sides(here, Path(program).resolve(), beside)
        known = flags_of(program, all_commands())
        report = compare_lines(peer, ours, known, lines=options.lines, seed=options.seed, only=options.command)
    print("\n".join(report.shown(options.most)))
    if options.out is not None:
        options.out.write_text(json.dumps(documents(report), indent=1, ensure_ascii=False) + "\n")
    return 1 if report.differing > report.lines * options.tolerated / 100 else 0


async def _compared(options: argparse.Namespace, kubeconfig: Path) -> Report:
    peer, ours = server_at(options.peer), server_at(kubeconfig)
    try:
        return await compare(
            peer, ours, requests=options.requests, seed=options.seed, kinds=options.kind, first_story=options.story
        )
    finally:
        await peer.transport.close()
        await ours.transport.close()


def _options(argv: Sequence[str]) -> argparse.Namespace:
    made = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    made.add_argument("--peer", type=Path, metavar="KUBECONFIG", help="leads to the other server")
    made.add_argument("--commands", action="store_true", help="compare kctl's command lines with kubectl's instead")
    made.add_argument("--kubectl", type=Path, metavar="PROGRAM", help="with --commands: else the newest that is here")
    made.add_argument("--lines", type=int, default=500, help="with --commands: how many")
    made.add_argument("--command", action="append", default=[], metavar="COMMAND", help="only lines of this command")
    made.add_argument("--ours", type=Path, metavar="KUBECONFIG", help="leads to a plane that is up already")
    made.add_argument("--up", action="append", default=[], metavar="FLAG", help="a flag more for the plane")
    made.add_argument("--requests", type=int, default=20_000, help="how many are sent, about")
    made.add_argument("--seed", type=int, default=1, help="the same seed sends the same requests")
    made.add_argument("--kind", action="append", default=[], metavar="KIND", help="only objects of this kind")
    made.add_argument("--story", type=int, default=0, metavar="N", help="begin with this story")
    made.add_argument("--most", type=int, default=40, metavar="N", help="how many groups are printed")
    made.add_argument("--tolerated", type=float, default=0.1, metavar="PERCENT", help="of differing answers")
    made.add_argument("--out", type=Path, metavar="FILE", help="where all groups are written as JSON")
    options = made.parse_args(argv)
    if options.peer is None and not options.commands:
        made.error("name the other server with --peer, or compare command lines with --commands")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
