"""Which methods a path answers: 404 where none would do, 405 where another would.

Built-in kinds stand behind a router, custom resources don't, and clients can tell: Kubernetes' endpoints/installer.go
registers paths for the one, apiextensions' customresource_handler.go looks at verbs for the other.
"""

from __future__ import annotations

from localplane.apimachinery.errors import BadRequest, MethodNotAllowed, generic
from localplane.apiserver.request import Request, RequestInfo

from .scope import Scope

_NOTHING: frozenset[str] = frozenset()
_READ = frozenset({"GET"})
_ON_ONE_OBJECT = ("get", "update", "patch", "delete")
_ACROSS_NAMESPACES = ("list", "watch")


def is_served(scope: Scope, request: Request) -> bool:
    """False: nobody knows this path. Raises the router's 404 and 405, or those of a custom resource."""
    return _routed(scope, request) if scope.typed else _custom(scope, request)


def _routed(scope: Scope, request: Request) -> bool:
    methods = _methods(scope, request)
    if not methods:
        raise generic(404)
    if request.method not in methods:
        raise generic(405)
    info = request.info
    if info.verb == "watch" and "watch" not in scope.verbs:
        raise MethodNotAllowed.of(scope.resource, "watch")
    return True


def _methods(scope: Scope, request: Request) -> frozenset[str]:
    """What a path answers to. Its parts count, not `info.name`: a selector may have put that there."""
    info = request.info
    length = len(info.parts)
    too_long = length > (3 if scope.subresource else 2) and not scope.connects_below
    if too_long or "" in info.parts[:3] or not _is_in_place(scope, info):  # what is below a connection is not ours
        return _NOTHING
    verb_in_path = _verb_in_path(request)
    if verb_in_path:
        is_watched = verb_in_path == "watch" and not scope.subresource and "watch" in scope.verbs
        return _READ if is_watched else _NOTHING
    if scope.namespaced and not info.namespace:
        return _READ if length == 1 and "list" in scope.verbs else _NOTHING
    return scope.collection_methods if length == 1 else scope.item_methods


def _is_in_place(scope: Scope, info: RequestInfo) -> bool:
    """A namespaced object is in a namespace, and nothing else is; a namespace is where it is itself."""
    if scope.namespaced:
        return bool(info.namespace) or len(info.parts) == 1
    if not info.namespace:
        return True
    return info.resource == "namespaces" and info.parts[1:2] == (info.namespace,)


def _verb_in_path(request: Request) -> str:
    """`/api/v1/watch/...` and `/api/v1/proxy/...`, as they were before there were query parameters for it."""
    info = request.info
    if info.verb not in ("watch", "proxy"):
        return ""
    parts = request.path.strip("/").split("/")
    return info.verb if parts[2 if info.api_prefix == "api" else 3] == info.verb else ""


def _custom(scope: Scope, request: Request) -> bool:
    info = request.info
    if info.namespace and not scope.namespaced:
        return False
    if scope.namespaced and not info.namespace and info.verb not in _ACROSS_NAMESPACES:
        return False
    if info.verb not in scope.verbs:
        raise MethodNotAllowed.of(scope.resource, info.verb)
    if info.verb in _ON_ONE_OBJECT and not info.name:
        raise BadRequest("name must be provided")
    return True
