"""An ApplySet: one object remembers which kinds and namespaces a set is in, and a label says which objects are its own.

What has the label and was not applied this time is deleted. Kubernetes: kubectl/pkg/cmd/apply/applyset.go, KEP-3659.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Collection, Sequence

from kctl import program
from kctl.changes.apply import options
from kctl.errors import KctlError, raise_all
from kctl.objects import Info
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, Conflict, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import NoMatch
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.options import ListOptions
from localplane.client.rest.resources import PatchType, ResourceClient

_PREFIX = "applyset.kubernetes.io"
_TOOLING = f"{_PREFIX}/tooling"
_NAMESPACES = f"{_PREFIX}/additional-namespaces"
_KINDS = f"{_PREFIX}/contains-group-kinds"
_ID = f"{_PREFIX}/id"
_PART_OF = f"{_PREFIX}/part-of"
_PARENT_TYPE = f"{_PREFIX}/is-parent-type"
_TOOL = "kubectl"
_FORMER_TOOL = "kctl"
"""What kctl called itself in its sets before it took over kubectl's names."""
_BUILT_IN = (GroupVersionResource("", "v1", "secrets"), GroupVersionResource("", "v1", "configmaps"))


async def find_parent(session: Session, text: str, options: options.ApplyOptions) -> ApplySet:
    """`secret/name`, or a name alone for a secret. Raises KctlError."""
    kind, slash, name = text.partition("/")
    if not slash:
        kind, name = "secrets", text
    try:
        if not name:
            raise KctlError("name cannot be blank")
        resource, _, group = kind.partition(".")
        known = (await session.discovery.mapper()).kind_for(GroupVersionResource(group, "", resource))
        mapping = await session.discovery.mapping(known.group_kind, known.version)
    except (KctlError, NoMatch) as error:
        raise KctlError(f"invalid parent reference {go_quote(text)}: {error}") from error
    namespace = session.namespace if mapping.namespaced and session.namespace_is_explicit else ""
    found = ApplySet(session, options, mapping, namespace, name)
    await found.check()
    return found


class ApplySet:
    """`begin` before anything is applied, `finish` when all has been."""

    def __init__(
        self, session: Session, options: options.ApplyOptions, mapping: RESTMapping, namespace: str, name: str
    ) -> None:
        self._session = session
        self._options = options
        self._mapping = mapping
        self._namespace = namespace
        self._name = name
        self._known_kinds: dict[GroupKind, RESTMapping] = {}
        self._known_namespaces: set[str] = set()
        self._kinds: dict[GroupKind, RESTMapping] = {}
        self._namespaces: set[str] = set()

    @property
    def id(self) -> str:
        kind = self._mapping.kind
        text = f"{self._name}.{self._namespace}.{kind.kind}.{kind.group}"
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        return f"applyset-{digest}-v1"

    @property
    def _shown(self) -> str:
        return go_quote(f"{self._mapping.resource.resource}.{self._mapping.resource.group}/{self._name}")

    @property
    def _parent(self) -> ResourceClient:
        return self._session.client.resource(self._mapping.resource, self._namespace)

    async def check(self) -> None:
        errors: list[Exception] = []
        if self._mapping.namespaced and not self._namespace:
            errors.append(KctlError("namespace is required to use namespace-scoped ApplySet"))
        if self._mapping.resource not in _BUILT_IN and not await self._is_custom_parent():
            errors.append(
                KctlError(f"resource {go_quote(str(self._mapping.resource))} is not permitted as an ApplySet parent")
            )
        raise_all(errors)

    async def _is_custom_parent(self) -> bool:
        definitions = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        listed = await self._session.client.resource(definitions).list(ListOptions(label_selector=_PARENT_TYPE))
        wanted = f"{self._mapping.resource.resource}.{self._mapping.resource.group}"
        return any(item["metadata"]["name"] == wanted for item in listed.get("items") or ())

    async def begin(self, infos: Sequence[Info]) -> None:
        """Label the objects, and let the parent speak of everything that may be there from now on."""
        for info in infos:
            _label(info, self.id)
        await self._read_parent()
        for info in infos:
            mapping = info.rest_mapping
            self._kinds.setdefault(GroupKind(mapping.kind.group, mapping.kind.kind), mapping)
            if mapping.namespaced and info.namespace:
                self._namespaces.add(info.namespace)
        await self._update({**self._known_kinds, **self._kinds}, self._known_namespaces | self._namespaces)

    async def finish(self, visited: Collection[str], say: Callable[[JSONObject, str], None]) -> None:
        """Delete what was not visited, then let the parent forget it."""
        for mapping in self._known_kinds.values():
            for namespace in sorted(self._known_namespaces) if mapping.namespaced else [""]:
                await self._prune(mapping, namespace, visited, say)
        try:
            await self._update(self._kinds, self._namespaces)
        except KctlError as error:
            raise KctlError(f"apply and prune succeeded, but ApplySet update failed: {error}") from error

    async def _prune(
        self, mapping: RESTMapping, namespace: str, visited: Collection[str], say: Callable[[JSONObject, str], None]
    ) -> None:
        resource = self._session.client.resource(mapping.resource, namespace)
        listed = await resource.list(ListOptions(label_selector=f"{_PART_OF}={self.id}"))
        for obj in listed.get("items") or ():
            if obj["metadata"].get("uid") in visited:
                continue
            if self._options.dry_run != "client":
                await self._options.deletion.delete_named(resource, obj["metadata"]["name"])
            say(obj, "pruned")

    async def _read_parent(self) -> None:
        try:
            parent = await self._parent.get(self._name)
        except NotFound as error:
            if self._mapping.resource not in _BUILT_IN:
                raise KctlError("custom resource ApplySet parents cannot be created automatically") from error
            return
        except APIError as error:
            raise KctlError(f"failed to fetch ApplySet parent object {self._shown}: {error.message}") from error
        metadata = parent.get("metadata") or {}
        annotations = metadata.get("annotations") or {}
        self._check_ownership(annotations, metadata.get("labels") or {})
        for text in filter(None, annotations[_KINDS].split(",")):
            kind, _, group = text.partition(".")
            self._known_kinds[GroupKind(group, kind)] = await self._mapping_of(GroupKind(group, kind))
        self._known_namespaces = set(filter(None, annotations.get(_NAMESPACES, "").split(",")))
        if self._namespace:
            self._known_namespaces.add(self._namespace)

    def _check_ownership(self, annotations: dict[str, str], labels: dict[str, str]) -> None:
        exists = f"ApplySet parent object {self._shown}"
        if _TOOLING not in annotations:
            raise KctlError(f"{exists} already exists and is missing required annotation {go_quote(_TOOLING)}")
        tool = annotations[_TOOLING].rpartition("/")[0] or annotations[_TOOLING]
        if tool not in (_TOOL, _FORMER_TOOL):
            raise KctlError(
                f"{exists} already exists and is managed by tooling {go_quote(tool)} instead of {go_quote(_TOOL)}"
            )
        if _ID not in labels:
            raise KctlError(f"{exists} exists and does not have required label {_ID}")
        if labels[_ID] != self.id:
            raise KctlError(
                f"{exists} exists and has incorrect value for label {go_quote(_ID)} (got: {labels[_ID]}, want: "
                f"{self.id})"
            )
        if _KINDS not in annotations:
            raise KctlError(
                f"parsing ApplySet annotation on {self._shown}: {_TOOL} requires the {go_quote(_KINDS)} annotation to "
                "be set on all ApplySet parent objects"
            )

    async def _mapping_of(self, kind: GroupKind) -> RESTMapping:
        try:
            return await self._session.discovery.mapping(kind)
        except NoMatch as error:
            raise KctlError(
                f"parsing ApplySet annotation on {self._shown}: could not find mapping for kind in {go_quote(_KINDS)} "
                f"annotation: {error}"
            ) from error

    async def _update(self, kinds: Collection[GroupKind], namespaces: Collection[str]) -> None:
        if self._options.dry_run == "client":
            return
        try:
            try:
                await self._send(kinds, namespaces, force=False)
            except Conflict as error:
                self._session.log_warning(
                    f"WARNING: failed to update ApplySet: {error.message}\nApplySet field manager {_TOOL}-applyset "
                    "should own these fields. Retrying with conflicts forced."
                )
                await self._send(kinds, namespaces, force=True)
        except APIError as error:
            raise KctlError(f"failed to update ApplySet: {error.message}") from error

    async def _send(self, kinds: Collection[GroupKind], namespaces: Collection[str], *, force: bool) -> None:
        kind = self._mapping.kind
        metadata: JSONObject = {
            "name": self._name,
            "annotations": {
                _TOOLING: f"{_TOOL}/{program.kubectl_version()}",
                _KINDS: ",".join(sorted(f"{one.kind}.{one.group}" if one.group else one.kind for one in kinds)),
                _NAMESPACES: ",".join(sorted(name for name in namespaces if name != self._namespace)),
            },
            "labels": {_ID: self.id},
        }
        if self._namespace:
            metadata["namespace"] = self._namespace
        version = f"{kind.group}/{kind.version}" if kind.group else kind.version
        await self._parent.patch(
            self._name,
            {"kind": kind.kind, "apiVersion": version, "metadata": metadata},
            PatchType.APPLY,
            force=force,
            dry_run=self._options.dry_run == "server",
            field_manager=f"{_TOOL}-applyset",
            field_validation=self._options.field_validation,
        )


def _label(info: Info, part_of: str) -> None:
    assert info.object is not None
    metadata = dict(info.object.get("metadata") or {})
    labels = dict(metadata.get("labels") or {})
    if _PART_OF in labels:
        raise KctlError(f"ApplySet label {go_quote(_PART_OF)} already set in input data")
    metadata["labels"] = {**labels, _PART_OF: part_of}
    info.object = {**info.object, "metadata": metadata}
