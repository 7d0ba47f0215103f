"""What these verbs share: flags that have to be there, metadata, the request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def require(given: Given, *names: str) -> None:
    """Flags that have to be there are complained about before anything else, as cobra does."""
    if missing := [f'"{name}"' for name in sorted(names) if not given.changed(name)]:
        raise KctlError(f"required flag(s) {', '.join(missing)} not set")


def metadata(session: Session, name: str) -> JSONObject:
    """The namespace is only said where the user said it."""
    return {"name": name, "namespace": session.namespace} if session.namespace_is_explicit else {"name": name}


def save_configuration(obj: JSONObject, *, asked: bool) -> None:
    """Remember the object in its own annotation, for a later apply, if that is asked for or it does so already.
    Kubernetes: util.CreateOrUpdateAnnotation."""
    from kctl.structs import encoded
    from localplane.apimachinery.gotext import go_json

    described = obj["metadata"]
    annotations = dict(described.get("annotations") or {})
    if annotations.pop(LAST_APPLIED, None) is None and not asked:
        return
    bare = {**obj, "metadata": {**described, "annotations": annotations}}
    annotations[LAST_APPLIED] = go_json(encoded(bare)) + "\n"
    described["annotations"] = dict(sorted(annotations.items()))


async def send(session: Session, given: Given, obj: JSONObject, resource: str, *, dry_run: bool) -> JSONObject:
    """Create it on the server, in the namespace that we are in. Raises APIError."""
    from localplane.client.names import GroupVersionResource

    group, _, version = str(obj["apiVersion"]).rpartition("/")
    client = session.client.resource(GroupVersionResource(group, version, resource), session.namespace)
    return await client.create(obj, dry_run=dry_run, field_manager=given.text("field-manager"))
