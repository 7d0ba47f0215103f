"""Cluster roles that are made of others: `admin`, `edit` and `view` get their rules here.

Kubernetes: pkg/controller/clusterroleaggregation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, everything, selector_of
from localplane.client import Client, GroupVersionResource, Lister, PatchType, WorkQueue
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import NotYet, hearing, work

_CLUSTER_ROLES: Final = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")
_NAME: Final = "clusterrole-aggregation-controller"


async def start(context: ControllerContext) -> None:
    client = context.client_of(_NAME)
    queue = WorkQueue[str]()
    roles = context.informers.informer(_CLUSTER_ROLES)
    await roles.wait_for_sync()

    def hear(_: JSONObject) -> None:
        """Who is made of whom is not known beforehand, and there are few that are made of others."""
        for role in roles.lister.list():
            if role.get("aggregationRule") is not None:
                queue.add(role["metadata"]["name"])

    with hearing(roles, hear):
        await work(queue, _Controller(client, roles.lister).sync)


class _Controller:
    def __init__(self, client: Client, roles: Lister) -> None:
        self._roles = roles
        self._client = client

    async def sync(self, name: str) -> None:
        role = self._roles.get(name)
        if role is None or role.get("aggregationRule") is None:
            return
        rules = aggregated_rules(role, self._roles.list())
        if rules == (role.get("rules") or []):
            return
        applied = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": name},
            "rules": rules,
        }
        roles = self._client.resource(_CLUSTER_ROLES)
        await roles.patch(name, applied, PatchType.APPLY, field_manager=_NAME, force=True)


def aggregated_rules(role: Mapping[str, Any], roles: Iterable[JSONObject]) -> list[JSONObject]:
    """The rules of all that the role selects, by selector and then by name, each once. Raises NotYet."""
    by_name = sorted(roles, key=lambda other: str(other["metadata"]["name"]))
    rules: list[JSONObject] = []
    for wanted in role["aggregationRule"].get("clusterRoleSelectors") or ():
        selector = _selector(wanted)
        for other in by_name:
            if other["metadata"]["name"] != role["metadata"]["name"] and selector.matches(_labels(other)):
                rules += [rule for rule in other.get("rules") or () if rule not in rules]
    return rules


def _labels(role: Mapping[str, Any]) -> Mapping[str, str]:
    labels: Mapping[str, str] = role["metadata"].get("labels") or {}
    return labels


def _selector(wanted: Mapping[str, Any]) -> Selector:
    try:
        return selector_of(wanted) or everything
    except InvalidSelector as error:
        raise NotYet(f"a selector of cluster roles can't be read: {error}") from error
