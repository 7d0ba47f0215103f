"""Which kinds a client has Go types for: those of the API's own groups. Kubernetes: client-go/kubernetes/scheme."""

from __future__ import annotations

from localplane.apimachinery.golang.sources import CLIENT_SCHEME
from localplane.apimachinery.golang.text import go_quote

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


def is_registered(api_version: str) -> bool:
    return api_version.rpartition("/")[0] in _GROUPS


def not_registered(api_version: str, kind: str) -> str:
    """What kubectl says about a kind that it has no type for."""
    return f'no kind {go_quote(kind)} is registered for version {go_quote(api_version)} in scheme "{CLIENT_SCHEME}"'
