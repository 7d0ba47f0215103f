"""The names of operations, tags and definitions, as client generators know them.

Kubernetes: endpoints/openapi (GetOperationIDAndTags), apiextensions' openapi builder (definitions).
"""

from __future__ import annotations

import re

from localplane.apimachinery.groups import GroupVersion

_WORD = re.compile(r"[A-Za-z0-9_]+")


def tag(group_version: GroupVersion) -> str:
    return f"{group_tag(group_version.group)}_{group_version.version}"


def group_tag(group: str) -> str:
    first, *rest = _words(group)
    return first + "".join(map(_capitalized, rest))


def operation_id(verb: str, group_version: GroupVersion, what: str) -> str:
    group = "".join(map(_capitalized, _words(group_version.group)))
    return f"{verb}{group}{_capitalized(group_version.version)}{what}"


def definition(group_version: GroupVersion, kind: str) -> str:
    """What a definition is called that has no name of its own: the group's domain backwards, version and kind."""
    domain = reversed(group_version.group.split("."))
    return ".".join((*(part for part in domain if part), group_version.version, kind))


def title(subresource: str) -> str:
    return _capitalized(subresource)


def _words(group: str) -> list[str]:
    return _WORD.findall((group or "core").removesuffix(".k8s.io"))


def _capitalized(word: str) -> str:
    return word[:1].upper() + word[1:]
