"""CSIDrivers: what a driver can do, and what it wants to know of pods. Kubernetes: pkg/registry/storage/csidriver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, duplicate, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.metadata import immutable_errors, metadata_errors, metadata_update_errors
from localplane.catalog.validation.values import one_of

_SPEC = Path("spec")
_DEFAULTS: JSONObject = {
    "attachRequired": True,
    "podInfoOnMount": False,
    "storageCapacity": False,
    "fsGroupPolicy": "ReadWriteOnceWithFSType",
    "requiresRepublish": False,
    "seLinuxMount": False,
    "preventPodSchedulingIfMissing": False,
}
# What must be there, by the name that Kubernetes has for it in messages.
_NEEDED = {
    "attachedRequired": "attachRequired",
    "podInfoOnMount": "podInfoOnMount",
    "storageCapacity": "storageCapacity",
}
_FS_GROUP_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")
_MODES = ("Persistent", "Ephemeral")
_SHORTEST_TOKEN, _LONGEST_TOKEN = 600, 1 << 32
_SHORTEST_PERIOD = 10
_TOKENS_IN_SECRETS = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes"
)


class CSIDriverStrategy(Strategy):
    """Its generation only counts changes: a new one has none."""

    validates_schema = False
    tracks_generation = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain), _spec_errors(obj.get("spec") or {})
        )

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return _warnings(obj.get("spec") or {})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        if not same(obj.get("spec"), old.get("spec")):
            obj["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        spec, before = obj.get("spec") or {}, old.get("spec") or {}
        modes = "volumeLifecycleModes"
        return collected(
            metadata_update_errors(obj, old),
            _spec_errors(spec),
            immutable_errors(spec.get("attachRequired"), before.get("attachRequired"), _SPEC / "attachedRequired"),
            immutable_errors(spec.get(modes), before.get(modes), _SPEC / modes),
        )

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        spec, before = obj.get("spec") or {}, old.get("spec") or {}
        return [] if same(spec.get("tokenRequests"), before.get("tokenRequests")) else _warnings(spec)


def default_csi_driver(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    for field, value in _DEFAULTS.items():
        spec.setdefault(field, value)
    if not spec.get("volumeLifecycleModes"):
        spec["volumeLifecycleModes"] = ["Persistent"]


def _spec_errors(spec: JSONObject) -> Iterator[FieldError]:
    yield from (required(_SPEC / told) for told, field in _NEEDED.items() if spec.get(field) is None)
    if (policy := spec.get("fsGroupPolicy")) is not None:
        yield from one_of(policy, _FS_GROUP_POLICIES, _SPEC / "fsGroupPolicy")
    tokens = spec.get("tokenRequests") or ()
    yield from _token_errors(tokens, _SPEC / "tokenRequests")
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in _MODES:
            yield not_supported(_SPEC / "volumeLifecycleModes", mode, _MODES)
    if spec.get("seLinuxMount") is None:
        yield required(_SPEC / "seLinuxMount")
    period = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if period is not None and period < _SHORTEST_PERIOD:
        place = _SPEC / "nodeAllocatableUpdatePeriodSeconds"
        yield invalid(place, period, "must be greater than or equal to 10 seconds")
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not tokens:
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        yield invalid(_SPEC / "serviceAccountTokenInSecrets", in_secrets, detail)
    if spec.get("preventPodSchedulingIfMissing") is None:
        yield required(_SPEC / "preventPodSchedulingIfMissing")


def _token_errors(requests: Sequence[Mapping[str, Any]], path: Path) -> Iterator[FieldError]:
    """One token for each audience."""
    audiences = set()
    for index, token in enumerate(requests):
        place, audience, seconds = path[index], token.get("audience", ""), token.get("expirationSeconds")
        if audience in audiences:
            yield duplicate(place / "audience", audience)
            continue
        audiences.add(audience)
        if seconds is not None and seconds < _SHORTEST_TOKEN:
            yield invalid(place / "expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
        if seconds is not None and seconds > _LONGEST_TOKEN:
            yield invalid(place / "expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")


def _warnings(spec: JSONObject) -> list[str]:
    if spec.get("tokenRequests") and spec.get("serviceAccountTokenInSecrets") is None:
        return [_TOKENS_IN_SECRETS]
    return []


def csi_driver_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    tokens = spec.get("tokenRequests")
    return [
        metadata.get("name", ""),
        spec.get("attachRequired", True),
        bool(spec.get("podInfoOnMount")),
        bool(spec.get("storageCapacity")),
        ",".join(each.get("audience", "") for each in tokens) if tokens else "<unset>",
        bool(spec.get("requiresRepublish")),
        ",".join(spec.get("volumeLifecycleModes") or ()) or "<none>",
        age(metadata.get("creationTimestamp")),
    ]


CSI_DRIVERS = builtin(
    "storage.k8s.io/csidrivers", strategy=CSIDriverStrategy(), default=default_csi_driver, cells=csi_driver_cells
)
