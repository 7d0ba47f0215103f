"""What may become of a node. Kubernetes: pkg/apis/core/validation, ValidateNodeUpdate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid
from localplane.apimachinery.schema.values import identity
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.metadata import metadata_update_errors
from localplane.catalog.validation.values import repeated

from .annotations import annotation_errors
from .config_sources import config_source_errors, config_status_errors
from .taints import taint_errors
from .validation import POD_CIDRS, STATUS, TAINTS, feature_errors, resource_errors

JSONObject = Mapping[str, Any]

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
