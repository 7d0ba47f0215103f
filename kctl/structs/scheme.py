"""Which kinds kubectl has structs for: those of the API's own groups. Kubernetes: kubectl/pkg/scheme."""

from __future__ import annotations

from localplane.apimachinery.gotext import go_quote

_SCHEME = "k8s.io/kubectl/pkg/scheme/scheme.go:28"
_GROUPS = frozenset(
    (
        *("", "apps", "autoscaling", "batch", "extensions", "policy"),
        *(
            f"{name}.k8s.io"
            for name in (
                *("admission", "admissionregistration", "authentication", "authorization", "certificates"),
                *("coordination", "discovery", "events", "flowcontrol.apiserver", "imagepolicy", "internal.apiserver"),
                *("networking", "node", "rbac.authorization", "resource", "scheduling", "storage", "storagemigration"),
            )
        ),
    )
)


def is_registered(version: str) -> bool:
    """Of an apiVersion."""
    return version.rpartition("/")[0] in _GROUPS


def not_registered(version: str, kind: str) -> str:
    """What kubectl says about a kind that it has no struct for."""
    return f"no kind {go_quote(kind)} is registered for version {go_quote(version)} in scheme {go_quote(_SCHEME)}"
