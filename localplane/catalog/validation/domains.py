"""Domain names beyond those that objects are named by.

Kubernetes: apimachinery/pkg/util/validation (IsWildcardDNS1123Subdomain, IsFullyQualifiedDomainName,
IsDomainPrefixedPath).
"""

from __future__ import annotations

import re

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, max_length_error, regex_error, size

_SUBDOMAIN_MAX = 253
_WILDCARD = r"\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"

_is_wildcard = re.compile(_WILDCARD).fullmatch
_is_path = re.compile(_PATH).fullmatch

_WILDCARD_ERROR = regex_error(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    _WILDCARD,
    "*.example.com",
)


def wildcard_subdomain(name: str) -> list[str]:
    problems = [max_length_error(_SUBDOMAIN_MAX)] if size(name) > _SUBDOMAIN_MAX else []
    if not _is_wildcard(name):
        problems.append(_WILDCARD_ERROR)
    return problems


def subdomain_or_wildcard(name: str) -> list[str]:
    return wildcard_subdomain(name) if "*" in name else dns1123_subdomain(name)


def fully_qualified_errors(name: str, path: Path) -> list[FieldError]:
    if not name:
        return [required(path)]
    name = name.removesuffix(".")
    if problems := dns1123_subdomain(name):
        return [invalid(path, name, ",".join(problems))]
    labels = name.split(".")
    if len(labels) < 2:
        return [invalid(path, name, "should be a domain with at least two segments separated by dots")]
    for label in labels:
        if problems := dns1123_label(label):
            return [invalid(path, label, ",".join(problems))]
    return []


def domain_prefixed_path_errors(text: str, path: Path) -> list[FieldError]:
    """`acme.io/foo`."""
    if not text:
        return [required(path)]
    host, _, rest = text.partition("/")
    if not host or not rest:
        return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    errors = [invalid(path, host, problem) for problem in dns1123_subdomain(host)]
    if not _is_path(rest):
        errors.append(invalid(path, rest, regex_error("Invalid path", _PATH)))
    return errors
