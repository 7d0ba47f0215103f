"""What is documented beside group versions: discovery of all groups and of each, the server's version and its keys.

Kubernetes: endpoints/discovery (root.go, group.go, legacy.go), server/routes (version.go, openidmetadata.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.endpoints.discovery.model import InstalledGroup

from . import names as naming
from .operations import DISCOVERY_TYPES, answered
from .words import META, VERSION_INFO, ref


@dataclass(frozen=True, slots=True)
class RootPath:
    """One path that is read, and belongs to no group version. `path` is its name in the index."""

    path: str
    operation: JSONObject

    @property
    def paths(self) -> JSONObject:
        return {f"/{self.path}/": {"get": self.operation}}


BESIDE_GROUPS: Final = (
    RootPath(
        ".well-known/openid-configuration",
        answered(
            "WellKnown",
            "Read where the issuer of service account tokens has its keys.",
            "getServiceAccountIssuerOpenIDConfiguration",
            {"type": "string"},
            ("application/json",),
        ),
    ),
    RootPath(
        "openid/v1/jwks",
        answered(
            "openid",
            "Read the public keys with which tokens of service accounts are verified.",
            "getServiceAccountIssuerOpenIDKeyset",
            {"type": "string"},
            ("application/jwk-set+json",),
        ),
    ),
    RootPath(
        "version",
        answered(
            "version",
            "Read which version of Kubernetes' API the server speaks.",
            "getCodeVersion",
            ref(VERSION_INFO),
            ("application/json",),
        ),
    ),
)
"""What a whole server answers, whichever groups it has."""


def of_groups(groups: Sequence[InstalledGroup]) -> Iterator[RootPath]:
    """Groups that only definitions made have no document of their own."""
    if any(not group.name for group in groups):
        yield _discovery("api", "core", "List the versions of the core group.", "getCoreAPIVersions", "APIVersions")
    if any(group.name for group in groups):
        yield _discovery("apis", "apis", "List all groups.", "getAPIVersions", "APIGroupList")
    for group in groups:
        if group.name and not all(version.custom for version in group.versions):
            words = naming.group_tag(group.name)
            identifier = f"get{naming.title(words)}APIGroup"
            yield _discovery(f"apis/{group.name}", words, "List the versions of this group.", identifier, "APIGroup")


def _discovery(path: str, tag: str, description: str, identifier: str, kind: str) -> RootPath:
    return RootPath(path, answered(tag, description, identifier, ref(f"{META}{kind}"), DISCOVERY_TYPES))
