"""From the labels of a namespace to the levels its pods are held to. Kubernetes: pod-security-admission/api."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from localplane.apimachinery.fieldpath import FieldError, Path, invalid

LEVELS: Final = ("privileged", "baseline", "restricted")
"""From the one that allows everything to the strictest."""

_PREFIX: Final = "pod-security.kubernetes.io/"
_LABELS: Final = Path("metadata.labels")
_MODES: Final = ("enforce", "audit", "warn")
_NAMES: Final = {f"{_PREFIX}{mode}{ending}": f"{mode}{ending}" for mode in _MODES for ending in ("", "-version")}
_version: Final = re.compile(r"v1\.(0|[1-9][0-9]*)").fullmatch


@dataclass(frozen=True, slots=True)
class LevelVersion:
    """`minor` is that of Kubernetes 1.x; None is the latest."""

    level: str = "privileged"
    minor: int | None = None

    def __str__(self) -> str:
        return f"{self.level}:{'latest' if self.minor is None else f'v1.{self.minor}'}"

    @property
    def strictness(self) -> int:
        return LEVELS.index(self.level)


@dataclass(frozen=True, slots=True)
class NamespacePolicy:
    enforce: LevelVersion = LevelVersion()
    audit: LevelVersion = LevelVersion()
    warn: LevelVersion = LevelVersion()
    errors: tuple[FieldError, ...] = field(default=())

    @property
    def is_privileged(self) -> bool:
        return not self.errors and all(each.level == LEVELS[0] for each in (self.enforce, self.audit, self.warn))


PRIVILEGED: Final = NamespacePolicy()


def policy_of(labels: Mapping[str, str]) -> NamespacePolicy:
    """There is always one. What can't be read is enforced strictly, and neither audited nor warned of."""
    given = {name: labels[label] for label, name in _NAMES.items() if label in labels}
    if not given:
        return PRIVILEGED
    errors: list[FieldError] = []
    found = {mode: _read(mode, given, errors) for mode in _MODES}
    enforce, warn = found["enforce"], found["warn"]
    # Whoever enforces something is warned of the same, unless they say otherwise.
    if given.get("enforce") in LEVELS and "warn" not in given and enforce.strictness > warn.strictness:
        warn = LevelVersion(enforce.level, warn.minor if "warn-version" in given else enforce.minor)
    return NamespacePolicy(enforce, found["audit"], warn, tuple(errors))


def _read(mode: str, given: Mapping[str, str], errors: list[FieldError]) -> LevelVersion:
    level, minor = given.get(mode, LEVELS[0]), None
    if level not in LEVELS:
        errors.append(invalid(_LABELS[f"{_PREFIX}{mode}"], level, f"must be one of {', '.join(LEVELS)}"))
        level = LEVELS[2] if mode == "enforce" else LEVELS[0]
    version = given.get(f"{mode}-version", "latest")
    if match := _version(version):
        minor = int(match[1])
    elif version != "latest":
        errors.append(invalid(_LABELS[f"{_PREFIX}{mode}-version"], version, 'must be "latest" or "v1.x"'))
    return LevelVersion(level, minor)
