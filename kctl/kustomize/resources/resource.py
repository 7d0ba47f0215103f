"""One object of a build. What the build has to remember of it is in annotations that are taken off at the end, because
that is where kustomize has it: patches, selectors and replacements see them. Kubernetes: api/resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kctl.kustomize.merging import schemas
from kctl.kustomize.nodes.fields import require, set_field
from kctl.kustomize.nodes.node import Map, Scalar, copied_map, is_empty, raw_text, text

from .ids import Gvk, ResId, group_version

INTERNAL = "internal.config.kubernetes.io/"
PREVIOUS_KINDS = f"{INTERNAL}previousKinds"
PREVIOUS_NAMES = f"{INTERNAL}previousNames"
PREVIOUS_NAMESPACES = f"{INTERNAL}previousNamespaces"
PREFIXES = f"{INTERNAL}prefixes"
SUFFIXES = f"{INTERNAL}suffixes"
REFERRED_BY = f"{INTERNAL}refBy"
BEHAVIOR = f"{INTERNAL}generatorBehavior"
NEEDS_HASH = f"{INTERNAL}needsHashSuffix"
ALLOW_NAME_CHANGE = f"{INTERNAL}allowNameChange"
ALLOW_KIND_CHANGE = f"{INTERNAL}allowKindChange"
HELM_GENERATED = f"{INTERNAL}helm-generated"
ORIGIN = "config.kubernetes.io/origin"
TRANSFORMATIONS = "alpha.config.kubernetes.io/transformations"
ENABLED = "enabled"
_LEGACY = ("config.kubernetes.io/path", "config.kubernetes.io/index", "config.k8s.io/id")

BUILD_ANNOTATIONS = (
    PREVIOUS_KINDS,
    PREVIOUS_NAMES,
    PREFIXES,
    SUFFIXES,
    PREVIOUS_NAMESPACES,
    ALLOW_NAME_CHANGE,
    ALLOW_KIND_CHANGE,
    REFERRED_BY,
    BEHAVIOR,
    NEEDS_HASH,
    *(f"{INTERNAL}{name}" for name in ("path", "index", "seqindent", "id", "annotations-migration-resource-id")),
    *_LEGACY,
    HELM_GENERATED,
)


class Resource:
    """`node` is empty once a patch has deleted the object."""

    def __init__(self, node: Map, schemas: schemas.Schemas) -> None:
        self.node = node
        self.schemas = schemas
        self.variables: list[str] = []

    def copied(self) -> Resource:
        duplicate = Resource(copied_map(self.node), self.schemas)
        duplicate.variables = list(self.variables)
        return duplicate

    # Who it is.

    @property
    def kind(self) -> str:
        return raw_text(self.node.get("kind"))

    @property
    def api_version(self) -> str:
        return raw_text(self.node.get("apiVersion"))

    @property
    def gvk(self) -> Gvk:
        return Gvk(*group_version(self.api_version), self.kind)

    @property
    def name(self) -> str:
        return self._metadata_text("name")

    @property
    def namespace(self) -> str:
        return self._metadata_text("namespace")

    @property
    def current_id(self) -> ResId:
        scoped = self.schemas.is_cluster_scoped(self.api_version, self.kind)
        return ResId(self.gvk, self.name, self.namespace, scoped)

    @property
    def original_id(self) -> ResId:
        return next(iter(self.previous_ids()), None) or self.current_id

    def previous_ids(self) -> list[ResId]:
        """The oldest first; without the current one."""
        metadata = self.node.get("metadata")
        annotations = metadata.get("annotations") if isinstance(metadata, Map) else None
        if not isinstance(annotations, Map) or PREVIOUS_NAMES not in annotations:
            return []
        names, namespaces, kinds = (
            raw_text(annotations.get(key)).split(",") for key in (PREVIOUS_NAMES, PREVIOUS_NAMESPACES, PREVIOUS_KINDS)
        )
        group, version = group_version(self.api_version)
        return [
            ResId(Gvk(group, version, kind), name, namespace)
            for name, namespace, kind in zip(names, namespaces, kinds, strict=False)
        ]

    def every_id(self) -> Iterator[ResId]:
        yield from self.previous_ids()
        yield self.current_id

    def remember_id(self) -> None:
        """Before the name, namespace or kind changes."""
        current = self.current_id
        self.append_to(PREVIOUS_NAMES, current.name)
        self.append_to(PREVIOUS_NAMESPACES, current.effective_namespace)
        self.append_to(PREVIOUS_KINDS, current.gvk.kind)

    def _metadata_text(self, name: str) -> str:
        metadata = self.node.get("metadata")
        field = metadata.get(name) if isinstance(metadata, Map) else None
        return "" if is_empty(field) else raw_text(field)

    def set_name(self, name: str) -> None:
        set_field(self._metadata(), "name", Scalar(name))

    def set_namespace(self, namespace: str) -> None:
        if namespace:
            set_field(self._metadata(), "namespace", Scalar(namespace))
        elif isinstance(metadata := self.node.get("metadata"), Map):
            metadata.pop("namespace", None)

    def set_gvk(self, gvk: Gvk) -> None:
        self.set_kind(gvk.kind)
        set_field(self.node, "apiVersion", Scalar(gvk.api_version))

    def set_kind(self, kind: str) -> None:
        set_field(self.node, "kind", Scalar(kind))

    def _metadata(self) -> Map:
        if "metadata" not in self.node:
            self.node["metadata"] = Map()
        metadata = self.node["metadata"]
        require(metadata, Map)
        if not isinstance(metadata, Map):
            metadata = self.node["metadata"] = Map()
        return metadata

    # Labels and annotations.

    def labels(self) -> dict[str, str]:
        return self._texts("labels")

    def annotations(self) -> dict[str, str]:
        return self._texts("annotations")

    def annotation(self, name: str) -> str | None:
        return self.annotations().get(name)

    def set_labels(self, labels: Mapping[str, str]) -> None:
        self._set_texts("labels", labels)

    def set_annotations(self, annotations: Mapping[str, str]) -> None:
        self._set_texts("annotations", annotations)

    def _texts(self, name: str) -> dict[str, str]:
        metadata = self.node.get("metadata")
        field = metadata.get(name) if isinstance(metadata, Map) else None
        return {key: raw_text(value) for key, value in field.items()} if isinstance(field, Map) else {}

    def _set_texts(self, name: str, values: Mapping[str, str]) -> None:
        metadata = self._metadata()
        metadata.pop(name, None)
        if values:
            metadata[name] = mapping = Map()
            for key, value in values.items():
                set_field(mapping, key, text(value))

    def set_annotation(self, name: str, value: str) -> None:
        metadata = self._metadata()
        if is_empty(metadata.get("annotations")):
            metadata["annotations"] = Map()
        set_field(metadata["annotations"], name, text(value))

    def enable(self, name: str) -> None:
        self.set_annotations({**self.annotations(), name: ENABLED})

    def is_enabled(self, name: str) -> bool:
        return self.annotation(name) == ENABLED

    def append_to(self, name: str, value: str) -> None:
        """To a list in an annotation."""
        if value:
            self.set_annotation(name, ",".join((*self.listed(name), value)))

    def listed(self, name: str) -> list[str]:
        value = self.annotation(name)
        return [] if value is None else value.split(",")

    def internal_annotations(self) -> dict[str, str]:
        return {key: value for key, value in self.annotations().items() if key.startswith(INTERNAL) or key in _LEGACY}

    def remove_build_annotations(self) -> None:
        annotations = self.annotations()
        if annotations:
            self.set_annotations({key: one for key, one in annotations.items() if key not in BUILD_ANNOTATIONS})

    # What a generator or patch takes over.

    def take_metadata_of(self, other: Resource) -> None:
        """Labels and annotations of both, of which ours count; what the build remembers only of the other."""
        self.set_labels({**other.labels(), **self.labels()})
        ours, theirs = self.annotations(), other.annotations()
        merged = {key: value for key, value in {**theirs, **ours}.items() if key not in BUILD_ANNOTATIONS}
        merged |= {key: theirs[key] for key in BUILD_ANNOTATIONS if key in theirs}
        if NEEDS_HASH not in ours:
            merged.pop(NEEDS_HASH, None)
        self.set_annotations(merged)
        self.set_name(other.name)
        self.set_namespace(other.namespace)
        self.variables = list(other.variables)

    def context_equals(self, other: Resource, *, allow_empty: bool) -> bool:
        """Whether both got the same prefixes and suffixes, as far as they have any."""
        for name in (PREFIXES, SUFFIXES):
            ours, theirs = self.listed(name), other.listed(name)
            if not (allow_empty and (not ours or not theirs)) and not _same_ending(ours, theirs):
                return False
        return True


def _same_ending(one: list[str], other: list[str]) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return not longer if not shorter else longer[len(longer) - len(shorter) :] == shorter
