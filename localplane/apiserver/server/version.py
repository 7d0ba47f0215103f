"""What /version says: which Kubernetes we are compatible with, and which release of ours says so."""

from __future__ import annotations

import platform
import sys

import localplane

_MAJOR, _MINOR = "1", "37"
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "AMD64": "amd64"}


def version_document() -> dict[str, str]:
    """Clients compare `minor` with their own and parse `gitVersion`; what is said of Go is what they expect there."""
    return {
        "major": _MAJOR,
        "minor": _MINOR,
        "emulationMajor": _MAJOR,
        "emulationMinor": _MINOR,
        "minCompatibilityMajor": _MAJOR,
        "minCompatibilityMinor": str(int(_MINOR) - 1),
        "gitVersion": f"v{_MAJOR}.{_MINOR}.0+kctl.{localplane.__version__}",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": f"python{platform.python_version()}",
        "compiler": "gc",
        "platform": f"{sys.platform}/{_MACHINES.get(platform.machine(), platform.machine())}",
    }
