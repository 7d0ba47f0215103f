"""Ports as they are typed: `80`, `80:8080`, `80:http`, `http`."""

from __future__ import annotations

import re

from kctl.errors import KctlError
from kctl.launching.names import int_or_text

_LARGEST = 65535
_NAME_MAX = 15


def port_pair(text: str) -> tuple[int, int | str]:
    """`port:targetPort`; the target is the same where none is given. Kubernetes: parsePorts in create_service.go."""
    parts = text.split(":")
    port = _port(parts[0])
    if len(parts) == 1:
        return port, port
    target = int_or_text(parts[1])
    if problems := _name_errors(target) if isinstance(target, str) else _number_errors(target):
        raise KctlError(",".join(problems))
    return port, target


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]+", text):
        raise KctlError(f'strconv.ParseUint: parsing "{text}": invalid syntax')
    if int(text) > _LARGEST:
        raise KctlError(f'strconv.ParseUint: parsing "{text}": value out of range')
    return int(text)


def _number_errors(port: int) -> list[str]:
    return [] if 1 <= port <= _LARGEST else [f"must be between 1 and {_LARGEST}, inclusive"]


def _name_errors(name: str) -> list[str]:
    """Kubernetes: validation.IsValidPortName."""
    problems = []
    if len(name) > _NAME_MAX:
        problems.append(f"must be no more than {_NAME_MAX} characters")
    if not re.fullmatch("[-a-z0-9]+", name):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        problems.append("must contain at least one letter (a-z)")
    if "--" in name:
        problems.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems
