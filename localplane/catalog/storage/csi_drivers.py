"""CSIDrivers: what a driver can do, and what it wants to know of pods. Kubernetes: pkg/registry/storage/csidriver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, not_supported, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import BuiltinStrategy
from localplane.catalog.validation.metadata import immutable_errors
from localplane.catalog.validation.rules import AtLeast, Changes, Fields, Immutable, OneOf, Optional, Present, Struct

_DEFAULTS: JSONObject = {
    "attachRequired": True,
    "podInfoOnMount": False,
    "storageCapacity": False,
    "fsGroupPolicy": "ReadWriteOnceWithFSType",
    "requiresRepublish": False,
    "seLinuxMount": False,
    "preventPodSchedulingIfMissing": False,
}
_ATTACH_REQUIRED = "attachedRequired"
"""What Kubernetes calls `attachRequired` in messages."""
_MODES = ("Persistent", "Ephemeral")
_SHORTEST_TOKEN, _LONGEST_TOKEN = 600, 1 << 32
_TOKENS_IN_SECRETS = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes"
)


def default_csi_driver(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    for field, value in _DEFAULTS.items():
        spec.setdefault(field, value)
    if not spec.get("volumeLifecycleModes"):
        spec["volumeLifecycleModes"] = ["Persistent"]


def _attach_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    if spec.get("attachRequired") is None:
        yield required(path / _ATTACH_REQUIRED)


def _token_errors(requests: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
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


def _mode_errors(modes: Sequence[str], path: Path) -> Iterator[FieldError]:
    """They are told of at the list."""
    return (not_supported(path, mode, _MODES) for mode in modes if mode not in _MODES)


def _secret_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not spec.get("tokenRequests"):
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        yield invalid(path / "serviceAccountTokenInSecrets", in_secrets, detail)


def _same_attach_required(obj: JSONObject, old: JSONObject, path: Path) -> list[FieldError]:
    spec, before = obj.get("spec") or {}, old.get("spec") or {}
    place = path / "spec" / _ATTACH_REQUIRED
    return immutable_errors(spec.get("attachRequired"), before.get("attachRequired"), place)


class CSIDriverStrategy(BuiltinStrategy):
    """Its generation only counts changes: a new one has none."""

    tracks_generation = False
    rules = Fields(
        spec=Struct(
            _attach_errors,
            Fields(
                podInfoOnMount=Present(),
                storageCapacity=Present(),
                fsGroupPolicy=OneOf("File", "None", "ReadWriteOnceWithFSType"),
                tokenRequests=Optional(_token_errors),
                volumeLifecycleModes=Optional(_mode_errors),
                seLinuxMount=Present(),
                nodeAllocatableUpdatePeriodSeconds=AtLeast(10, "must be greater than or equal to 10 seconds"),
            ),
            _secret_errors,
            Fields(preventPodSchedulingIfMissing=Present()),
        )
    )
    changes = Changes(_same_attach_required, Immutable("spec.volumeLifecycleModes"))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return _warnings(obj.get("spec") or {})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        if not same(obj.get("spec"), old.get("spec")):
            obj["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        spec, before = obj.get("spec") or {}, old.get("spec") or {}
        return [] if same(spec.get("tokenRequests"), before.get("tokenRequests")) else _warnings(spec)


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
        ",".join(token.get("audience", "") for token in tokens) if tokens else "<unset>",
        bool(spec.get("requiresRepublish")),
        ",".join(spec.get("volumeLifecycleModes") or ()) or "<none>",
        age(metadata.get("creationTimestamp")),
    ]


CSI_DRIVERS = builtin(
    "storage.k8s.io/csidrivers", strategy=CSIDriverStrategy(), default=default_csi_driver, cells=csi_driver_cells
)
