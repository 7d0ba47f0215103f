"""What nodes are made of before there are pods."""

from __future__ import annotations

import subprocess
import sys

_LIGHT = """
import sys
import localplane.compose.assembly, localplane.controllers, localplane.nodes
heavy = ("localplane.nodes.pods", "localplane.nodes.stages", "localplane.nodes.kubelet", "localplane.nodes.logs")
print([name for name in sys.modules if name.startswith((*heavy, "localplane.apimachinery.gotemplate"))])
"""


def test_nodes_without_pods_import_nothing_that_is_about_pods() -> None:
    ran = subprocess.run([sys.executable, "-c", _LIGHT], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "[]"
