"""What Kubernetes' registry of Go types says of a kind."""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.golang.sources import SERVER_SCHEME
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupVersion

from .interface import ServedKind

# Kubernetes names the place in its source where the registry is made, and clients have seen it for years.


UNVERSIONED_KINDS: Final = frozenset({"Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList"})
"""What may call itself of any version. Kubernetes: apimachinery/pkg/runtime, Scheme.AddUnversionedTypes."""

OPTION_KINDS: Final = frozenset(
    {"WatchEvent", "ListOptions", "GetOptions", "DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions"}
)
"""What each version has of its own. Kubernetes: apis/meta/v1, AddToGroupVersion."""


def hub_type(group: str, kind: str) -> str:
    """What Kubernetes calls a hub type: its package, and its name."""
    return f"{group.partition('.')[0] or 'core'}.{kind}"


def why_not(served: ServedKind, kind: str, version: GroupVersion) -> str:
    """Why an object of another kind can't be read as one of the kind that is served."""
    if served.is_known(version, kind):
        hub = hub_type(served.group_version.group, served.kind)
        package = "v1" if kind in UNVERSIONED_KINDS or kind in OPTION_KINDS else version.version
        return f"converting ({package}.{kind}) to ({hub}): unknown conversion"
    return f'no kind {go_quote(kind)} is registered for version {go_quote(str(version))} in scheme "{SERVER_SCHEME}"'
