"""PodSecurity: refuses pods, warns of templates, and of pods that are there when a level is raised.

What is audited is not told anywhere yet: audit events have no annotations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from localplane.apimachinery.errors import Forbidden, InternalError, Invalid
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import (
    PODS,
    WRITES,
    LookingPlugin,
    SelectivePlugin,
    metadata,
    spec,
    written,
)

from .checks import violations
from .levels import LevelVersion, NamespacePolicy, policy_of
from .violations import Violation

_NAMESPACES: Final = GroupResource("", "namespaces")
_TEMPLATES: Final = {
    GroupResource("", "replicationcontrollers"): ("spec", "template"),
    GroupResource("", "podtemplates"): ("template",),
    GroupResource("apps", "replicasets"): ("spec", "template"),
    GroupResource("apps", "deployments"): ("spec", "template"),
    GroupResource("apps", "statefulsets"): ("spec", "template"),
    GroupResource("apps", "daemonsets"): ("spec", "template"),
    GroupResource("batch", "jobs"): ("spec", "template"),
    GroupResource("batch", "cronjobs"): ("spec", "jobTemplate", "spec", "template"),
}
_IGNORED: Final = frozenset({"exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"})
_MOST_PODS: Final = 3000


class PodSecurity(LookingPlugin, SelectivePlugin):
    name = "PodSecurity"
    operations = WRITES
    resources = (PODS, _NAMESPACES, *_TEMPLATES)

    async def validate(self, attributes: Attributes) -> None:
        if attributes.resource == PODS:
            await self._validate_pod(attributes)
        elif attributes.subresource:
            return
        elif attributes.resource == _NAMESPACES:
            await self._validate_namespace(attributes)
        else:
            await self._validate_template(attributes)

    async def _validate_pod(self, attributes: Attributes) -> None:
        if attributes.subresource in _IGNORED:
            return
        policy = await self._policy(attributes)
        if policy is None:
            raise InternalError.of(f"failed to lookup namespace {go_quote(attributes.namespace)}")
        pod, old = written(attributes), attributes.old_object
        if policy.is_privileged:
            return
        if attributes.operation is Operation.UPDATE and old is not None and not _is_significant(spec(pod), spec(old)):
            return
        found = violations(policy.enforce, metadata(pod), spec(pod))
        if found:
            why = f"violates PodSecurity {go_quote(str(policy.enforce))}: {_told(found)}"
            raise Forbidden.of(attributes.resource, attributes.name, why)
        _warn(attributes, policy.warn, metadata(pod), spec(pod))

    async def _validate_template(self, attributes: Attributes) -> None:
        policy = await self._policy(attributes)
        template = _template(written(attributes), _TEMPLATES[attributes.resource])
        if policy is not None and template is not None:
            _warn(attributes, policy.warn, template.get("metadata") or {}, template.get("spec") or {})

    async def _validate_namespace(self, attributes: Attributes) -> None:
        namespace, old = written(attributes), attributes.old_object
        policy = _labelled(namespace)
        before = None if old is None else _labelled(old)
        if policy.errors and (before is None or policy.errors != before.errors):
            raise Invalid.of(attributes.kind.group_kind, attributes.name, policy.errors)
        if before is None or not _is_raised(before.enforce, policy.enforce):
            return
        pods = await self.objects.list("pods", attributes.name)
        attributes.warnings.extend(_namespace_warnings(attributes.name, policy.enforce, pods))

    async def _policy(self, attributes: Attributes) -> NamespacePolicy | None:
        namespace = await self.objects.get("namespaces", "", attributes.namespace)
        return None if namespace is None else _labelled(namespace)


def _labelled(namespace: JSONObject) -> NamespacePolicy:
    return policy_of(metadata(namespace).get("labels") or {})


def _told(found: list[Violation]) -> str:
    return ", ".join(map(str, found))


def _warn(attributes: Attributes, level: LevelVersion, about: JSONObject, pod: JSONObject) -> None:
    found = violations(level, about, pod)
    if found:
        attributes.warnings.append(f"would violate PodSecurity {go_quote(str(level))}: {_told(found)}")


def _template(obj: JSONObject, path: tuple[str, ...]) -> JSONObject | None:
    found: JSONObject | None = obj
    for name in path:
        found = (found or {}).get(name)
    return found


def _is_significant(pod: JSONObject, old: JSONObject) -> bool:
    """Whether containers come or change their images: of what may change, only that matters."""
    for name in ("containers", "initContainers"):
        images, before = ([each.get("image") for each in one.get(name) or ()] for one in (pod, old))
        if images != before:
            return True
    there = {each.get("name"): each.get("image") for each in old.get("ephemeralContainers") or ()}
    return any(
        each.get("name") not in there or there[each["name"]] != each.get("image")
        for each in pod.get("ephemeralContainers") or ()
    )


def _is_raised(before: LevelVersion, after: LevelVersion) -> bool:
    if before == after or after.level == "privileged":
        return False
    return before.minor != after.minor or after.strictness > before.strictness


def _namespace_warnings(namespace: str, level: LevelVersion, pods: list[JSONObject]) -> Iterator[str]:
    """One line for all pods that violate the same, under the name of the first of them."""
    checked = _one_of_each_first(pods)[:_MOST_PODS]
    by_reason: dict[str, list[str]] = {}
    for pod in checked:
        found = violations(level, metadata(pod), spec(pod))
        if found:
            reasons = ", ".join(violation.reason for violation in found)
            by_reason.setdefault(reasons, []).append(metadata(pod)["name"])
    if len(checked) < len(pods):
        yield (
            f"new PodSecurity enforce level only checked against the first {len(checked)} of {len(pods)} existing pods"
        )
    if by_reason:
        violated = f"violate the new PodSecurity enforce level {go_quote(str(level))}"
        yield f"existing pods in namespace {go_quote(namespace)} {violated}"
    yield from sorted(f"{_first(names)}: {reasons}" for reasons, names in by_reason.items())


def _one_of_each_first(pods: list[JSONObject]) -> list[JSONObject]:
    """Pods of the same controller are alike, so one of them comes before the rest of them."""
    first: list[JSONObject] = []
    others: list[JSONObject] = []
    seen: set[str] = set()
    for pod in pods:
        owners = metadata(pod).get("ownerReferences") or ()
        controller = next((owner.get("uid", "") for owner in owners if owner.get("controller")), "")
        (others if controller in seen else first).append(pod)
        if controller:
            seen.add(controller)
    return [*first, *others]


def _first(names: list[str]) -> str:
    others = len(names) - 1
    if not others:
        return names[0]
    return f"{min(names)} (and {others} other {'pod' if others == 1 else 'pods'})"
