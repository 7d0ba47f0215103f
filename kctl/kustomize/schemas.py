"""Which lists a strategic merge patch merges, and which kinds have no namespace.

The built-in answer, or that of an OpenAPI document which a kustomization names. Kubernetes: kyaml/openapi.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol

from kctl.kustomize import builtin_kinds
from kctl.kustomize.errors import KustomizeError

_BUILTIN_VERSION = "v1.21.2"
_GVK = "x-kubernetes-group-version-kind"


class Schema(Protocol):
    """What is known of a field."""

    @property
    def keys(self) -> tuple[str, ...] | None:
        """By which elements are merged; none for a list of texts. None if the list is replaced."""

    def field(self, name: str) -> Schema | None: ...

    def elements(self) -> Schema | None: ...


class _Builtin:
    """`fields` is a row of `builtin_kinds`."""

    def __init__(self, fields: dict[str, str], keys: tuple[str, ...] | None = None, element: str = "") -> None:
        self.keys = keys
        self._fields = fields
        self._element = element

    def field(self, name: str) -> Schema | None:
        entry = self._fields.get(name)
        if entry is None:
            return None
        if not entry.startswith("["):
            return _Builtin(builtin_kinds.LISTS[entry])
        keys, _, element = entry[1:].partition("]")
        return _Builtin({}, tuple(keys.split(",")) if keys else (), element.strip())

    def elements(self) -> Schema | None:
        return None if self.keys is None else _Builtin(builtin_kinds.LISTS.get(self._element, {}))


class _Documented:
    """A schema of an OpenAPI document."""

    def __init__(self, schema: dict[str, Any], definitions: dict[str, Any]) -> None:
        for _ in range(100):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                break
            schema = definitions.get(reference.rsplit("/", 1)[-1]) or {}
        self._schema = schema
        self._definitions = definitions

    @property
    def keys(self) -> tuple[str, ...] | None:
        if "merge" not in str(self._schema.get("x-kubernetes-patch-strategy", "")).split(","):
            return None
        several = self._schema.get("x-kubernetes-list-map-keys")
        if isinstance(several, list):
            return tuple(map(str, several))
        one = self._schema.get("x-kubernetes-patch-merge-key")
        return () if one is None else (str(one),)

    def field(self, name: str) -> Schema | None:
        inner = (self._schema.get("properties") or {}).get(name)
        if inner is None:
            inner = self._schema.get("additionalProperties")
        return _Documented(inner, self._definitions) if isinstance(inner, dict) else None

    def elements(self) -> Schema | None:
        inner = self._schema.get("items")
        if self._schema.get("type") not in ("array", ["array"]) or not isinstance(inner, dict):
            return None
        return _Documented(inner, self._definitions)


def documented(schema: dict[str, Any]) -> Schema:
    """A schema by itself, without definitions."""
    return _Documented(schema, {})


class Schemas:
    """One build's knowledge. A document of the outermost kustomization takes the built-in schemas' place; one of a
    base is added, unless there is one already."""

    def __init__(self) -> None:
        self._document: bytes | None = None
        self._version = ""
        self._read = False
        self._asked_builtin = False
        self._builtin = False
        self._definitions: dict[str, Any] = {}
        self._types: dict[tuple[str, str], dict[str, Any]] = {}
        self._scopes: dict[tuple[str, str], bool] = {}

    def use(self, openapi: dict[str, str], document: bytes | None, *, outermost: bool) -> None:
        """What a kustomization's `openapi` says. Raises KustomizeError."""
        if (self._version or self._document is not None) and not outermost:
            return
        version = openapi.get("version", "")
        if document is not None:
            if "version" in openapi:
                raise KustomizeError("builtin version and custom schema provided, cannot use both")
            self._document, self._version, self._read = document, "custom", False
            return
        self._version = version
        if version and version != _BUILTIN_VERSION:
            raise KustomizeError("the specified OpenAPI version is not built in")

    def is_cluster_scoped(self, api_version: str, kind: str) -> bool:
        """Whether it is certain that the kind has no namespaces."""
        known = _scopes().get((api_version, kind))
        if known is not None:
            return not known
        if not self._read:
            if self._document is None:
                self._asked_builtin = True
                return False
            self._read_all()
        return self._scopes.get((api_version, kind)) is False

    def of(self, api_version: str, kind: str) -> Schema | None:
        if not self._read:
            self._read_all()
        if self._builtin and (api_version, kind) in _scopes():
            return _Builtin({"metadata": "ObjectMeta", **builtin_kinds.KINDS.get(kind, {})})
        definition = self._types.get((api_version, kind))
        return None if definition is None else _Documented(definition, self._definitions)

    def _read_all(self) -> None:
        self._read = True
        if self._document is not None:
            self._read_document(self._document)
        self._builtin = self._builtin or self._document is None or self._asked_builtin

    def _read_document(self, document: bytes) -> None:
        from localplane.apimachinery.serializers.errors import SerializationError
        from localplane.apimachinery.serializers.yaml import parse_yaml

        try:
            swagger = parse_yaml(document).value
        except SerializationError as error:
            raise KustomizeError(f"invalid schema file: {error}") from error
        if not isinstance(swagger, dict):
            raise KustomizeError("invalid schema file: it is no object")
        self._definitions = swagger.get("definitions") or {}
        for definition in self._definitions.values():
            for gvk in definition.get(_GVK) or () if isinstance(definition, dict) else ():
                self._types[_type(gvk)] = definition
        for path, methods in (swagger.get("paths") or {}).items():
            gvk = ((methods or {}).get("get") or {}).get(_GVK)
            if isinstance(gvk, dict):
                if "namespaces/{namespace}" in path:
                    self._scopes[_type(gvk)] = True
                else:
                    self._scopes.setdefault(_type(gvk), False)


def _type(gvk: dict[str, Any]) -> tuple[str, str]:
    group, version = gvk.get("group") or "", gvk.get("version") or ""
    return (f"{group}/{version}" if group else str(version)), str(gvk.get("kind", ""))


@cache
def _scopes() -> dict[tuple[str, str], bool]:
    """Whether a built-in kind has namespaces."""
    return {
        (api_version, kind): namespaced
        for table, namespaced in ((builtin_kinds.NAMESPACED, True), (builtin_kinds.CLUSTER_SCOPED, False))
        for api_version, kinds in table.items()
        for kind in kinds.split()
    }
