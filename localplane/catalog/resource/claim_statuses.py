"""What was allocated for a claim, who uses it, and what drivers report of its devices.

Kubernetes: pkg/apis/resource/validation, validateResourceClaimStatusUpdate.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.schema.values import identity
from localplane.catalog.core.pods.validation.scheduling import NODE_SELECTOR
from localplane.catalog.validation.conditions import CONDITIONS
from localplane.catalog.validation.rules import DNS_LABEL, All, Always, AtMost, Fields, Longest, Needs, OneOf, Required

from .binding_conditions import binding_condition_errors
from .claim_specs import (
    REQUESTS_MAX,
    RequestNames,
    claim_configuration_errors,
    request_names,
    request_reference_errors,
)
from .device_selectors import CONFIGURATIONS_MAX, raw_object_errors
from .lists import itself, set_errors, slice_errors
from .names import (
    declared_driver_errors,
    declared_pool_errors,
    driver_errors,
    pool_errors,
    share_errors,
)
from .taints import TOLERATIONS

JSONObject = Mapping[str, Any]
DeviceID = tuple[str, str, str, str]

_RESERVED_MAX, _DATA_MAX = 256, 10 * 1024
_ADDRESSES_MAX = 16
_ADDRESS = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"


def device_id(device: JSONObject) -> DeviceID:
    driver, pool, name, share = (device.get(field) or "" for field in ("driver", "pool", "device", "shareID"))
    return driver, pool, name, share


def allocated_devices(status: JSONObject) -> set[DeviceID]:
    results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
    return {device_id(result) for result in results}


def status_errors(claim: JSONObject, old: JSONObject, path: Path) -> Iterator[FieldError]:
    status, before = claim.get("status") or {}, old.get("status") or {}
    reserved, known = status.get("reservedFor") or [], before.get("reservedFor") or []
    yield from set_errors(reserved, _RESERVED_MAX, _CONSUMER, _uid_of, path / "reservedFor")
    device_rule = partial(_device_status_errors, allocated_devices(status))
    yield from set_errors(status.get("devices") or (), -1, device_rule, device_id, path / "devices")
    allocation, allocated = status.get("allocation"), before.get("allocation")
    if reserved and allocation is None:
        yield forbidden(path / "reservedFor", "may not be specified when `allocated` is not set")
    elif (claim.get("metadata") or {}).get("deletionTimestamp") and not set(map(identity, reserved)) <= set(
        map(identity, known)
    ):
        detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
        yield forbidden(path / "reservedFor", detail)
    if allocation is None:
        return
    if allocated is None:
        yield from _allocation_errors(request_names(claim.get("spec") or {}), allocation, path / "allocation")
    elif not same(allocation, allocated):
        yield invalid(path / "allocation", None, "field cannot be modified once set")


def _uid_of(consumer: JSONObject) -> str:
    return consumer.get("uid") or ""


def _allocation_errors(names: RequestNames, allocation: JSONObject, path: Path) -> Iterator[FieldError]:
    devices, place = allocation.get("devices") or {}, path / "devices"
    yield from slice_errors(
        devices.get("results") or (), REQUESTS_MAX, partial(_result_errors, names), place / "results"
    )
    yield from slice_errors(
        devices.get("config") or (), 2 * CONFIGURATIONS_MAX, partial(_configuration_errors, names), place / "config"
    )
    yield from _NODES(allocation, path)


def _result_errors(names: RequestNames, result: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from request_reference_errors(names, result.get("request") or "", path / "request")
    yield from _RESULT(result, path)


def _configuration_errors(names: RequestNames, configuration: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _SOURCE(configuration, path)
    yield from claim_configuration_errors(names, configuration, path)


def _device_status_errors(allocated: set[DeviceID], device: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _DEVICE(device, path)
    if (found := device_id(device)) not in allocated:
        shown = dict(zip(("Driver", "Pool", "Device", "ShareID"), found, strict=True))
        yield invalid(path, shown, "must be an allocated device in the claim")
    yield from _REPORT(device, path)


def _data_errors(data: Any, path: Path) -> Iterator[FieldError]:
    return raw_object_errors(data, path, _DATA_MAX)


def _addresses_errors(addresses: Sequence[str], path: Path) -> Iterator[FieldError]:
    return set_errors(addresses, _ADDRESSES_MAX, _address_errors, itself, path)


def _address_errors(text: str, path: Path) -> Iterator[FieldError]:
    """Kubernetes: util/validation, IsValidInterfaceAddress."""
    try:
        found = ipaddress.ip_interface(text) if "/" in text else None
    except ValueError:
        found = None
    if found is None:
        yield invalid(path, text, _ADDRESS)
    elif str(found) != text:
        yield invalid(path, text, f'must be in canonical form ("{found}")')


_CONSUMER = Needs("resource", "name", "uid")
_NODES = Fields(nodeSelector=NODE_SELECTOR)
_RESULT = All(
    Fields(
        driver=Always(declared_driver_errors),
        pool=Always(declared_pool_errors),
        device=Always(DNS_LABEL),
    ),
    binding_condition_errors,
    TOLERATIONS,
    Fields(shareID=share_errors),
)
_SOURCE = Fields(source=Required(OneOf("FromClaim", "FromClass")))
_DEVICE = Fields(
    driver=Always(driver_errors),
    pool=Always(pool_errors),
    device=Always(DNS_LABEL),
    shareID=share_errors,
)
_REPORT = Fields(
    conditions=All(AtMost(8), CONDITIONS),
    data=_data_errors,
    networkData=Fields(interfaceName=Longest(256), hardwareAddress=Longest(128), ips=_addresses_errors),
)
