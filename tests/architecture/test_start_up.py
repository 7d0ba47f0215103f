"""A command loads what it uses. Each of these costs more than the rest of a start-up together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {
    "aiohttp",
    "asyncio",
    "httpx",
    "rich",
    "yaml",
    "orjson",
    "uvloop",
    "google.protobuf",
    "re2",
    "ssl",
    "watchfiles",
}

KUBECONFIG = """\
apiVersion: v1
clusters:
- cluster:
    server: http://127.0.0.1:1
  name: c
contexts:
- context:
    cluster: c
  name: c
current-context: c
kind: Config
"""
PROGRAM = """
import sys
from kctl.cli import run
from kctl.lazy import is_loaded
run(sys.argv[1:])
sys.stderr.write("\\n".join(name for name, module in sys.modules.items() if is_loaded(module)))
"""


@pytest.mark.parametrize("line", ["--help", "version", "etcd path", "etcd install --help"])
def test_a_light_command_imports_nothing_heavy(line: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *line.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(done.stderr.split())
    assert "kctl.cli" in imported
    assert imported & HEAVY == set()


@pytest.mark.parametrize("line", ["get pods", "api-resources", "version --client"])
def test_what_people_type_all_day_imports_only_what_it_must(line: str, tmp_path: Path) -> None:
    """None of these is much, but together they are a fifth of the time that such a command takes."""
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(KUBECONFIG)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *line.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "KUBECONFIG": str(kubeconfig)},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(done.stderr.split())
    assert "kctl.session.session" in imported
    spared = {"calendar", "dataclasses", "datetime", "encodings.idna", "ipaddress", "pathlib", "typing", "urllib.parse"}
    assert imported & (HEAVY | spared) == set()
    assert "localplane.apimachinery.api_types" not in imported, "types are for those who write typed objects"
    if line == "version --client":
        assert imported & {"enum", "json", "re", "localplane.client.kubeconfig.model"} == set(), "a third of its time"


def test_a_plane_without_expressions_starts_without_the_language() -> None:
    """It is fifty modules, and most clusters have no rule, no policy and no device."""
    program = "import sys, localplane.compose.control_plane; print(*(name for name in sys.modules if '.cel' in name))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_plane_starts_without_reading_the_machines_certificate_authorities() -> None:
    """Where they are one file, which they are on most systems, that takes forty milliseconds and more."""
    program = """
import ssl
read = []
ssl.SSLContext.set_default_verify_paths = lambda context: read.append(context)
from localplane.cli.up import import_aiohttp
import_aiohttp()
import localplane.compose.control_plane, localplane.cli.plane
print(len(read))
ssl.create_default_context()
print(len(read))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n1\n", "nor is it forgotten how they are read"
