"""What was applied before and is in no file any more. Kubernetes: kubectl/pkg/cmd/apply/prune.go, util/prune."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kctl import program
from kctl.changes.apply import last_applied
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.golang import sources
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import NoMatch
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.options import ListOptions

_NAMESPACED = (
    ("", "v1", "ConfigMap"),
    ("", "v1", "Endpoints"),
    ("", "v1", "PersistentVolumeClaim"),
    ("", "v1", "Pod"),
    ("", "v1", "ReplicationController"),
    ("", "v1", "Secret"),
    ("", "v1", "Service"),
    ("batch", "v1", "Job"),
    ("batch", "v1", "CronJob"),
    ("networking.k8s.io", "v1", "Ingress"),
    ("apps", "v1", "DaemonSet"),
    ("apps", "v1", "Deployment"),
    ("apps", "v1", "ReplicaSet"),
    ("apps", "v1", "StatefulSet"),
)
_CLUSTER_SCOPED = (("", "v1", "Namespace"), ("", "v1", "PersistentVolume"))


class Visited(NamedTuple):
    """What is still there: objects by uid, and the namespaces that files speak of."""

    uids: set[str]
    namespaces: set[str]


async def prunable_types(session: Session, allowed: Sequence[str]) -> list[RESTMapping]:
    """What --prune-allowlist names, or what kubectl prunes without it. Raises KctlError."""
    names = [_split(text) for text in allowed]
    if not names:
        session.log_warning(
            f"Deprecated: {program.name()} apply will no longer prune non-namespaced resources by default when used "
            "with the --namespace flag in a future release. To preserve the current behaviour, list the resources you "
            "want to target explicitly in the --prune-allowlist flag.",
            place=sources.PRUNING_EVERYTHING,
        )
        names = [*_NAMESPACED, *_CLUSTER_SCOPED]
    found = []
    for group, version, kind in names:
        try:
            found.append(await session.discovery.mapping(GroupKind(group, kind), version))
        except NoMatch as error:
            if allowed:
                raise KctlError(str(error)) from error
    return found


def _split(text: str) -> tuple[str, str, str]:
    parts = text.split("/")
    if len(parts) != 3:
        raise KctlError(f"invalid GroupVersionKind format: {text}, please follow <group/version/kind>")
    return ("" if parts[0] == "core" else parts[0]), parts[1], parts[2]


async def prunable(session: Session, types: Sequence[RESTMapping], selector: str, visited: Visited) -> list[Prunable]:
    """Everything that was applied once, matches, and was not visited now."""
    found = []
    places = [(mapping, name) for name in sorted(visited.namespaces) for mapping in types if mapping.namespaced]
    places += [(mapping, "") for mapping in types if not mapping.namespaced]
    for mapping, namespace in places:
        listed = await session.client.resource(mapping.resource, namespace).list(ListOptions(label_selector=selector))
        for obj in listed.get("items") or ():
            uid = (obj.get("metadata") or {}).get("uid")
            if last_applied.original(obj) is not None and uid not in visited.uids:
                found.append(Prunable(mapping, namespace, obj))
    return found


class Prunable(NamedTuple):
    mapping: RESTMapping
    namespace: str
    object: JSONObject

    @property
    def name(self) -> str:
        return str(self.object["metadata"]["name"])
