"""Ports by number or by name, and the protocols that have ports.

Kubernetes: apimachinery/pkg/util/validation, IsValidPortNum and IsValidPortName.
"""

from __future__ import annotations

import re
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.names import max_length_error, size

from .values import port_number

PROTOCOLS = ("SCTP", "TCP", "UDP")

_NAME_MAX = 15
_is_charset = re.compile("[-a-z0-9]+").fullmatch
_has_letter = re.compile("[a-z]").search


def port_name(name: str) -> list[str]:
    """What is wrong with an IANA service name."""
    problems = [max_length_error(_NAME_MAX)] if size(name) > _NAME_MAX else []
    if not _is_charset(name):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _has_letter(name):
        problems.append("must contain at least one letter (a-z)")
    if "--" in name:
        problems.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def port_or_name_errors(value: Any, path: Path) -> list[FieldError]:
    """Kubernetes: pkg/apis/core/validation, ValidatePortNumOrName."""
    if isinstance(value, str):
        return [invalid(path, value, problem) for problem in port_name(value)]
    return port_number(value, path)
