"""Which kctl this is, and which Kubernetes it belongs to."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from kctl import __version__, program
from localplane.apimachinery.golang import text
from localplane.apimachinery.light_typing import Any

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "i686": "386"}
_FIELDS = (
    "major",
    "minor",
    "emulationMajor",
    "emulationMinor",
    "minCompatibilityMajor",
    "minCompatibilityMinor",
    "gitVersion",
    "gitCommit",
    "gitTreeState",
    "buildDate",
    "goVersion",
    "compiler",
    "platform",
)


def client_version() -> dict[str, str]:
    major, _, minor = program.KUBERNETES.partition(".")
    return {
        "major": major,
        "minor": minor,
        "gitVersion": program.kubectl_version() if program.is_kubectl() else f"v{__version__}",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": f"python{'.'.join(map(str, sys.version_info[:3]))}",
        "compiler": sys.implementation.name,
        "platform": platform(),
    }


def platform() -> str:
    """`linux/amd64`, as Go says it."""
    system = os.uname()
    return f"{system.sysname.lower()}/{_ARCHITECTURES.get(system.machine, system.machine)}"


def go_literal(version: Mapping[str, Any]) -> str:
    """Go's %#v of a version.Info."""
    fields = (f"{name[0].upper()}{name[1:]}:{text.go_quote(str(version.get(name, '')))}" for name in _FIELDS)
    return f"version.Info{{{', '.join(fields)}}}"
