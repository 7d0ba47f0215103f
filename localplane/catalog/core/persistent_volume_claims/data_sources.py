"""What a claim's volume shall be filled with: `dataSource`, which knows two kinds of it, and `dataSourceRef`.

The latter knows any. Each is filled in from the other. Kubernetes: pkg/api/persistentvolumeclaim.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied

_KNOWN = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


def prepare_data_sources(spec: JSONObject, before: Mapping[str, Any]) -> None:
    """Before a spec is checked. `before` is what stood in its place, or nothing.

    Sources in other namespaces are switched off. A `dataSource` of an unknown kind has always been ignored, unless the
    claim had one already or speaks the newer language too.
    """
    reference = spec.get("dataSourceRef")
    if reference is not None and reference.get("namespace") and before.get("dataSourceRef") is None:
        del spec["dataSourceRef"]
    in_use = before.get("dataSource") is not None or before.get("dataSourceRef") is not None
    if not in_use and spec.get("dataSourceRef") is None and not _is_known(spec.get("dataSource")):
        spec.pop("dataSource", None)
    _normalize(spec)


def normalized(spec: Mapping[str, Any]) -> JSONObject:
    """A copy of a stored spec, with what it would have if it were stored now."""
    fresh: JSONObject = copied(dict(spec))
    _normalize(fresh)
    return fresh


def _is_known(source: Mapping[str, Any] | None) -> bool:
    return source is not None and (source.get("apiGroup") or "", source.get("kind", "")) in _KNOWN


def _normalize(spec: JSONObject) -> None:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and reference is None:
        spec["dataSourceRef"] = _identity(source)
    elif reference is not None and source is None and not reference.get("namespace"):
        spec["dataSource"] = _identity(reference)


def _identity(source: Mapping[str, Any]) -> JSONObject:
    return {name: source.get(name) for name in ("apiGroup", "kind", "name")}
