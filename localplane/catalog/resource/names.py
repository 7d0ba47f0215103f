"""Names of drivers, pools and attributes. Some fields' rules are declared by tags, whose words differ.

Kubernetes: pkg/apis/resource/validation, and apimachinery/pkg/api/validate/strfmt.go for what is declared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required, too_long, too_long_characters
from localplane.apimachinery.names import dns1123_subdomain, max_length_error, qualified_name, regex_error, size
from localplane.catalog.core.pods.validation.volume_sources import csi_driver_errors
from localplane.catalog.validation.declared import long_name_errors

_DRIVER_MAX, _POOL_MAX, _ID_MAX = 63, 253, 32
_SUBDOMAIN_MAX = 253
_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"
_NO_DOMAIN = "a fully qualified name must be a domain and a name separated by a slash"

_is_caseless_subdomain = re.compile(_SUBDOMAIN, re.IGNORECASE).fullmatch
_is_identifier = re.compile(_IDENTIFIER).fullmatch
_is_uuid = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch

driver_errors = csi_driver_errors


def declared_driver_errors(name: str, path: Path) -> Iterator[FieldError]:
    if not name:
        yield required(path)
        return
    if size(name) > _SUBDOMAIN_MAX:
        yield invalid(path, name, max_length_error(_SUBDOMAIN_MAX, "bytes"))
    if not _is_caseless_subdomain(name):
        detail = (
            "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an "
            "alphanumeric character"
        )
        yield invalid(path, name, regex_error(detail, _SUBDOMAIN, "Example.com"))
    if len(name) > _DRIVER_MAX:
        yield too_long_characters(path, _DRIVER_MAX)


def pool_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Subdomains, separated by slashes."""
    if not name:
        yield required(path)
        return
    if size(name) > _POOL_MAX:
        yield too_long(path, _POOL_MAX)
    for part in name.split("/"):
        yield from (invalid(path, part, problem) for problem in dns1123_subdomain(part))


def declared_pool_errors(name: str, path: Path) -> Iterator[FieldError]:
    if not name:
        yield required(path)
        return
    if size(name) > _POOL_MAX:
        yield too_long(path, _POOL_MAX)
    for index, part in enumerate(name.split("/")):
        if not part:
            yield invalid(path, name, f"segment {index}: must not be empty")
        else:
            yield from _prefixed(f"segment {index}: ", long_name_errors(part, path))


def _prefixed(prefix: str, errors: list[FieldError]) -> Iterator[FieldError]:
    return (replace(error, detail=prefix + error.detail) for error in errors)


def qualified_name_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Of an attribute or a capacity: an identifier, perhaps with a domain before it. Kubernetes accepts whatever has
    more than one slash."""
    domain, slash, rest = name.rpartition("/")
    if name.count("/") > 1:
        return
    if slash and not domain:
        yield invalid(path, "", "the domain must not be empty")
    elif slash:
        yield from driver_errors(domain, path)
    if slash and not rest:
        yield invalid(path, "", "the name must not be empty")
    else:
        yield from _identifier_errors(rest, path)


def declared_full_name_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Of an attribute that a constraint speaks of, with its domain."""
    domain, slash, rest = name.rpartition("/")
    if not slash:
        yield from _identifier_errors(name, path)
        yield invalid(path, name, _NO_DOMAIN)
    if name.count("/") != 1:
        return
    if not domain:
        yield invalid(path, "", "prefix must not be empty")
    else:
        if size(domain) > _DRIVER_MAX:
            yield too_long(path, _DRIVER_MAX)
        yield from _prefixed("prefix: ", long_name_errors(domain, path))
    if not rest:
        yield invalid(path, "", "name must not be empty")
    else:
        yield from _identifier_errors(rest, path)


def _identifier_errors(name: str, path: Path) -> Iterator[FieldError]:
    if size(name) > _ID_MAX:
        yield too_long(path, _ID_MAX)
    if not _is_identifier(name):
        detail = (
            "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
            "characters or '_'"
        )
        yield invalid(path, name, regex_error(detail, _IDENTIFIER, "my_name", "MY_NAME", "MyName"))


def share_errors(share: str, path: Path) -> Iterator[FieldError]:
    if not _is_uuid(share):
        yield invalid(path, share, "must be a lowercase UUID in 8-4-4-4-12 format")


def extended_resource_errors(name: str, path: Path) -> Iterator[FieldError]:
    """The format k8s-extended-resource-name."""
    if "/" not in name:
        yield invalid(path, name, "a name must be a domain-prefixed path, such as 'example.com/my-prop'")
    elif "kubernetes.io/" in name:
        yield invalid(path, name, 'must not have "kubernetes.io/" domain')
    if name.startswith("requests."):
        yield invalid(path, name, 'must not have "requests." prefix')
    yield from (invalid(path, name, problem) for problem in qualified_name(f"requests.{name}"))
