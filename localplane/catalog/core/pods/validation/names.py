"""Texts that pod specs are full of: environment variables, headers, search domains, paths; and how faults in them read.

Kubernetes: apimachinery/pkg/util/validation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, max_length_error, regex_error, size
from localplane.catalog.validation.rules import Between

_SUBDOMAIN_MAX = 253
_HEADER = "[-A-Za-z0-9]+"
_UNDERSCORED_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_UNDERSCORED = rf"{_UNDERSCORED_LABEL}(\.{_UNDERSCORED_LABEL})*"

_is_header = re.compile(_HEADER).fullmatch
_is_underscored = re.compile(_UNDERSCORED).fullmatch

_VARIABLE_ERROR = "a valid environment variable name must consist only of printable ASCII characters other than '='"
_HEADER_ERROR = regex_error(
    "a valid HTTP header must consist of alphanumeric characters or '-'", _HEADER, "X-Header-Name"
)
_UNDERSCORED_ERROR = regex_error(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must "
    "start and end with an alphanumeric character",
    _UNDERSCORED,
    "example.com",
)


def variable_name(name: str) -> list[str]:
    """An environment variable, or the prefix of several. Kubernetes: IsRelaxedEnvVarName."""
    if not name:
        return ["environment variable name must be non-empty"]
    fits = name.isascii() and name.isprintable() and "=" not in name
    return [] if fits else [_VARIABLE_ERROR]


def http_header(name: str) -> list[str]:
    return [] if _is_header(name) else [_HEADER_ERROR]


def underscored_subdomain(name: str) -> list[str]:
    problems = [max_length_error(_SUBDOMAIN_MAX)] if size(name) > _SUBDOMAIN_MAX else []
    return problems if _is_underscored(name) else [*problems, _UNDERSCORED_ERROR]


def invalid_each(path: Path, value: Any, problems: Iterable[str]) -> list[FieldError]:
    return [invalid(path, value, problem) for problem in problems]


def label_errors(value: str, path: Path) -> list[FieldError]:
    return invalid_each(path, value, dns1123_label(value))


def subdomain_errors(value: str, path: Path) -> list[FieldError]:
    return invalid_each(path, value, dns1123_subdomain(value))


def has_backsteps(target: str) -> bool:
    return ".." in target.split("/")


def backstep_errors(target: str, path: Path) -> list[FieldError]:
    return [invalid(path, target, "must not contain '..'")] if has_backsteps(target) else []


def descending_errors(target: str, path: Path) -> Iterator[FieldError]:
    """Relative, and never up."""
    if target.startswith("/"):
        yield invalid(path, target, "must be a relative path")
    yield from backstep_errors(target, path)


def unreserved_errors(target: str, path: Path) -> Iterator[FieldError]:
    """And no name that begins with two dots: the kubelet keeps those for itself."""
    yield from descending_errors(target, path)
    if target.startswith("..") and not target.startswith("../"):
        yield invalid(path, target, "must not start with '..'")


FILE_MODE = Between(0, 0o777, detail="must be a number between 0 and 0777 (octal), both inclusive")
