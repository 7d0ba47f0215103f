"""The objects that a rollout command means, and the flags that say so.

What a set looked like before. Kubernetes: polymorphichelpers/history.go, util/deployment.
"""

from __future__ import annotations

import re

from kctl.command_line import standard_flags
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.objects import Info, Query, Result, resolve
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors import labels
from localplane.client.rest import options, resources
from localplane.client.rest.names import GroupVersionResource

FLAGS = (
    standard_flags.SELECTOR,
    *standard_flags.filename_flags("that name the workloads."),
)


def require_resource(flags: FlagSet) -> None:
    if not flags.arguments and not flags.texts("filename") and not flags.text("kustomize"):
        raise KctlError("required resource not specified")


async def find(session: Session, flags: FlagSet) -> Result:
    query = Query.of(flags)._replace(types_alone=True, latest=True, keep_going=True, flatten=True, typed=True)
    return await resolve(session, query)


REVISION = "deployment.kubernetes.io/revision"
CHANGE_CAUSE = "kubernetes.io/change-cause"
_HASH = "pod-template-hash"


async def replica_sets(info: Info, deployment: JSONObject) -> list[JSONObject]:
    """Those of a deployment: the old ones from old to new, and last the one that is like the deployment now."""
    owned = sorted(await _owned(info, deployment, "replicasets"), key=_age)
    template = without_hash(deployment["spec"]["template"])
    current = next((one for one in owned if without_hash(one["spec"]["template"]) == template), None)
    return [*(one for one in owned if one is not current), *([current] if current is not None else [])]


def _age(obj: JSONObject) -> tuple[str, str]:
    return obj["metadata"].get("creationTimestamp", ""), obj["metadata"]["name"]


async def controller_revisions(info: Info, owner: JSONObject) -> list[JSONObject]:
    """Those of a daemon set or stateful set, in order."""
    found = await _owned(info, owner, "controllerrevisions")
    return sorted(found, key=lambda one: int(one.get("revision") or 0))


async def _owned(info: Info, owner: JSONObject, resource: str) -> list[JSONObject]:
    selector = labels.selector_text(owner["spec"].get("selector"), none="")
    client: resources.ResourceClient = info.session.client.resource(
        GroupVersionResource("apps", "v1", resource), info.namespace
    )
    listed = await client.list(options.ListOptions(label_selector=selector))
    uid = owner["metadata"].get("uid")
    return [one for one in listed.get("items") or () if _is_controlled(one, uid)]


def _is_controlled(obj: JSONObject, uid: str) -> bool:
    owners = obj["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner.get("uid") == uid for owner in owners)


def without_hash(template: JSONObject) -> JSONObject:
    metadata = template.get("metadata") or {}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != _HASH}
    kept = {key: value for key, value in metadata.items() if key != "labels" and value}
    return {**template, "metadata": {**kept, "labels": labels} if labels else kept}


def revision_of(replica_set: JSONObject) -> int | None:
    """What the deployment controller has noted; None for what is no number."""
    text = str((replica_set["metadata"].get("annotations") or {}).get(REVISION, "0"))
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else None


def _warn_of(info: Info, replica_set: JSONObject) -> None:
    text = replica_set["metadata"]["annotations"][REVISION]
    info.session.log_warning(
        f"unable to get revision from replicaset {replica_set['metadata']['name']} for deployment {info.name} "
        f"in namespace {info.namespace}: strconv.ParseInt: parsing {go_quote(text)}: invalid syntax"
    )


def change_cause(obj: JSONObject) -> str:
    return str((obj["metadata"].get("annotations") or {}).get(CHANGE_CAUSE) or "")


def applied(owner: JSONObject, revision: JSONObject) -> JSONObject:
    """The set as it was: a revision holds its template as a patch that replaces it."""
    template = ((revision.get("data") or {}).get("spec") or {}).get("template")
    if template is None:
        raise KctlError(f"unable to parse history {revision['metadata']['name']}")
    kept = {key: value for key, value in template.items() if key != "$patch"}
    return {**owner, "spec": {**owner["spec"], "template": kept}}


class History:
    """By number: the template, the whole object, and why it was changed."""

    def __init__(self) -> None:
        self.templates: dict[int, JSONObject] = {}
        self.objects: dict[int, JSONObject] = {}
        self.causes: dict[int, str] = {}

    def add(self, number: int, template: JSONObject, obj: JSONObject, cause: str) -> None:
        self.templates[number] = template
        self.objects[number] = obj
        self.causes[number] = cause


async def history(info: Info) -> History:
    """Raises KctlError for kinds without one."""
    kind = info.rest_mapping.kind
    found = History()
    owner = info.object or {}
    match kind.group, kind.kind:
        case "apps", "Deployment":
            for one in await replica_sets(info, owner):
                number = revision_of(one)
                if number is not None:
                    found.add(number, _with_cause(one), one, change_cause(one))
                else:
                    _warn_of(info, one)
        case "apps", "DaemonSet" | "StatefulSet":
            for one in await controller_revisions(info, owner):
                whole = applied(owner, one)
                found.add(int(one.get("revision") or 0), whole["spec"]["template"], whole, change_cause(one))
        case _:
            raise not_for(kind, "history viewer", "history")
    return found


def not_for(kind: GroupVersionKind, tool: str, short: str) -> KctlError:
    """Kubernetes: kubectl/pkg/apps, GroupKindElement.Accept, which knows more kinds than have a history."""
    shown = go_quote(f"{kind.kind}.{kind.group}" if kind.group else kind.kind)
    if (kind.group, kind.kind) in _KNOWN:
        return KctlError(f"no {tool} has been implemented for {shown}")
    return KctlError(f"error retrieving {short} for {shown}, no visitor method exists for {{{kind.group} {kind.kind}}}")


_KNOWN = (
    ("batch", "Job"),
    ("", "Pod"),
    ("apps", "ReplicaSet"),
    ("", "ReplicationController"),
    ("batch", "CronJob"),
)


def _with_cause(replica_set: JSONObject) -> JSONObject:
    template: JSONObject = replica_set["spec"]["template"]
    cause = change_cause(replica_set)
    if not cause:
        return template
    metadata = template.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), CHANGE_CAUSE: cause}
    return {**template, "metadata": {**metadata, "annotations": annotations}}
