"""What all six kinds have in common: their metadata, and names that no client may take.

Names ending in .static.k8s.io belong to configurations that a server reads from files. Kubernetes:
pkg/apis/admissionregistration/validation, static_suffix.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objectmeta import validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Request
from localplane.catalog.strategy import Asked, BuiltinStrategy

_SUFFIX = ".static.k8s.io"
_RESERVED = (
    f"names ending with {go_quote(_SUFFIX)} are reserved for static manifest-based configurations and cannot be "
    "managed via the API"
)
_NAME = Path("metadata") / "name"


class ConfigurationStrategy(BuiltinStrategy):
    on_update = (Asked.OBJECT,)

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        name = obj["metadata"].get("name", "")
        reserved = [invalid(_NAME, name, _RESERVED)] if name.endswith(_SUFFIX) else []
        return collected(self.metadata_errors(obj), self.errors(obj, None), reserved)

    def metadata_errors(self, obj: JSONObject) -> list[FieldError]:
        """Finalizers may have any name."""
        return validate_object_meta(obj["metadata"], namespaced=self.namespaced, validate_name=self.valid_name)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return [f"{_NAME}: {_RESERVED}"] if obj["metadata"].get("name", "").endswith(_SUFFIX) else []
