"""By which name this program was called: kctl, or kubectl where it stands in kubectl's place.

A link or an installation called `kubectl`, or KCTL_AS=kubectl, makes it kubectl: usage, errors, hints, warnings and
change causes say so, and so does its version. Whom changes belong to does not depend on it: teams have both programs,
and server-side apply goes by these names.
"""

from __future__ import annotations

import os
import re
import sys

from kctl import __version__

KCTL, KUBECTL = "kctl", "kubectl"
KUBERNETES = "1.37"
"""Whose kubectl this one behaves like."""

_ENVIRONMENT = "KCTL_AS"
_ITSELF = r"(?<![\w.~-])(_?)kctl\b(?!\.(?!fish)\w|[/_-]\w)"
"""The program in a text of ours, its completion's files included; no context and no plugin that is named after it."""


def name() -> str:
    """kctl or kubectl."""
    chosen = os.environ.get(_ENVIRONMENT, "")
    if chosen:
        return KUBECTL if chosen == KUBECTL else KCTL
    called = sys.argv[0].rpartition("/")[2] if sys.argv else ""
    return KUBECTL if called.partition(".")[0] == KUBECTL else KCTL  # kubectl.exe and kubectl.1.37 are kubectl, too


def is_kubectl() -> bool:
    return name() == KUBECTL


def complaint() -> str:
    """What is wrong with KCTL_AS; empty for nothing."""
    known = os.environ.get(_ENVIRONMENT, "") in ("", KCTL, KUBECTL)
    return "" if known else f"{_ENVIRONMENT} must be '{KCTL}' or '{KUBECTL}'"


def renamed(text: str) -> str:
    """A text of ours (never one in which there may be others' words), with the name that we were called by."""
    return re.sub(_ITSELF, rf"\1{KUBECTL}", text) if is_kubectl() else text


def kubectl_version() -> str:
    """Which kubectl we are, and which kctl: what follows the plus does not count when versions are compared."""
    return f"v{KUBERNETES}.0+kctl.{__version__}"
