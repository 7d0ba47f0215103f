"""What a command costs from its first to its last breath, beside kubectl: `python -m tests.bench.cli --help`.

Both are installed programs against the same plane, warm caches on both sides, and take turns. The floor is what Python
takes for the same without any of our code: start, import what TLS needs, shake hands. With --hyperfine that program
measures instead, one command after the other.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from localplane.client.kubeconfig import Overrides, load, resolve
from tests.bench.figures import Aim, Comparison, Table
from tests.bench.machine import facts
from tests.bench.options import parser
from tests.bench.report import as_json, as_text
from tests.bench.running_plane import running_plane

HEADING = (
    "The command line: one command from its start to its end, medians over the rounds, beside a kubectl.\n"
    "Ratios are taken within a round."
)
KCTL, KUBECTL, FLOOR = "kctl", "kubectl", "Python alone"
FULL, QUICK, PROOF = 25, 8, 1
AIM = Aim(at_most=1.0)
_TREE = Path(__file__).resolve().parents[2]

_MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: one
data:
  key: value
"""
_HANDSHAKE = """\
import socket, ssl, sys
host, port, authority, certificate, key = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.load_verify_locations(authority)
context.load_cert_chain(certificate, key)
connection = context.wrap_socket(socket.create_connection((host, int(port))), server_hostname=host)
connection.sendall(b"GET /version HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
connection.recv(65536)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """In seconds."""

    wall: float
    processor: float


@dataclass(frozen=True, slots=True)
class Command:
    """`floor` is a Python program that does the least of it."""

    name: str
    arguments: tuple[str, ...]
    floor: tuple[str, ...] = ("-c", "pass")


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    kubectl = shutil.which(options.kubectl)
    if kubectl is None:
        print(f"error: there is no {options.kubectl} to compare with", file=sys.stderr)
        return 1
    rounds = options.rounds or (QUICK if options.quick else FULL)
    command = " ".join(["python -m tests.bench.cli", *argv])
    with tempfile.TemporaryDirectory(prefix="kctl-bench-") as directory:
        machine = facts(Path(directory), needs_etcd=False)
        machine["kubectl"] = f"{_version(kubectl)} at {kubectl}"
        if options.hyperfine:
            return hyperfine(rounds, kubectl, Path(directory))
        tables = measure(rounds, kubectl, Path(directory))
    del machine["object"], machine["stores"], machine["data"]
    print(as_text(machine, tables, command, heading=HEADING))
    if options.json is not None:
        options.json.write_text(as_json(machine, tables, command) + "\n", encoding="utf-8")
    return 0


def _options(argv: Sequence[str]) -> argparse.Namespace:
    known = parser("tests.bench.cli", __doc__)
    known.add_argument("--kubectl", default="kubectl", help="the one to compare with: a path, or a name on PATH")
    known.add_argument("--hyperfine", action="store_true", help="let hyperfine measure; it has to be on PATH")
    return known.parse_args(argv)


def hyperfine(rounds: int, kubectl: str, directory: Path) -> int:
    """Its own report, command by command: kctl first, and how many times as long the other takes."""
    program = shutil.which("hyperfine")
    if program is None:
        print("error: there is no hyperfine on PATH", file=sys.stderr)
        return 1
    home = directory / "home"
    home.mkdir()
    kctl = installed(directory)
    with running_plane(home, "--storage", "memory", "--controllers", "none"):
        for one in _commands(home, directory):
            lines = [shlex.join([str(path), *one.arguments]) for path in (kctl, kubectl)]
            command = [program, "--shell=none", "--style=basic", "--warmup", "3", "--runs", str(max(rounds, 2))]
            names = ["--command-name", one.name, "--command-name", one.name.replace("kctl", "kubectl", 1)]
            subprocess.run([*command, *names, *lines], env=environment(home), cwd=home, check=True)
    return 0


def measure(rounds: int, kubectl: str, directory: Path) -> list[Table]:
    """One plane for all; each round runs every command once with each program, in turns that alternate."""
    home = directory / "home"
    home.mkdir()
    kctl = installed(directory)
    with running_plane(home, "--storage", "memory", "--controllers", "none"):
        commands = _commands(home, directory)
        taken: dict[str, dict[str, list[Cost]]] = {one.name: {} for one in commands}
        for number in range(-1, rounds):
            for one in commands:
                programs = {
                    KCTL: [str(kctl), *one.arguments],
                    KUBECTL: [kubectl, *one.arguments],
                    FLOOR: [sys.executable, *one.floor],
                }
                for side in sorted(programs, reverse=bool(number % 2)):
                    cost = cost_of(programs[side], home)
                    if number >= 0:  # the first round fills caches
                        taken[one.name].setdefault(side, []).append(cost)
    sides, comparison = (KCTL, KUBECTL, FLOOR), Comparison(KCTL, KUBECTL)
    wall, processor = Table("wall time", sides, comparison), Table("processor time, all threads", sides, comparison)
    for name, costs in taken.items():
        wall.add(name, "ms", {side: [one.wall * 1e3 for one in all_] for side, all_ in costs.items()}, aim=AIM)
        processor.add(name, "ms", {side: [one.processor * 1e3 for one in all_] for side, all_ in costs.items()})
    return [wall, processor]


def installed(directory: Path) -> Path:
    """What an installer makes of our entry point."""
    script = directory / "kctl"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nfrom kctl.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
    )
    script.chmod(0o755)
    return script


def cost_of(command: Sequence[str], home: Path) -> Cost:
    """Raises RuntimeError for a command that fails: how fast it does that is not the question."""
    with tempfile.TemporaryFile() as said:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment(home), cwd=home, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)}: {said.read().decode()}")
    return Cost(wall, used.ru_utime + used.ru_stime)


def environment(home: Path) -> dict[str, str]:
    """Compiled, as an installed package is."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "HOME": str(home), "KUBECONFIG": str(home / "config"), "PYTHONPATH": str(_TREE)}


def _commands(home: Path, directory: Path) -> list[Command]:
    manifest = directory / "one.yaml"
    manifest.write_text(_MANIFEST)
    handshake = ("-c", _HANDSHAKE, *_handshake_arguments(home, directory))
    return [
        Command("kctl --help", ("--help",)),
        Command("kctl version --client", ("version", "--client")),
        Command("kctl get cm", ("get", "cm"), handshake),
        Command("kctl get cm -o yaml", ("get", "cm", "-o", "yaml"), handshake),
        Command("kctl api-resources", ("api-resources",), handshake),
        Command("kctl apply -f one.yaml", ("apply", "-f", str(manifest)), handshake),
    ]


def _handshake_arguments(home: Path, directory: Path) -> tuple[str, ...]:
    config = resolve(load(home / "config"), Overrides())
    address = urlsplit(config.server)
    files = []
    contents: tuple[tuple[str, bytes, Callable[[], bytes]], ...] = (
        ("ca", config.certificate_authority_data, lambda: Path(config.certificate_authority).read_bytes()),
        ("certificate", config.client_certificate_data, lambda: Path(config.client_certificate).read_bytes()),
        ("key", config.client_key_data, lambda: Path(config.client_key).read_bytes()),
    )
    for name, data, read in contents:
        file = directory / f"{name}.pem"
        file.write_bytes(data or read())
        files.append(str(file))
    return (address.hostname or "", str(address.port or 443), *files)


def _version(kubectl: str) -> str:
    done = subprocess.run([kubectl, "version", "--client"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0].rpartition(" ")[2] if done.stdout else "unknown"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
