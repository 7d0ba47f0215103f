"""What a claim asks for: requests, what they have in common, and configuration for those who serve them.

Kubernetes: pkg/apis/resource/validation, validateResourceClaimSpec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.catalog.validation.declared import long_name_errors
from localplane.catalog.validation.rules import DNS_LABEL, DNS_SUBDOMAIN, Fields, Required

from .device_selectors import CONFIGURATIONS_MAX, SELECTORS_MAX, configuration_errors, selector_errors
from .lists import itself, name_of, set_errors, slice_errors
from .names import declared_full_name_errors
from .taints import TOLERATIONS, default_toleration

JSONObject = Mapping[str, Any]
RequestNames = Mapping[str, frozenset[str]]

REQUESTS_MAX = 32
_CHOICES_MAX, _CONSTRAINTS_MAX = 8, 32
_MODES = ("All", "ExactCount")
_CLASS = Fields(deviceClassName=Required(DNS_SUBDOMAIN))
_DECLARED_CLASS = Fields(deviceClassName=Required(long_name_errors))
_NO_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"


def default_claim_spec(spec: Mapping[str, Any]) -> None:
    for request in (spec.get("devices") or {}).get("requests") or ():
        exactly = request.get("exactly")
        for asked in (*([exactly] if exactly is not None else ()), *(request.get("firstAvailable") or ())):
            _default_asked(asked)


def _default_asked(asked: dict[str, Any]) -> None:
    if not asked.get("allocationMode"):
        asked["allocationMode"] = "ExactCount"
    if asked["allocationMode"] == "ExactCount" and not asked.get("count"):
        asked["count"] = 1
    for toleration in asked.get("tolerations") or ():
        default_toleration(toleration)


def drop_disabled_fields(spec: Mapping[str, Any]) -> None:
    """Attributes that are derived by expressions are off unless asked for."""
    for request in (spec.get("devices") or {}).get("requests") or ():
        for asked in (request.get("exactly") or {}, *(request.get("firstAvailable") or ())):
            asked.pop("derivedAttributes", None)


def request_names(spec: JSONObject) -> RequestNames:
    """The names of all requests, each with those of its choices."""
    requests = (spec.get("devices") or {}).get("requests") or ()
    return {name_of(each): frozenset(map(name_of, each.get("firstAvailable") or ())) for each in requests}


def claim_spec_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    devices, place, names = spec.get("devices") or {}, path / "devices", request_names(spec)
    yield from set_errors(devices.get("requests") or (), REQUESTS_MAX, _request_errors, name_of, place / "requests")
    constraint_rule = partial(_constraint_errors, names)
    yield from slice_errors(devices.get("constraints") or (), _CONSTRAINTS_MAX, constraint_rule, place / "constraints")
    configuration_rule = partial(claim_configuration_errors, names)
    yield from slice_errors(devices.get("config") or (), CONFIGURATIONS_MAX, configuration_rule, place / "config")


def _request_errors(request: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from DNS_LABEL(name_of(request), path / "name")
    exactly, choices = request.get("exactly"), request.get("firstAvailable") or ()
    if exactly is None and not choices:
        yield required(path, "exactly one of `exactly` or `firstAvailable` is required")
    elif exactly is not None and choices:
        detail = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"
        yield invalid(path, None, detail)
    elif exactly is not None:
        yield from _CLASS(exactly, path / "exactly")
        yield from _asked_errors(exactly, path / "exactly")
    else:
        yield from set_errors(choices, _CHOICES_MAX, _choice_errors, name_of, path / "firstAvailable")


def _choice_errors(choice: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from DNS_LABEL(name_of(choice), path / "name")
    yield from _DECLARED_CLASS(choice, path)
    yield from _asked_errors(choice, path)


def _asked_errors(asked: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from slice_errors(asked.get("selectors") or (), SELECTORS_MAX, selector_errors, path / "selectors")
    mode, count = asked.get("allocationMode") or "", asked.get("count") or 0
    if mode == "All":
        if count:
            yield invalid(path / "count", count, "must not be specified when allocationMode is 'All'")
    elif mode == "ExactCount":
        if count <= 0:
            yield invalid(path / "count", count, "must be greater than zero")
    else:
        yield not_supported(path / "allocationMode", mode, _MODES)
    yield from TOLERATIONS(asked, path)


def _constraint_errors(names: RequestNames, constraint: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from request_list_errors(names, constraint, path)
    given = [field for field in ("matchAttribute", "distinctAttribute") if constraint.get(field) is not None]
    for field in given:
        yield from declared_full_name_errors(constraint[field], path / field)
    if not given:
        detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
        yield required(path, detail)


def claim_configuration_errors(names: RequestNames, configuration: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from request_list_errors(names, configuration, path)
    yield from configuration_errors(configuration, path)


def request_list_errors(names: RequestNames, holder: JSONObject, path: Path) -> Iterator[FieldError]:
    rule = partial(request_reference_errors, names)
    yield from set_errors(holder.get("requests") or (), REQUESTS_MAX, rule, itself, path / "requests")


def request_reference_errors(names: RequestNames, reference: str, path: Path) -> Iterator[FieldError]:
    """`request` or `request/choice`."""
    segments = reference.split("/")
    if len(segments) > 2:
        yield invalid(path, reference, _NO_REQUEST)
        return
    for segment in segments:
        yield from DNS_LABEL(segment, path)
    choices = names.get(segments[0])
    if choices is None or not choices.issuperset(segments[1:]):
        yield invalid(path, reference, _NO_REQUEST)
