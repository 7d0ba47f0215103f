"""Which kuberc counts: --kuberc, then $KUBERC, then ~/.kube/kuberc. KUBERC=off turns it off.

Kubernetes: kubectl/pkg/kuberc/kuberc.go, LoadKuberc and getExplicitKuberc.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from kctl.errors import KctlError


class Place(NamedTuple):
    """`path` is empty if it was turned off. Who names a file `explicitly` is told that it is not there."""

    path: str
    explicitly: bool = False


def locate(flag: str = "") -> Place:
    """`flag` is what --kuberc says."""
    variable = os.environ.get("KUBERC", "")
    if variable == "off":
        if flag:
            raise KctlError("disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive")
        return Place("")
    if flag:
        return Place(flag, explicitly=True)
    if variable:
        return Place(variable, explicitly=True)
    return Place(os.path.join(os.environ.get("HOME", ""), ".kube", "kuberc"))  # noqa: PTH118 - pathlib is slow to load


def flag_in(words: Sequence[str]) -> str:
    """What --kuberc says, before anybody knows which flags there are."""
    for position, word in enumerate(words):
        if word == "--":
            break
        if word == "--kuberc":
            if position + 1 < len(words):
                return words[position + 1]
            raise KctlError("kuberc file is not found")
        if "--kuberc=" in word:
            if value := word.split("=")[1]:
                return value
            raise KctlError("kuberc file is not found")
    return ""
