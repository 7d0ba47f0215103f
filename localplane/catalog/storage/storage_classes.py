"""StorageClasses: kinds of storage that claims ask for. Kubernetes: pkg/registry/storage/storageclass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, required
from localplane.apimachinery.names import qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.warnings.placement import node_label_message
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.declared import unshown
from localplane.catalog.validation.rules import Changes, Fields, Immutable, OneOf, Optional, Present
from localplane.catalog.validation.values import repeated

from .parameters import PROVISIONER, parameters_errors

_TOPOLOGIES = Path("allowedTopologies")
_DEFAULT_MARKS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def default_storage_class(obj: JSONObject) -> None:
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


def _topologies_errors(terms: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """No term says what another has said, in whatever order."""
    seen: Counter[frozenset[tuple[str, frozenset[str]]]] = Counter()
    for index, term in enumerate(terms):
        place = path[index] / "matchLabelExpressions"
        expressions = term.get("matchLabelExpressions") or ()
        yield from _expressions_errors(expressions, place)
        meanings = {label.get("key", ""): frozenset(label.get("values") or ()) for label in expressions}
        meaning = frozenset(meanings.items())
        # Kubernetes begins with as many empty places as there are terms, and finds each empty term there.
        repeats = seen[meaning] if meaning else len(terms) + seen[meaning]
        yield from (duplicate(place, "") for _ in range(repeats))
        seen[meaning] += 1


def _expressions_errors(expressions: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """Kubernetes: pkg/apis/core/validation, ValidateTopologySelectorTerm."""
    keys = set()
    for index, expression in enumerate(expressions):
        place, key, values = path[index], expression.get("key", ""), expression.get("values") or []
        if not values:
            yield required(place / "values")
        for number, (value, is_repeated) in enumerate(zip(values, repeated(values), strict=True)):
            if is_repeated:
                yield duplicate((place / "values")[number], value)
        yield from (invalid(place / "key", key, problem) for problem in qualified_name(key))
        if key in keys:
            yield duplicate(place / "key", key)
        keys.add(key)


class StorageClassStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    rules = Fields(
        provisioner=PROVISIONER,
        parameters=Optional(parameters_errors),
        reclaimPolicy=Optional(OneOf("Delete", "Retain")),
        volumeBindingMode=Present(OneOf("Immediate", "WaitForFirstConsumer")),
        allowedTopologies=Optional(_topologies_errors),
    )
    changes = Changes(
        Immutable("provisioner", absent="", shown=unshown),
        Immutable("parameters", absent={}, shown=unshown),
        Immutable("reclaimPolicy", "volumeBindingMode", absent="", shown=unshown),
    )
    on_update = (Asked.OBJECT, Asked.METADATA, Asked.CHANGES)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))


def _warnings(obj: JSONObject) -> Iterator[str]:
    for index, term in enumerate(obj.get("allowedTopologies") or ()):
        for number, expression in enumerate(term.get("matchLabelExpressions") or ()):
            if message := node_label_message(expression.get("key", "")):
                yield f"{(_TOPOLOGIES[index] / 'matchLabelExpressions')[number] / 'key'}: {message}"


def storage_class_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [
        metadata.get("name", ""),
        obj.get("provisioner", ""),
        obj.get("reclaimPolicy", "Delete"),
        obj.get("volumeBindingMode", "Immediate"),
        bool(obj.get("allowVolumeExpansion")),
        age(metadata.get("creationTimestamp")),
    ]


def _rows(objects: Sequence[JSONObject]) -> list[list[Any]]:
    """Of several defaults the youngest counts, and among twins the first by name: it is marked.

    Kubernetes: pkg/printers/internalversion, getEffectiveDefaultStorageClass.
    """
    rows = [storage_class_cells(obj) for obj in objects]
    marked = [index for index, obj in enumerate(objects) if _is_default(obj)]
    marked.sort(key=lambda index: rows[index][0])
    marked.sort(key=lambda index: objects[index]["metadata"].get("creationTimestamp") or "", reverse=True)
    for index in marked[:1]:
        rows[index][0] += " (default)"
    return rows


def _is_default(obj: JSONObject) -> bool:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    return any(annotations.get(mark) == "true" for mark in _DEFAULT_MARKS)


STORAGE_CLASSES = builtin(
    "storage.k8s.io/storageclasses",
    strategy=StorageClassStrategy(),
    default=default_storage_class,
    cells=storage_class_cells,
    list_cells=_rows,
)
