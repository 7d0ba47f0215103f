"""What names may look like, and Kubernetes' sentences about those that don't.

Each check returns the problems found, none for a good name. Lengths are counted in bytes, though half of the sentences
say characters: the wording differs between k8s.io/apimachinery/pkg/util/validation and its younger sibling
pkg/api/validate/content, and clients see both. A name validator takes the name and `prefix`, which is True when
something will be appended to it.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from typing import Protocol

from .memoization import remembered


class NameValidator(Protocol):
    def __call__(self, name: str, /, *, prefix: bool = False) -> list[str]: ...


_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_DNS1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_KEY})?"
_CONFIG_KEY = "[-._a-zA-Z0-9]+"

_is_label = re.compile(_LABEL).fullmatch
_is_subdomain = re.compile(_SUBDOMAIN).fullmatch
_is_dns1035 = re.compile(_DNS1035).fullmatch
_is_key = re.compile(_KEY).fullmatch
_is_value = re.compile(_VALUE).fullmatch

_LABEL_MAX = 63
_SUBDOMAIN_MAX = 253


def size(text: str) -> int:
    """The length of a text in UTF-8, which is what Go's len counts."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def max_length_error(limit: int, unit: str = "characters") -> str:
    return f"must be no more than {limit} {unit}"


def regex_error(message: str, pattern: str, *examples: str) -> str:
    """What is wrong, what would be right, and the pattern that decided it (commas as Kubernetes sets them)."""
    if not examples:
        return f"{message} (regex used for validation is '{pattern}')"
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {shown}regex used for validation is '{pattern}')"


_SUBDOMAIN_ERROR = regex_error(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character",
    _SUBDOMAIN,
    "example.com",
)
_LABEL_ERROR = regex_error(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character",
    _LABEL,
    "my-name",
    "123-abc",
)
_DNS1035_ERROR = regex_error(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character",
    _DNS1035,
    "my-name",
    "abc-123",
)
_KEY_ERROR = regex_error(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    _KEY,
    "MyName",
    "my.name",
    "123-abc",
)
_VALUE_ERROR = regex_error(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character",
    _VALUE,
    "MyValue",
    "my_value",
    "12345",
)


def dns1123_subdomain(name: str, /, *, prefix: bool = False) -> list[str]:
    return _subdomain(_masked(name) if prefix else name, unit="characters")


def _subdomain(name: str, *, unit: str) -> list[str]:
    problems = [max_length_error(_SUBDOMAIN_MAX, unit)] if size(name) > _SUBDOMAIN_MAX else []
    if not _is_subdomain(name):
        problems.append(_SUBDOMAIN_ERROR)
    return problems


def dns1123_label(name: str, /, *, prefix: bool = False) -> list[str]:
    name = _masked(name) if prefix else name
    problems = [max_length_error(_LABEL_MAX)] if size(name) > _LABEL_MAX else []
    if not _is_label(name):
        problems.append("must not contain dots" if _is_subdomain(name) else _LABEL_ERROR)
    return problems


def dns1035_label(name: str, /, *, prefix: bool = False) -> list[str]:
    name = _masked(name) if prefix else name
    problems = [max_length_error(_LABEL_MAX)] if size(name) > _LABEL_MAX else []
    if not _is_dns1035(name):
        problems.append(_DNS1035_ERROR)
    return problems


def _masked(name: str) -> str:
    """A prefix may end in a dash. Kubernetes forgives it together with the byte before, and so do we."""
    if len(name) > 1 and name.endswith("-"):
        return name.encode("utf-8", "surrogatepass")[:-2].decode(errors="replace") + "a"
    return name


def path_segment_name(name: str, /, *, prefix: bool = False) -> list[str]:
    """The least a name must be: one segment of a URL and of a storage key."""
    if name in (".", "..") and not prefix:
        return [f"may not be '{name}'"]
    return [f"may not contain '{illegal}'" for illegal in ("/", "%") if illegal in name]


def qualified_name(name: str, /) -> list[str]:
    """A label key, a finalizer, a condition type: `name` or `prefix.example.com/name`."""
    return list(_qualified_name(name))


@remembered  # every object has a few, and they are always the same
def _qualified_name(name: str) -> Sequence[str]:
    prefix, slash, rest = name.partition("/")
    if "/" in rest:
        return [
            f"a valid label key {_KEY_ERROR} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    if not slash:
        prefix, rest = "", name
    problems = []
    if slash and not prefix:
        problems.append("prefix part must be non-empty")
    elif slash:
        problems += [f"prefix part {problem}" for problem in _subdomain(prefix, unit="bytes")]
    if not rest:
        problems.append("name part must be non-empty")
    elif size(rest) > _LABEL_MAX:
        problems.append(f"name part {max_length_error(_LABEL_MAX, 'bytes')}")
    if not _is_key(rest):
        problems.append(f"name part {_KEY_ERROR}")
    return problems


def annotation_key(key: str, /) -> list[str]:
    """A qualified name whose prefix may be written in any case."""
    return qualified_name(key.lower())


def label_value(value: str, /) -> list[str]:
    return list(_label_value(value))


@remembered
def _label_value(value: str) -> Sequence[str]:
    problems = [max_length_error(_LABEL_MAX, "bytes")] if size(value) > _LABEL_MAX else []
    if not _is_value(value):
        problems.append(_VALUE_ERROR)
    return problems


_STANDARD_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})


def config_map_key(key: str, /) -> list[str]:
    """A key of a ConfigMap or Secret, which becomes a file's name. Kubernetes: IsConfigMapKey."""
    problems = [max_length_error(_SUBDOMAIN_MAX)] if size(key) > _SUBDOMAIN_MAX else []
    if not re.fullmatch(_CONFIG_KEY, key):
        message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        problems.append(regex_error(message, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    if key in (".", ".."):
        problems.append(f"must not be '{key}'")
    elif key.startswith(".."):
        problems.append("must not start with '..'")
    return problems


def kube_finalizer_name(name: str, /) -> list[str]:
    """What built-in kinds ask of a finalizer beside being a qualified name."""
    if "/" in name or name in _STANDARD_FINALIZERS:
        return []
    return ["name is neither a standard finalizer name nor is it fully qualified"]


_SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # no vowels, and nothing that looks like one: no words by accident
_SUFFIX_LENGTH = 5
_GENERATED_MAX = 63


def generate_uid() -> str:
    """A UUID of version 4, in a third of the time that the uuid module takes: every request and object has one."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def generate_name(base: str) -> str:
    """The base with a random suffix, cut so that the whole fits a DNS label."""
    kept = base.encode("utf-8", "surrogatepass")[: _GENERATED_MAX - _SUFFIX_LENGTH].decode(errors="ignore")
    return kept + "".join(secrets.choice(_SUFFIX_ALPHABET) for _ in range(_SUFFIX_LENGTH))
