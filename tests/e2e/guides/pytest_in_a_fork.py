"""pytest for the scripts of guides, in a fork of a process that has imported it and localplane.testing: see `reader`.

What reads KUBECONFIG when it is imported (kubernetes, and kopf with it) is not among that.
"""

from __future__ import annotations

import sys

import hypothesis
import pytest
import pytest_asyncio

from localplane.testing import blocking, clusters, opening, sessions

LOADED = (hypothesis, pytest_asyncio, blocking, clusters, opening, sessions)


def main() -> int:
    return int(pytest.main(["-p", "no:cacheprovider", *sys.argv[1:]]))
