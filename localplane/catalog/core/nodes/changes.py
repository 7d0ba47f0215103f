"""What may become of a node. Kubernetes: pkg/apis/core/validation, ValidateNodeUpdate.

Where a kubelet once had its configuration from nobody reads any more, but what an old node holds of it is checked
(validateNodeConfigSourceSpec, validateNodeConfigStatus).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, required
from localplane.apimachinery.names import config_map_key, dns1123_label, dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema.values import identity
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.metadata import metadata_update_errors
from localplane.catalog.validation.values import repeated

from .validation import (
    POD_CIDRS,
    STATUS,
    TAINTS,
    annotation_errors,
    feature_errors,
    resource_errors,
    taint_errors,
)

_CHECKS: dict[str, Callable[[str], list[str]]] = {
    "namespace": dns1123_label,
    "name": dns1123_subdomain,
    "kubeletConfigKey": config_map_key,
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


_SPEC = Path("spec")
_CIDRS_STAY = 'node updates may not change podCIDR except from "" to valid'


def node_change_errors(node: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    spec, status = node.get("spec") or {}, node.get("status") or {}
    before = old.get("spec") or {}
    yield from metadata_update_errors(node, old)
    yield from annotation_errors(node)
    yield from resource_errors(status)
    yield from feature_errors(status.get("declaredFeatures") or ())
    yield from _address_errors(status.get("addresses") or ())
    yield from _cidr_change_errors(spec.get("podCIDRs") or (), before.get("podCIDRs") or ())
    yield from _provider_change_errors(spec.get("providerID", ""), before.get("providerID", ""))
    yield from config_source_errors(spec.get("configSource"), _SPEC / "configSource")
    yield from config_status_errors(status.get("config"), STATUS / "config")
    yield from taint_errors(spec.get("taints") or (), TAINTS)
    if spec.get("externalID", "") != before.get("externalID", ""):
        yield forbidden(_SPEC / "externalID", "may not be updated")


def _address_errors(addresses: Sequence[JSONObject]) -> Iterator[FieldError]:
    for index, (address, is_repeated) in enumerate(zip(addresses, repeated(map(identity, addresses)), strict=True)):
        if is_repeated:
            yield duplicate((STATUS / "addresses")[index], internal_form(address, "core.NodeAddress"))


def _cidr_change_errors(blocks: Sequence[str], before: Sequence[str]) -> Iterator[FieldError]:
    """Once it has some, they stay."""
    if not before:
        return
    if len(blocks) != len(before):
        yield forbidden(POD_CIDRS, _CIDRS_STAY)
        return
    yield from (forbidden(POD_CIDRS, _CIDRS_STAY) for old, new in zip(before, blocks, strict=True) if old != new)


def _provider_change_errors(provider: str, before: str) -> Iterator[FieldError]:
    if before and provider != before:
        happened = "modified" if provider else "cleared"
        yield invalid(_SPEC / "providerID", None, f"field cannot be {happened} once set")
