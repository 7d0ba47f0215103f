"""A user's machine for `kctl up`: an empty home, planes that are started in it, and the end of all of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from localplane.apimachinery.serializers.yaml import parse_yaml
from tests.e2e.command_line import KCTL, Outcome, environment, kctl

WITHIN = 60.0
_KEEPERS = (
    "serviceaccount-token",
    "resourcequota",
    "namespace",
    "serviceaccount",
    "garbagecollector",
    "clusterrole-aggregation",
    "ttl-after-finished",
    "root-ca-cert-publisher",
    "legacy-service-account-token-cleaner",
)
WITHOUT_WORKLOADS = ("--nodes", "0", "--controllers", ",".join(_KEEPERS))
"""For tests that say themselves what becomes of pods and of what makes them."""


@dataclass(slots=True)
class Machine:
    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def kubeconfig(self) -> Path:
        return self.home / ".kube" / "config"

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "kctl"

    def kctl(self, *arguments: str, **environ: str) -> Outcome:
        return kctl(*arguments, home=self.home, environ={**self.environ, **environ})

    def up(self, *arguments: str, **environ: str) -> Outcome:
        """In the background, on any free port unless one is named, in what is fastest unless a store is named."""
        done = self.kctl("up", "-d", *_usual(arguments), **environ)
        assert done.code == 0, done.stderr
        return done

    def status(self, name: str = "default") -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.kctl("status", "--name", name, "-o", "json").stdout)
        return document

    def record(self, name: str = "default") -> dict[str, Any]:
        """What a plane wrote down."""
        document: dict[str, Any] = json.loads((self.state / ".planes" / name / "run.json").read_bytes())
        return document

    def user_config(self) -> dict[str, Any]:
        document: dict[str, Any] = parse_yaml(self.kubeconfig.read_bytes()).value
        return document

    @contextmanager
    def foreground(self, *arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
        """A plane in the foreground; killed in the end if the test did not end it."""
        process = subprocess.Popen(
            [*KCTL, "up", *_usual(arguments)],
            cwd=self.home,
            env=environment(self.home, self.environ),
            stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options},
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def wait_until_up(self, name: str = "default") -> dict[str, Any]:
        run_file = self.state / ".planes" / name / "run.json"
        until(lambda: run_file.exists() and self.record(name)["phase"] == "ready")
        return self.record(name)


def _usual(arguments: tuple[str, ...]) -> list[str]:
    port = [] if "--port" in arguments else ["--port", "0"]
    chosen = {"--storage", "--data-dir", "--ephemeral", "--etcd-servers"} & {*arguments}
    quick = [] if chosen else ["--storage", "memory"]
    return [*port, *quick, *arguments]


def until(happened: Callable[[], object], within: float = WITHIN, why: Callable[[], str] = str) -> None:
    """Who has waited long looks less often: others have the cores meanwhile."""
    begun = time.monotonic()
    while not happened():
        waited = time.monotonic() - begun
        assert waited < within, why() or "it did not happen in time"
        time.sleep(min(0.02 + waited / 20, 1.0))


@contextmanager
def machine(home: Path, **environ: str) -> Iterator[Machine]:
    here = Machine(home, environ)
    try:
        yield here
    finally:
        here.kctl("down", "--all", "--force")


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def interrupt(process: subprocess.Popen[str]) -> Outcome:
    os.kill(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=WITHIN)
    return Outcome(process.returncode, stdout, stderr)
