"""Groups, versions, kinds and resources: the names of everything in the API."""

from __future__ import annotations

import re

from .records import record


@record
class GroupVersion:
    """The core group is the empty string, and its versions are written without a slash."""

    group: str
    version: str

    @classmethod
    def parse(cls, text: str) -> GroupVersion:
        """An apiVersion. Raises ValueError, in Kubernetes' words, when there is more than one slash."""
        group, slash, version = text.rpartition("/")
        if "/" in group:
            raise ValueError(f"unexpected GroupVersion string: {text}")
        return cls(group if slash else "", version)

    def __str__(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def kind(self, kind: str) -> GroupVersionKind:
        return GroupVersionKind(self.group, self.version, kind)


@record
class GroupVersionKind:
    group: str
    version: str
    kind: str

    @property
    def group_version(self) -> GroupVersion:
        return GroupVersion(self.group, self.version)

    @property
    def group_kind(self) -> GroupKind:
        return GroupKind(self.group, self.kind)

    def __str__(self) -> str:
        """Go's form, which some messages quote."""
        return f"{self.group}/{self.version}, Kind={self.kind}"


@record
class GroupKind:
    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


@record
class GroupResource:
    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


_KUBE_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STABILITY = {"alpha": 0, "beta": 1, None: 2}


def version_priority(version: str) -> tuple[int, int, int, int]:
    """A sort key: the greater, the better. v2 > v1 > v2beta1 > v1beta2 > v1alpha1 > anything else.

    Names that are no Kubernetes versions compare as equal; sort them by name first.
    """
    match = _KUBE_VERSION.fullmatch(version)
    if match is None:
        return (0, 0, 0, 0)
    major, stability, minor = match.groups()
    return (1, _STABILITY[stability], int(major), int(minor or 0))


def by_priority(versions: list[str]) -> list[str]:
    """The best version first."""
    return sorted(sorted(versions), key=version_priority, reverse=True)
