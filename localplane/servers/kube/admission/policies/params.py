"""The objects that a binding names as parameters. Kubernetes: plugin/policy/generic, CollectParams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, selector_of
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.matching.writes import labels_of


class Misconfigured(ValueError):
    """A policy or a binding can't be applied: its failure policy says what that means."""


class ParamKind:
    """The kind of a policy's parameters."""

    def __init__(self, objects: Lookup, definition: Definition, version: str) -> None:
        self._objects = objects
        self._definition = definition
        self._version = version

    @classmethod
    def find(cls, objects: Lookup, kind: GroupVersionKind) -> ParamKind:
        """Raises Misconfigured for what nobody serves."""
        api_version = str(kind.group_version)
        for each in objects.definitions():
            version = each.converter.version_named(api_version) if each.converter.kind == kind.kind else None
            if version is not None and version in each.schemas:
                return cls(objects, each, version)
        raise Misconfigured(f"failed to find resource referenced by paramKind: '{_shown(kind)}'")

    async def objects(self, reference: Mapping[str, Any], namespace: str) -> list[JSONObject]:
        """All that a binding refers to, for a write in this namespace. Raises Misconfigured."""
        found = await self._found(reference, self._place(reference.get("namespace") or "", namespace))
        if not found and reference.get("parameterNotFoundAction") == "Deny":
            raise Misconfigured("no params found for policy binding with `Deny` parameterNotFoundAction")
        return [self._definition.converter.from_hub(each, self._version) for each in found]

    def _place(self, told: str, namespace: str) -> str:
        if not self._definition.namespaced:
            if told:
                raise Misconfigured("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
            return ""
        if not told and not namespace:
            raise Misconfigured(
                "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
            )
        return told or namespace

    async def _found(self, reference: Mapping[str, Any], place: str) -> list[JSONObject]:
        resource = self._definition.resource
        name = f"{resource.group}/{resource.resource}" if resource.group else resource.resource
        if reference.get("name"):
            found = await self._objects.get(name, place, reference["name"])
            return [] if found is None else [found]
        if reference.get("selector") is None:
            raise Misconfigured("one of name or selector must be provided")
        selector = _selector(reference["selector"])
        return [each for each in await self._objects.list(name, place) if selector.matches(labels_of(each))]


def _selector(declared: Mapping[str, Any]) -> Selector:
    try:
        return selector_of(declared) or Selector()
    except InvalidSelector as error:
        raise Misconfigured(str(error)) from error


def _shown(kind: GroupVersionKind) -> str:
    """As Go prints it: the core group leaves its slash."""
    return f"{kind.group}/{kind.version}, Kind={kind.kind}"
