"""Ways in which somebody may be allowed to act as somebody else.

The constrained ones come first: each asks whether the requestor may do what the request does while impersonating in
this mode (`impersonate-on:<mode>:<verb>`), and whether it may be this user in this mode (`impersonate:<mode>`). The
old one asks only whether it may be this user (`impersonate`). The first that allows it wins; if none does, the first
refusal is told. Kubernetes: endpoints/filters/impersonation/mode.go, without its caches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.fieldpath import FieldError, aggregate, invalid
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import dns1123_subdomain, regex_error
from localplane.apiserver.authentication import ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED
from localplane.apiserver.authentication.service_accounts import groups_of, split_username
from localplane.apiserver.authorization import (
    SYSTEM_MASTERS,
    AlwaysAllow,
    Attributes,
    Authorizer,
    DemandingAuthorizer,
    Demands,
    forbidden,
)
from localplane.apiserver.request import User

_AUTHENTICATION = "authentication.k8s.io"
_NODES = "system:nodes"
_NODE_PREFIX = "system:node:"
_NODE_NAME = "authentication.kubernetes.io/node-name"
_NODE_KEYS = "authentication.kubernetes.io/associated-node-keys"
# So many questions are first asked as one, about everything.
_MANY = 4


@dataclass(frozen=True, slots=True)
class Impersonated:
    """`constraint` is the verb of the constrained mode that allowed it, for the audit log."""

    user: User
    constraint: str = ""


async def allowed_impersonation(authorizer: Authorizer, wanted: User, attributes: Attributes) -> Impersonated:
    """Raises Forbidden. `attributes` are those of the request, with who really asks."""
    refusal: Forbidden | None = None
    for mode in _MODES:
        if not mode.applies(wanted, attributes.user):
            continue
        try:
            return await mode.check(authorizer, wanted, attributes)
        except Forbidden as error:
            refusal = refusal or error
    assert refusal is not None, "the last mode applies to everybody"
    raise refusal


async def note_impersonation(demands: Demands, wanted: User, attributes: Attributes) -> None:
    """What the old mode asks for suffices on every server, whichever mode it is that lets somebody through."""
    await _MODES[-1].check(DemandingAuthorizer(AlwaysAllow(), demands), wanted, attributes)


@dataclass(frozen=True, slots=True)
class _Mode:
    """`name` is empty for the old one."""

    name: str
    applies: Callable[[User, User], bool]

    @property
    def verb(self) -> str:
        return f"impersonate:{self.name}" if self.name else "impersonate"

    async def check(self, authorizer: Authorizer, wanted: User, attributes: Attributes) -> Impersonated:
        if self.name == "associated-node":
            attributes = replace(attributes, user=_without_extra_values(attributes.user))
        if self.name:
            await _demand(authorizer, replace(attributes, verb=f"impersonate-on:{self.name}:{attributes.verb}"))
        requestor = attributes.user
        await _demand(authorizer, self._username(requestor, wanted))
        if wanted.uid:
            await _demand(authorizer, self._attributes(requestor, _AUTHENTICATION, "uids", wanted.uid))
        await self._check_groups(authorizer, requestor, wanted.groups)
        await self._check_extra(authorizer, requestor, wanted.extra)
        user = replace(wanted, groups=_with_implied_groups(wanted, nodes=bool(self.name)))
        return Impersonated(user, self.verb if self.name else "")

    def _attributes(self, requestor: User, group: str, resource: str, name: str) -> Attributes:
        return Attributes(requestor, self.verb, group=group, version="v1", resource=resource, name=name)

    def _username(self, requestor: User, wanted: User) -> Attributes:
        group = _AUTHENTICATION if self.name else ""
        account, node = split_username(wanted.name), _node_name(wanted.name)
        if account is not None:
            namespace, name = account
            return replace(self._attributes(requestor, group, "serviceaccounts", name), namespace=namespace)
        if self.name and node:
            node = "*" if self.name == "associated-node" else node
            return self._attributes(requestor, group, "nodes", node)
        return self._attributes(requestor, group, "users", wanted.name)

    async def _check_groups(self, authorizer: Authorizer, requestor: User, groups: tuple[str, ...]) -> None:
        if not groups:
            return
        asked = self._attributes(requestor, _AUTHENTICATION if self.name else "", "groups", "")
        if self.name and "" in groups:
            raise forbidden(asked, "impersonating the empty string group is not allowed")
        if self.name and SYSTEM_MASTERS in groups:
            raise forbidden(
                replace(asked, name=SYSTEM_MASTERS), "impersonating the system:masters group is not allowed"
            )
        if self.name and len(groups) >= _MANY and await _allows(authorizer, replace(asked, name="*")):
            return
        for group in groups:
            await _demand(authorizer, replace(asked, name=group))

    async def _check_extra(self, authorizer: Authorizer, requestor: User, extra: Mapping[str, tuple[str, ...]]) -> None:
        if not extra:
            return
        asked = self._attributes(requestor, _AUTHENTICATION, "userextras", "")
        if self.name:
            problem = next(_extra_problems(extra), "")
            if problem:
                raise forbidden(asked, problem)
            many = len(extra) >= _MANY or sum(map(len, extra.values())) >= _MANY
            if many and await _allows(authorizer, replace(asked, subresource="*", name="*")):
                return
        for key, values in extra.items():
            for value in values:
                await _demand(authorizer, replace(asked, subresource=key, name=value))


async def _allows(authorizer: Authorizer, attributes: Attributes) -> bool:
    return (await authorizer.authorize(attributes)).allowed


async def _demand(authorizer: Authorizer, attributes: Attributes) -> None:
    decision = await authorizer.authorize(attributes)
    if not decision.allowed:
        raise forbidden(attributes, ": ".join(filter(None, (decision.error, decision.reason))))


def _with_implied_groups(wanted: User, *, nodes: bool) -> tuple[str, ...]:
    groups = wanted.groups
    account = split_username(wanted.name)
    if account is not None and not groups:
        groups = groups_of(account[0])
    elif nodes and _node_name(wanted.name):
        groups = (_NODES,)
    if wanted.name == ANONYMOUS:
        implied = UNAUTHENTICATED
    elif UNAUTHENTICATED in groups:
        return groups
    else:
        implied = AUTHENTICATED
    return groups if implied in groups else (*groups, implied)


def _without_extra_values(requestor: User) -> User:
    """Which node and pod it is has been checked already, so rules for it can't and needn't name them."""
    return replace(requestor, extra={_NODE_KEYS: tuple(sorted(requestor.extra))})


def _extra_problems(extra: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for key, values in extra.items():
        if not key:
            yield "impersonating the empty string key in extra is not allowed"
        problems = _domain_prefixed_path_problems(key)
        if problems:
            yield f"impersonating an invalid key in extra is not allowed: {aggregate(problems)}"
        if key != key.lower():
            yield f"impersonating a non-lowercase key in extra is not allowed: {go_quote(key)}"
        if "" in values:
            yield "impersonating the empty string value in extra is not allowed"


_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"


def _domain_prefixed_path_problems(key: str) -> list[FieldError]:
    """Kubernetes: apimachinery/pkg/util/validation IsDomainPrefixedPath."""
    host, _, path = key.partition("/")
    if not host or not path:
        return [invalid("extra.key", key, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    problems = [invalid("extra.key", host, problem) for problem in dns1123_subdomain(host)]
    if not re.fullmatch(_PATH, path):
        problems.append(invalid("extra.key", path, regex_error("Invalid path", _PATH)))
    return problems


def _node_name(user: str) -> str:
    name = user.removeprefix(_NODE_PREFIX)
    return name if name != user and not dns1123_subdomain(name) else ""


def _only_named(user: User) -> bool:
    return not (user.uid or user.groups or user.extra)


def _is_own_node(wanted: User, requestor: User) -> bool:
    """A service account whose token is bound to a node may be that node."""
    node = _node_name(wanted.name)
    return bool(node) and _is_service_account(requestor) and requestor.extra.get(_NODE_NAME) == (node,)


def _is_service_account(user: User) -> bool:
    return split_username(user.name) is not None


_MODES = (
    _Mode("associated-node", lambda wanted, requestor: _only_named(wanted) and _is_own_node(wanted, requestor)),
    _Mode("arbitrary-node", lambda wanted, _: _only_named(wanted) and bool(_node_name(wanted.name))),
    _Mode("serviceaccount", lambda wanted, _: _only_named(wanted) and _is_service_account(wanted)),
    _Mode("user-info", lambda wanted, _: not _node_name(wanted.name) and not _is_service_account(wanted)),
    _Mode("", lambda *_: True),
)
