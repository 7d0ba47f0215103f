"""ResourceClaims: what is asked of devices, and what was given.

Kubernetes: pkg/registry/resource/resourceclaim and pkg/apis/resource/validation, ValidateResourceClaim.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, collected
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import STATUS, Asked, BuiltinStrategy
from localplane.catalog.validation.declared import unshown
from localplane.catalog.validation.metadata import metadata_update_errors
from localplane.catalog.validation.rules import Fields, Immutable, Struct

from .claim_specs import claim_spec_errors, default_claim_spec, drop_disabled_fields
from .claim_statuses import allocated_devices, device_id, status_errors
from .taints import default_toleration


class ResourceClaimStrategy(BuiltinStrategy):
    """The spec never changes."""

    allow_unconditional_update = True
    tracks_generation = False
    rules = Fields(spec=Struct(claim_spec_errors))
    changes = Immutable("spec", absent={}, shown=unshown)
    on_update = (Asked.METADATA, Asked.CHANGES)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        drop_disabled_fields(obj.get("spec") or {})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_disabled_fields(obj.get("spec") or {})

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(self.metadata_errors(obj), super().validate_update(request, obj, old))


class ResourceClaimStatusStrategy(StatusStrategy):
    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """What is reported of a device goes when the device is no longer allocated."""
        super().prepare_for_update(request, obj, old)
        status = obj.get("status") or {}
        for result in ((status.get("allocation") or {}).get("devices") or {}).get("results") or ():
            result.pop("skipNodeOperations", None)
        gone = allocated_devices(old.get("status") or {}) - allocated_devices(status)
        reported = [device for device in status.pop("devices", None) or () if device_id(device) not in gone]
        if reported:
            status["devices"] = reported

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), status_errors(obj, old, STATUS))


def default_resource_claim(obj: JSONObject) -> None:
    default_claim_spec(obj.get("spec") or {})
    allocation = (obj.get("status") or {}).get("allocation") or {}
    for result in (allocation.get("devices") or {}).get("results") or ():
        for toleration in result.get("tolerations") or ():
            default_toleration(toleration)


def resource_claim_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), _state(obj), age(metadata.get("creationTimestamp"))]


def _state(obj: JSONObject) -> str:
    status = obj.get("status") or {}
    states = ["deleted"] if (obj.get("metadata") or {}).get("deletionTimestamp") else []
    if status.get("allocation") is None:
        return ",".join(states or ["pending"])
    states.append("allocated")
    return ",".join([*states, "reserved"] if status.get("reservedFor") else states)


RESOURCE_CLAIMS = builtin(
    "resource.k8s.io/resourceclaims",
    strategy=ResourceClaimStrategy(),
    status_strategy=ResourceClaimStatusStrategy,
    default=default_resource_claim,
    cells=resource_claim_cells,
)
