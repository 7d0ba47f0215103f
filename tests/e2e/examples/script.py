"""An example in a fork of a process that has imported what examples use: see `tests/e2e/warm_kctl`."""

from __future__ import annotations

import os
import runpy
import sys

from localplane import library
from localplane.compose import server

LOADED = (library, server)


def main() -> int:
    """In a session of its own, so that it gets no signal but those that are sent to it."""
    os.setsid()
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
    return 0
