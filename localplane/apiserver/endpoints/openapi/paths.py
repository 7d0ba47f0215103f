"""The paths of a resource and its subresources, with what can be done at each.

Kubernetes: endpoints/installer.go (registerResourceHandlers).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.endpoints.discovery.model import InstalledResource, InstalledSubresource

from . import names as naming
from . import operations, parameters
from .operations import Operand
from .words import META, ref

_ON_COLLECTION: Final = ("list", "create", "deletecollection")
_ON_OBJECT: Final = ("get", "update", "delete", "patch")
_VOWELS: Final = ("A", "E", "I", "O", "U")
_ANYTHING: Final = {"type": "object"}


@dataclass(frozen=True, slots=True)
class NamedResource:
    """A resource and where its definitions are: `kinds` maps a kind it speaks in to the name of its definition."""

    group_version: GroupVersion
    resource: InstalledResource
    kinds: dict[GroupVersionKind, str]

    def schema(self, kind: GroupVersionKind) -> JSONObject:
        return ref(self.kinds[kind]) if kind in self.kinds else dict(_ANYTHING)


def of_version(group_version: GroupVersion) -> dict[str, JSONObject]:
    return {f"{_root(group_version)}/": {"get": operations.resources(group_version)}}


def of_resource(named: NamedResource, *, watch_paths: bool) -> dict[str, JSONObject]:
    """`watch_paths`: also those that begin with /watch, which only built-in kinds have."""
    resource, root = named.resource, _root(named.group_version)
    scope = "/namespaces/{namespace}" if resource.namespaced else ""
    collection = f"{root}{scope}/{resource.name}"
    subject = _subject(named)
    one = f"{collection}/{{name}}"
    paths = {f"{root}/{resource.name}": _everywhere(named, subject)} if resource.namespaced else {}
    paths[collection] = _item(collection, _verbs(named, _ON_COLLECTION, subject), resource.kind)
    paths[one] = _item(one, _verbs(named, _ON_OBJECT, subject), resource.kind)
    for each in resource.subresources:
        paths |= _of_subresource(named, each, f"{one}/{each.name}")
    if watch_paths and "watch" in resource.verbs:
        paths |= _watch_paths(named, subject, f"{root}/watch", scope)
    return {path: item for path, item in paths.items() if item}


def _root(group_version: GroupVersion) -> str:
    return f"/apis/{group_version}" if group_version.group else f"/api/{group_version.version}"


def _subject(named: NamedResource) -> Operand:
    resource = named.resource
    kind = resource.answers or named.group_version.kind(resource.kind)
    schema = named.schema(kind)
    return Operand(
        group_version=named.group_version,
        kind=kind,
        what=f"{'Namespaced' if resource.namespaced else ''}{resource.kind}",
        phrase=_with_article(resource.kind),
        body=schema,
        answer=schema,
        media_types=resource.media_types,
        patch_types=resource.patch_types,
    )


def _verbs(named: NamedResource, verbs: Iterable[str], subject: Operand) -> dict[str, JSONObject]:
    """The operations of those verbs that the resource has, by HTTP method."""
    resource = named.resource
    status = ref(f"{META}Status")
    answers = {
        "list": named.schema(named.group_version.kind(resource.kind_of_list)),
        "deletecollection": status,
        "delete": subject.answer if resource.returns_deleted_object else status,
    }
    return {
        operations.VERBS[verb].method: operations.operation(
            verb, replace(subject, answer=answers.get(verb, subject.answer))
        )
        for verb in verbs
        if verb in resource.verbs
    }


def _everywhere(named: NamedResource, subject: Operand) -> JSONObject:
    """A list of all namespaces."""
    what = f"{named.resource.kind}ForAllNamespaces"
    path = _root(named.group_version)
    return _item(path, _verbs(named, ("list",), replace(subject, what=what)), named.resource.kind)


def _item(path: str, methods: dict[str, JSONObject], kind: str) -> JSONObject:
    """What is at a path; nothing, if nothing can be done there."""
    shared = [*parameters.of_path(path, kind), parameters.query("pretty")]
    return {**methods, "parameters": shared} if methods else {}


def _of_subresource(named: NamedResource, subresource: InstalledSubresource, path: str) -> dict[str, JSONObject]:
    resource = named.resource
    kind = subresource.answers or named.group_version.kind(subresource.kind)
    schema = {"type": "string"} if subresource.answers_text else named.schema(kind)
    subject = replace(
        _subject(named),
        kind=kind,
        what=f"{'Namespaced' if resource.namespaced else ''}{resource.kind}{naming.title(subresource.name)}",
        phrase=f"the {subresource.name} of {_with_article(resource.kind)}",
        body=schema,
        answer=schema,
        patch_types=subresource.patch_types or resource.patch_types,
    )
    if subresource.answers_text:
        subject = replace(subject, media_types=("text/plain", *resource.media_types))
    if not subresource.connects:
        verbs = (verb for verb in ("get", "create", "update", "patch", "delete") if verb in subresource.verbs)
        methods = {operations.VERBS[verb].method: operations.operation(verb, subject) for verb in verbs}
        return {path: _with_parameters(_item(path, methods, resource.kind), subresource)}
    return _connections(subresource, subject, path, resource.kind)


def _connections(subresource: InstalledSubresource, subject: Operand, path: str, kind: str) -> dict[str, JSONObject]:
    """A proxy passes on every method, and the path below it."""
    methods = [operations.VERBS[verb].method for verb in subresource.verbs]
    subjects = {path: subject}
    if subresource.name == "proxy":
        methods += ["head", "options"]
        subjects[f"{path}/{{path}}"] = replace(subject, what=f"{subject.what}WithPath")
    items = {
        where: {
            **{method: operations.connect(method, each) for method in methods},
            "parameters": parameters.of_path(where, kind),
        }
        for where, each in subjects.items()
    }
    return {where: _with_parameters(item, subresource) for where, item in items.items()}


def _with_parameters(item: JSONObject, subresource: InstalledSubresource) -> JSONObject:
    """The item of a path with the parameters that are the subresource's own."""
    own = parameters.own(subresource.query_parameters)
    return {**item, "parameters": [*item["parameters"], *own]} if item and own else item


def _watch_paths(named: NamedResource, subject: Operand, root: str, scope: str) -> dict[str, JSONObject]:
    resource = named.resource
    subject = replace(subject, answer=ref(f"{META}WatchEvent"))
    lists = replace(subject, what=f"{subject.what}List")
    one = f"{root}{scope}/{resource.name}/{{name}}"
    paths = {
        f"{root}{scope}/{resource.name}": operations.operation("watchlist", lists),
        one: operations.operation("watch", subject),
    }
    if resource.namespaced:
        everywhere = replace(subject, what=f"{resource.kind}ListForAllNamespaces")
        paths[f"{root}/{resource.name}"] = operations.operation("watchlist", everywhere)
    query = parameters.of_verb("watch")
    return {
        path: {**(item := _item(path, {"get": found}, resource.kind)), "parameters": [*item["parameters"], *query]}
        for path, found in paths.items()
    }


def _with_article(kind: str) -> str:
    return f"{'an' if kind.startswith(_VOWELS) else 'a'} {kind}"
