"""Tells the authors of admission policies where their expressions don't fit the types that they are about.

An admission policy sees objects of any type; which ones it is about, its match constraints say. What is found is told
in the policy's status and changes nothing. Unlike Kubernetes, which finds fault with `authorizer.requestResource`
however it is used, this knows its type. Kubernetes: pkg/controller/validatingadmissionpolicystatus and
apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from localplane.apimachinery.cel.declarations import Environment
from localplane.apimachinery.cel.schema.declared_types import declared
from localplane.apimachinery.cel.types import DYN, Type
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Node, Property
from localplane.apimachinery.schema.declarations.structural import node_of_openapi
from localplane.apimachinery.schema.meta import type_meta
from localplane.apimachinery.time_slices import TimeSlices
from localplane.catalog import schemas
from localplane.catalog.admissionregistration.compiler import ANYTHING, ExpressionCompiler
from localplane.client import (
    Client,
    Discovery,
    GroupVersionResource,
    Lister,
    ListOptions,
    PatchType,
    WorkQueue,
    object_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import hearing, work

_POLICIES: Final = GroupVersionResource("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies")
_DEFINITIONS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_ACCOUNT: Final = "validatingadmissionpolicy-status-controller"
_FIELD_MANAGER: Final = "validatingadmissionpolicy-status"
_TYPES_MAX: Final = 10
_FAILED: Final = "compilation failed: "


@dataclass(frozen=True, slots=True, order=True)
class _Kind:
    group: str
    version: str
    kind: str
    resource: str = ""

    def __str__(self) -> str:
        return f"{self.group}/{self.version}, Kind={self.kind}"


async def start(context: ControllerContext) -> None:
    queue = WorkQueue[str]()
    policies = context.informers.informer(_POLICIES)
    types = _Types(context.client_of(_ACCOUNT), context.client_of_manager())
    controller = _Controller(context.client_of(_ACCOUNT), policies.lister, types)
    await policies.wait_for_sync()
    with hearing(policies, lambda policy: queue.add(object_key(policy)), deletions=False):
        await work(queue, controller.sync)


class _Controller:
    def __init__(self, client: Client, policies: Lister, types: _Types) -> None:
        self._client = client
        self._policies = policies
        self._types = types

    async def sync(self, name: str) -> None:
        policy = self._policies.get(name)
        if policy is None:
            return
        generation = policy["metadata"].get("generation", 0)
        if generation <= (policy.get("status") or {}).get("observedGeneration", 0):
            return
        warnings = await self._warnings(policy)
        checking: JSONObject = {"expressionWarnings": warnings} if warnings else {}
        document = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name},
            "status": {"observedGeneration": generation, "typeChecking": checking},
        }
        await self._client.resource(_POLICIES).patch(
            name, document, PatchType.APPLY, subresource="status", field_manager=_FIELD_MANAGER, force=True
        )

    async def _warnings(self, policy: JSONObject) -> list[JSONObject]:
        spec = policy["spec"]
        compilers = await self._compilers(spec)
        slices, warnings = TimeSlices(), []
        for place, text in _expressions(spec):
            messages = []
            for kind, compiler in compilers.items():
                if wrong := compiler.compile(text, ANYTHING).wrong:
                    messages.append(f"{kind}: {wrong.removeprefix(_FAILED)}\n")
                if slices.is_over:
                    await slices.next()
            if messages:
                warnings.append({"fieldRef": place, "warning": "\n".join(messages)})
        return warnings

    async def _compilers(self, spec: JSONObject) -> dict[_Kind, _TypedCompiler]:
        """One for each type that the policy is about, as far as its schema is known."""
        params = await self._types.param_type(spec.get("paramKind"))
        compilers = {}
        for kind in await self._types.kinds(spec.get("matchConstraints") or {}):
            found = await self._types.type_of(kind)
            if found is not None:
                compiler = _TypedCompiler(found, params, has_params="paramKind" in spec)
                for variable in spec.get("variables") or ():
                    compiler.add_variable(variable["name"], variable["expression"])
                compilers[kind] = compiler
        return compilers


def _expressions(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where each stands, and what it says."""
    for index, validation in enumerate(spec.get("validations") or ()):
        for field in ("expression", "messageExpression"):
            if text := validation.get(field):
                yield f"spec.validations[{index}].{field}", text


class _TypedCompiler(ExpressionCompiler):
    """Knows the types of the objects that a policy sees."""

    def __init__(self, obj: Type, params: Type, *, has_params: bool) -> None:
        super().__init__(has_params=has_params, has_variables=True)
        self._types = {"object": obj, "oldObject": obj} | ({"params": params} if has_params else {})

    def _environment(self, *, has_authorizer: bool) -> Environment:
        return super()._environment(has_authorizer=has_authorizer).with_variables(self._types)


class _Types:
    """The types of objects, as the server knows them now. `client` asks what there is; `reader` may read the
    definitions of custom resources."""

    def __init__(self, client: Client, reader: Client) -> None:
        self._discovery = Discovery(client)
        self._definitions = reader.resource(_DEFINITIONS)

    async def kinds(self, constraints: JSONObject) -> list[_Kind]:
        """Those that the rules name, in order. What has an asterisk is about too many to look at."""
        kinds: set[_Kind] = set()
        for rule in constraints.get("resourceRules") or ():
            names = [_plain(rule.get(key) or ()) for key in ("apiGroups", "apiVersions")]
            resources = sorted(each for each in rule.get("resources") or () if not set(each) & set("*/"))
            for group, version in product(*names):
                found = await self._resources(group, version)
                kinds |= {each for name in resources for each in found if name == each.resource}
        return sorted(kinds)[:_TYPES_MAX]

    async def param_type(self, kind: Mapping[str, str] | None) -> Type:
        """Anything if nobody knows."""
        if kind is None:
            return DYN
        group, _, version = kind.get("apiVersion", "").rpartition("/")
        for each in await self._resources(group, version):
            if each.kind == kind.get("kind"):
                return await self.type_of(each) or DYN
        return DYN

    async def type_of(self, kind: _Kind) -> Type | None:
        node = _built_in(kind) or await self._custom(kind)
        found = declared(node, is_root=True, name=kind.kind) if node is not None else None
        return found.type if found is not None else None

    async def _resources(self, group: str, version: str) -> list[_Kind]:
        try:
            document = await self._discovery.resource_list(GroupVersion(group, version))
        except NotFound:
            return []
        except APIError as error:
            if error.code < 500:
                return []
            raise
        return [
            _Kind(each.get("group") or group, each.get("version") or version, each["kind"], each["name"])
            for each in document.get("resources") or ()
            if "/" not in each["name"]
        ]

    async def _custom(self, kind: _Kind) -> Node | None:
        options = ListOptions(field_selector=f"metadata.name={kind.resource}.{kind.group}")
        for definition in (await self._definitions.list(options))["items"]:
            for version in definition["spec"]["versions"]:
                schema = (version.get("schema") or {}).get("openAPIV3Schema")
                if version["name"] == kind.version and schema is not None:
                    return _with_metadata(node_of_openapi(schema))
        return None


def _plain(names: Sequence[str]) -> list[str]:
    return [] if any("*" in name for name in names) else sorted(names)


def _built_in(kind: _Kind) -> Node | None:
    """Kubernetes' own types are named by their Go packages."""
    package = f"{kind.group.partition('.')[0] or 'core'}/{kind.version}"
    try:
        node = schemas.node(f"{package}.{kind.kind}").load()
    except (KeyError, FileNotFoundError):
        return None
    return node if node.properties else None  # a type that is not there is an empty one from the second time on


def _with_metadata(node: Node) -> Node:
    common: dict[str, Property] = dict(type_meta())
    return node.changed(properties={**node.properties, **common})
