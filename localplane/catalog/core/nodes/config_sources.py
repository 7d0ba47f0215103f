"""Where a kubelet once had its configuration from. Nobody reads it any more, but what an old node holds is checked.

Kubernetes: pkg/apis/core/validation, validateNodeConfigSourceSpec and validateNodeConfigStatus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain
from localplane.catalog.core.data_keys import key_problems
from localplane.catalog.internal_form import internal_form

JSONObject = Mapping[str, Any]

_CHECKS: dict[str, Callable[[str], list[str]]] = {
    "namespace": dns1123_label,
    "name": dns1123_subdomain,
    "kubeletConfigKey": key_problems,
}


def config_source_errors(source: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """As a spec asks for it: which one of that name is not for it to say."""
    if source is None:
        return
    if (reference := source.get("configMap")) is not None:
        for field in ("uid", "resourceVersion"):
            if reference.get(field):
                yield forbidden(path / "configMap" / field, f"{field} must not be set in spec")
    yield from _source_errors(source, path)


def config_status_errors(status: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """As a status tells what is in use."""
    for part in ("assigned", "active", "lastKnownGood"):
        source = (status or {}).get(part)
        if source is None:
            continue
        if (reference := source.get("configMap")) is not None:
            for field in ("uid", "resourceVersion"):
                if not reference.get(field):
                    yield required(path / part / "configMap" / field)
        yield from _source_errors(source, path / part)


def _source_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    reference = source.get("configMap")
    if reference is None:
        shown = internal_form(source, "core.NodeConfigSource")
        yield invalid(path, shown, "exactly one reference subfield must be non-nil")
        return
    for field, problems in _CHECKS.items():
        place, value = path / "configMap" / field, reference.get(field, "")
        if not value:
            yield required(place)
        else:
            yield from (invalid(place, value, problem) for problem in problems(value))
