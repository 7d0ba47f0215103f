"""Who is who: group, version, kind, name and namespace. Kubernetes: kyaml/resid."""

from __future__ import annotations

from typing import NamedTuple

from localplane.apimachinery.golang.text import go_quote

NOWHERE = "_non_namespaceable_"
"""The namespace of what has none."""


class Gvk(NamedTuple):
    """As a selector, an empty part means any."""

    group: str = ""
    version: str = ""
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.kind or '[noKind]'}.{self.version or '[noVer]'}.{self.group or '[noGrp]'}"

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def selected_by(self, selector: Gvk) -> bool:
        return (
            (not selector.kind or self.kind == selector.kind)
            and (not selector.group or self.group == selector.group)
            and (not selector.version or self.version == selector.version)
        )

    @property
    def without_empty(self) -> str:
        return "_".join(part for part in self if part)


def group_version(api_version: str) -> tuple[str, str]:
    group, slash, version = api_version.partition("/")
    return (group, version) if slash else ("", api_version)


class ResId(NamedTuple):
    """`cluster_scoped` if it is certain that the kind has no namespaces."""

    gvk: Gvk
    name: str = ""
    namespace: str = ""
    cluster_scoped: bool = False

    def __str__(self) -> str:
        return f"{self.gvk}/{self.name or '[noName]'}.{self.namespace or '[noNs]'}"

    @property
    def effective_namespace(self) -> str:
        return NOWHERE if self.cluster_scoped else self.namespace or "default"

    def equals(self, other: ResId) -> bool:
        return self.same_but_namespace(other) and self.effective_namespace == other.effective_namespace

    def same_but_namespace(self, other: ResId) -> bool:
        return self.name == other.name and self.gvk == other.gvk

    def selected_by(self, selector: ResId) -> bool:
        return (
            (not selector.name or selector.name == self.name)
            and (not selector.namespace or selector.effective_namespace == self.effective_namespace)
            and self.gvk.selected_by(selector.gvk)
        )

    @property
    def go_syntax(self) -> str:
        """Go's %#v."""
        gvk = self.gvk
        return (
            f"resid.ResId{{Gvk:resid.Gvk{{Group:{go_quote(gvk.group)}, Version:{go_quote(gvk.version)}, "
            f"Kind:{go_quote(gvk.kind)}, isClusterScoped:{str(self.cluster_scoped).lower()}}}, "
            f"Name:{go_quote(self.name)}, Namespace:{go_quote(self.namespace)}}}"
        )
