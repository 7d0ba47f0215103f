"""Asking who somebody is, where the kubeconfig does not say. Kubernetes: client-go/tools/clientcmd/auth_loaders.go."""

from __future__ import annotations

import sys

from kctl.errors import KctlError


def ask() -> tuple[str, str]:
    """Name and password. A password is only taken from a terminal, where it is not shown."""
    _prompt("Username")
    name = _word()
    _prompt("Password")
    if sys.stdin is None or not sys.stdin.isatty():
        raise KctlError("error reading input for Password")
    from getpass import getpass

    return name, getpass("", stream=sys.stderr)


def _prompt(what: str) -> None:
    sys.stdout.write(f"Please enter {what}: ")
    sys.stdout.flush()


def _word() -> str:
    while sys.stdin is not None and (line := sys.stdin.readline()):
        if words := line.split():
            return words[0]
    raise KctlError("EOF")
