"""An owner that is named twice is named once, and the client is told. Kubernetes: endpoints/handlers/rest.go."""

from __future__ import annotations

from typing import Any

import orjson

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.metadata import metadata_of
from localplane.apiserver.request import Request

_WARNING = (
    ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner references in 1.20+, and may "
    "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}"
)


def drop_duplicate_owners(request: Request, obj: JSONObject, *, after_admission: bool = False) -> None:
    metadata = metadata_of(obj)
    references = metadata.get("ownerReferences")
    if not isinstance(references, list) or len(references) < 2:
        return
    kept: dict[bytes, Any] = {}
    duplicates: list[str] = []
    for reference in references:
        written = orjson.dumps(reference, option=orjson.OPT_SORT_KEYS)
        if written in kept:
            duplicates.append(str(reference.get("uid", "")))
        else:
            kept[written] = reference
    if duplicates:
        metadata["ownerReferences"] = list(kept.values())
        when = " after mutating admission happens" if after_admission else ""
        request.warnings.append(_WARNING.format(when, ", ".join(duplicates)))
