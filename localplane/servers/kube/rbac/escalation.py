"""Nobody gives away more than they have: asked before roles and bindings are written.

Whoever writes a role must hold all of its rules, or have the verb `escalate` on roles; whoever binds one must hold all
of its rules, or have the verb `bind` on it. Kubernetes: pkg/registry/rbac/escalation_check.go and the storages called
policybased beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from localplane.apimachinery.errors import APIError, Forbidden, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authorization import SYSTEM_MASTERS, Attributes, Authorizer
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import (
    Result,
    Update,
    Updated,
    ValidateCreate,
    WriteOptions,
)
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Request, User
from localplane.apiserver.resource import APIGroup

from .authorizer import RBACAuthorizer, RoleNotFound
from .coverage import TooManyPieces, described, uncovered

GROUP: Final = "rbac.authorization.k8s.io"
_EVERYTHING: Final = (
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
)
_AGGREGATES: Final = "must have cluster-admin privileges to use the aggregationRule"
_MOST_TOLD: Final = 100
_MORE: Final = f"and more: only the first {_MOST_TOLD} are told"
_TOO_MANY: Final = "more RBAC permissions than can be compared with those currently held"
_PLURALS: Final = {"Role": "roles", "ClusterRole": "clusterroles"}


def guarded(group: APIGroup, rbac: RBACAuthorizer, authorizer: Authorizer) -> APIGroup:
    """The group of roles and bindings, with stores that ask. `authorizer` is the whole server's."""
    guards: dict[str, type[_Guard]] = {
        "roles": _RoleGuard,
        "clusterroles": _RoleGuard,
        "rolebindings": _BindingGuard,
        "clusterrolebindings": _BindingGuard,
    }

    def storage(guard: _Guard) -> Callable[[Definition], Store]:
        return lambda definition: _GuardedStore(definition, guard)

    return replace(
        group,
        resources=[
            replace(each, storage=storage(guards[each.plural](GroupResource(GROUP, each.plural), rbac, authorizer)))
            for each in group.resources
        ],
    )


class _Guard:
    def __init__(self, resource: GroupResource, rbac: RBACAuthorizer, authorizer: Authorizer) -> None:
        self.resource = resource
        self._rbac = rbac
        self._authorizer = authorizer

    async def check(self, request: Request, user: User, obj: JSONObject, old: JSONObject) -> None:
        """`old` is empty if there was none. Raises Forbidden, and NotFound for a role that is not there."""
        raise NotImplementedError

    async def _may(self, user: User, verb: str, resource: str, *, name: str, namespace: str) -> bool:
        asked = Attributes(user, verb, group=GROUP, version="*", resource=resource, name=name, namespace=namespace)
        return (await self._authorizer.authorize(asked)).allowed

    async def _missing(self, user: User, namespace: str, rules: Iterable[Mapping[str, Any]]) -> str:
        """What is wrong with giving away these rules; empty if nothing is."""
        granted = await self._rbac.granted(user, namespace)
        groups = f"[{' '.join(map(go_quote, user.groups))}]"
        missing = uncovered([rule.source for rule in granted.rules], rules)
        try:
            lacking = list(islice(missing, _MOST_TOLD + 1))
        except TooManyPieces:
            return f"user {go_quote(user.name)} (groups={groups}) is attempting to grant {_TOO_MANY}"
        if not lacking:
            return ""
        more = [_MORE] if len(lacking) > _MOST_TOLD else []
        told = "\n".join([*described(lacking[:_MOST_TOLD]), *more])
        resolution = f"; resolution errors: [{' '.join(granted.errors)}]" if granted.errors else ""
        return (
            f"user {go_quote(user.name)} (groups={groups}) is attempting to grant RBAC permissions not currently "
            f"held:\n{told}{resolution}"
        )

    def _forbidden(self, obj: JSONObject, why: str) -> Forbidden:
        return Forbidden.of(self.resource, (obj.get("metadata") or {}).get("name", ""), why)


class _RoleGuard(_Guard):
    async def check(self, request: Request, user: User, obj: JSONObject, old: JSONObject) -> None:
        info = request.info
        if await self._may(user, "escalate", self.resource.resource, name=info.name, namespace=info.namespace):
            return
        if old and _changes_only_bookkeeping(obj, old):
            return
        why = await self._missing(user, request.namespace, obj.get("rules") or ())
        if why:
            raise self._forbidden(obj, why)
        if (_aggregates(obj) or _aggregates(old)) and await self._missing(user, request.namespace, _EVERYTHING):
            raise self._forbidden(obj, _AGGREGATES)


class _BindingGuard(_Guard):
    async def check(self, request: Request, user: User, obj: JSONObject, old: JSONObject) -> None:
        if old and _changes_only_bookkeeping(obj, old):
            return
        role = obj.get("roleRef") or {}
        kind, name = role.get("kind", ""), role.get("name", "")
        if kind not in _PLURALS:
            raise APIError(f"unsupported role reference kind: {go_quote(kind)}")
        if not name:
            return  # it is no valid binding, and will be told so
        if await self._may(user, "bind", _PLURALS[kind], name=name, namespace=request.namespace):
            return
        try:
            rules = await self._rbac.rules_of(kind, name, request.namespace)
        except RoleNotFound as error:
            raise NotFound.of(GroupResource(GROUP, _PLURALS[kind]), name) from error
        why = await self._missing(user, request.namespace, [rule.source for rule in rules])
        if why:
            raise self._forbidden(obj, why)


class _GuardedStore(Store):
    """Whoever may do everything anyway is not asked."""

    def __init__(self, definition: Definition, guard: _Guard) -> None:
        super().__init__(definition)
        self._guard = guard

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        if request.user is not None and SYSTEM_MASTERS not in request.user.groups:
            await self._guard.check(request, request.user, obj, {})
        return await super().create(request, obj, validate=validate, options=options)

    async def update(self, request: Request, update: Update) -> Updated:
        async def checked(old: JSONObject) -> JSONObject:
            obj = await update.changed(old)
            if request.user is not None and SYSTEM_MASTERS not in request.user.groups:
                await self._guard.check(request, request.user, obj, old)
            return obj

        return await super().update(request, replace(update, changed=checked))


def _aggregates(role: JSONObject) -> bool:
    return bool((role.get("aggregationRule") or {}).get("clusterRoleSelectors"))


def _changes_only_bookkeeping(obj: JSONObject, old: JSONObject) -> bool:
    """What the garbage collector needs to change. Kubernetes: IsOnlyMutatingGCFields."""

    def rest(one: JSONObject) -> JSONObject:
        ignored = ("ownerReferences", "finalizers", "managedFields", "selfLink")
        kept = {name: value for name, value in (one.get("metadata") or {}).items() if name not in ignored}
        return {**one, "metadata": kept}

    return rest(obj) == rest(old)
