"""ResourceSlices: the devices of a pool, as their driver publishes them.

Kubernetes: pkg/registry/resource/resourceslice and pkg/apis/resource/validation, ValidateResourceSlice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.scheduling import NODE_SELECTOR
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import BuiltinStrategy
from localplane.catalog.validation.rules import DNS_SUBDOMAIN, Always, AtLeast, Changes, Fields, Immutable, Struct

from .devices import counter_set_errors, default_device, device_errors, drop_disabled_fields
from .lists import name_of, set_errors
from .names import driver_errors, pool_errors

_SPEC = Path("spec")
_DEVICES_MAX, _DEMANDING_DEVICES_MAX, _COUNTER_SETS_MAX = 128, 64, 8
_PLACES = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"

_POOL = Fields(
    name=Always(pool_errors),
    resourceSliceCount=Always(AtLeast(1, "must be greater than zero"), absent=0),
    generation=AtLeast(0, "must be greater than or equal to zero"),
)


class ResourceSliceStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    rules = Fields(spec=Struct(Fields(driver=Always(driver_errors), pool=Struct(_POOL))))
    changes = Changes(Immutable("spec.pool.name", absent=""), Immutable("spec.driver", "spec.nodeName"))

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        drop_disabled_fields(obj.get("spec") or {})

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return _warnings(obj)

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_disabled_fields(obj.get("spec") or {})

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        yield from super().errors(obj, old)
        spec = obj.get("spec") or {}
        yield from _place_errors(spec)
        yield from _device_errors(spec, (old or {}).get("spec") or {})

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return _warnings(obj)


def _pool_of(spec: Mapping[str, Any]) -> str:
    return (spec.get("pool") or {}).get("name") or ""


def _device_errors(spec: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[FieldError]:
    devices, counters = spec.get("devices") or (), spec.get("sharedCounters") or ()
    if devices and counters:
        yield invalid(_SPEC, "", "only one of `sharedCounters` or `devices` is allowed")
    demanding = any(device.get("taints") or device.get("consumesCounters") for device in devices)
    limit = _DEMANDING_DEVICES_MAX if demanding else _DEVICES_MAX
    known = {name_of(device): device for device in old.get("devices") or ()}
    rule = partial(device_errors, known=known, has_own_place=bool(spec.get("perDeviceNodeSelection")))
    yield from set_errors(devices, limit, rule, name_of, _SPEC / "devices", shows_key=True)
    yield from set_errors(counters, _COUNTER_SETS_MAX, counter_set_errors, name_of, _SPEC / "sharedCounters")


def _place_errors(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    """Where the devices are: on one node, on some, on all, or each for itself."""
    given, node, selector = [], spec.get("nodeName"), spec.get("nodeSelector")
    if node:
        given.append("nodeName")
        yield from DNS_SUBDOMAIN(node, _SPEC / "nodeName")
    elif node is not None:
        yield invalid(_SPEC / "nodeName", node, "must be either unset or set to a non-empty string")
    if selector is not None:
        given.append("nodeSelector")
        yield from NODE_SELECTOR(selector, _SPEC / "nodeSelector")
        terms = selector.get("nodeSelectorTerms") or []
        if len(terms) != 1:
            place = _SPEC / "nodeSelector" / "nodeSelectorTerms"
            yield invalid(place, terms or None, "must have exactly one node selector term")
    for field in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(field):
            given.append(field)
        elif spec.get(field) is not None:
            yield invalid(_SPEC / field, spec[field], "must be either unset or set to true")
    if not given:
        yield required(_SPEC, _PLACES)
    elif len(given) > 1:
        shown = ", ".join(f"`{field}`" for field in given)
        yield invalid(_SPEC, f"{{{shown}}}", f"{_PLACES}, but multiple fields are set")


def _warnings(obj: JSONObject) -> list[str]:
    driver = (obj.get("spec") or {}).get("driver") or ""
    if driver == driver.lower():
        return []
    return [f"spec.driver: driver names should be lowercase; {go_quote(driver)} contains uppercase characters"]


def default_resource_slice(obj: JSONObject) -> None:
    for device in (obj.get("spec") or {}).get("devices") or ():
        default_device(device)


def resource_slice_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    return [
        metadata.get("name", ""),
        spec.get("nodeName") or "",
        spec.get("driver") or "",
        _pool_of(spec),
        age(metadata.get("creationTimestamp")),
    ]


RESOURCE_SLICES = builtin(
    "resource.k8s.io/resourceslices",
    strategy=ResourceSliceStrategy(),
    default=default_resource_slice,
    cells=resource_slice_cells,
)
