"""The annotation that remembers what was applied, byte for byte as kubectl writes it.

Kubernetes: kubectl/pkg/util/apply.go.
"""

from __future__ import annotations

from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import JSONObject, sorted_keys

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


def encoded(obj: JSONObject) -> str:
    """Keys in order, Go's escapes, and a line break at the end."""
    return go_json(sorted_keys(obj)) + "\n"


def written(obj: JSONObject) -> bytes:
    """The object as Go sends it: the same."""
    return encoded(obj).encode()


def original(obj: JSONObject) -> str | None:
    """What was applied before."""
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    found = annotations.get(ANNOTATION)
    return None if found is None else str(found)


def bare(obj: JSONObject) -> JSONObject:
    """A copy without the annotation, but with annotations: the empty map is written too."""
    metadata = dict(obj.get("metadata") or {})
    annotations = metadata.get("annotations") or {}
    metadata["annotations"] = {key: value for key, value in annotations.items() if key != ANNOTATION}
    return {**obj, "metadata": metadata}


def annotated(obj: JSONObject) -> JSONObject:
    """A copy that remembers itself."""
    plain = bare(obj)
    plain["metadata"]["annotations"][ANNOTATION] = encoded(plain)
    return plain


def create_or_update(obj: JSONObject, *, create: bool) -> JSONObject:
    """With the annotation if it is asked for, or there already. Kubernetes: CreateOrUpdateAnnotation."""
    return annotated(obj) if create or original(obj) else obj
