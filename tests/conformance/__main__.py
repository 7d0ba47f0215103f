"""Ask planes of ours what a real cluster was asked, and tell how much agrees, by area."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from localplane.apiserver.storage.etcd.program.binary import EtcdUnusable, find_etcd
from tests.conformance.recordings import Recordings, find_recordings
from tests.conformance.replays import replay_api, replay_cli, replay_corpus, replay_kctl
from tests.conformance.scores import Scores
from tests.e2e.examples.kubectl import kubectls
from tests.e2e.up.machine import machine

AS_RECORDED = ("--controllers", "none", "--disable-admission-plugins", "ServiceAccount", "--port", "21443")
"""As the recorded server was set up: nothing happens by itself, pods need no service account, and the port is the one
that its own service tells."""

WITH_CONTROLLERS = ("--nodes", "0", "--disable-admission-plugins", "ServiceAccount", "--port", "21443")
"""The same with all controllers, and without a kubelet."""


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    recordings = find_recordings(options.recordings)
    if recordings.missing:
        print(f"skipped, no recordings here: {', '.join(recordings.missing)} (see KCTL_RECORDINGS)")
    out: Path = options.out or Path(tempfile.mkdtemp(prefix="kctl-conformance-"))
    out.mkdir(parents=True, exist_ok=True)
    broken: list[str] = []
    for scores in measure(recordings, out, only=options.only, areas=options.area):
        print("\n".join(scores.lines()), flush=True)
        broken += scores.broken
    if broken:
        print(f"no longer whole: {', '.join(broken)}; every difference is in {out}", file=sys.stderr)
    return 1 if broken else 0


def measure(
    recordings: Recordings, out: Path, *, only: Sequence[str] = (), areas: Sequence[str] = ()
) -> Iterator[Scores]:
    """Each collection that is here and wanted, with a plane of its own."""

    def wanted(name: str) -> Path | None:
        found: Path | None = getattr(recordings, name)
        return found if not only or name in only else None

    if (api := wanted("api")) is not None:
        yield _against(lambda kubeconfig: replay_api(api, kubeconfig, out, areas))
    if (corpus := wanted("corpus")) is not None:
        yield _against(lambda kubeconfig: replay_corpus(corpus, kubeconfig, out))
    if (cli := wanted("cli")) is not None:
        yield from _command_lines(cli, out, areas)


def _command_lines(cli: Path, out: Path, areas: Sequence[str]) -> Iterator[Scores]:
    yield _against(lambda kubeconfig: replay_kctl(cli, kubeconfig, out, areas=areas))
    if not areas or {*areas} & {"delete", "rollout"}:
        yield _against(
            lambda kubeconfig: replay_kctl(cli, kubeconfig, out, areas=areas, with_controllers=True), WITH_CONTROLLERS
        )
    found = kubectls()
    if not found:
        print("skipped: no kubectl on PATH or in .tools, run `make kubectl`")
        return
    program = str(found[-1])  # the newest: its wording is nearest to the recordings
    yield _against(lambda kubeconfig: replay_cli(cli, kubeconfig, out, program=program, areas=areas))


def _against(replay: Callable[[Path], Scores], arguments: Sequence[str] = AS_RECORDED) -> Scores:
    """With a fresh plane for each collection: what one leaves behind is nothing to the next."""
    with tempfile.TemporaryDirectory(prefix="kctl-conformance-") as home, machine(Path(home), **_etcd()) as here:
        here.up("--ephemeral", *arguments)
        return replay(here.kubeconfig)


def _etcd() -> dict[str, str]:
    """The home of a plane under test is empty, so it is told where there is one. Without, it keeps its data in
    SQLite, and only what is said about the health of etcd differs."""
    try:
        return {"KCTL_ETCD": str(find_etcd().path)}
    except EtcdUnusable:
        return {}


def _options(argv: Sequence[str]) -> argparse.Namespace:
    made = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    made.add_argument("--recordings", type=Path, metavar="DIR", help="where they are, if not in ../shared")
    made.add_argument("--only", action="append", choices=["api", "cli", "corpus"], help="replay only this collection")
    made.add_argument("--area", action="append", default=[], metavar="AREA", help="replay only this area")
    made.add_argument("--out", type=Path, metavar="DIR", help="keep every difference there")
    return made.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
