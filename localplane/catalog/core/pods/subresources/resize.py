"""What a resize may change. Kubernetes: pkg/apis/core/validation, ValidatePodResize."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, forbidden, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.core.pods.qos import qos_class
from localplane.catalog.core.pods.semantics import equal
from localplane.catalog.core.pods.validation.annotations import MIRROR
from localplane.catalog.core.pods.validation.pods import pod_errors
from localplane.catalog.validation.metadata import metadata_update_errors

_SPEC = Path("spec")
_KINDS = ("initContainers", "containers")
_RESIZABLE = ("cpu", "memory")
_ONLY = "only cpu and memory resources are mutable"
_ONLY_INIT = "only cpu and memory resources for init or sidecar containers are mutable"
_RESTARTED = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"


def resize_errors(pod: JSONObject, old: JSONObject) -> list[FieldError]:
    if MIRROR in (old["metadata"].get("annotations") or {}):
        return [forbidden("", "static pods cannot be resized")]
    spec, before = pod["spec"], old["spec"]
    if (before.get("os") or {}).get("name") == "windows":
        return [forbidden("", "windows pods cannot be resized")]
    errors = collected(metadata_update_errors(pod, old), pod_errors(pod), _class_errors(pod, old))
    masked: JSONObject = copied(spec)
    if any(_has_amounts(each.get("resources")) for each in (spec, before)):
        errors += _pod_level_errors(masked, before)
    if order := list(_order_errors(spec, before)):
        return errors + order
    for kind in _KINDS:
        for index, (new, was) in enumerate(zip(spec.get(kind) or (), before.get(kind) or (), strict=True)):
            place = (_SPEC / kind)[index] / "resources"
            errors += _removal_errors(new.get("resources"), was.get("resources"), place, "resource")
    errors += _container_errors(masked, before)
    if not equal(spec.get("volumes"), before.get("volumes")):
        gate = "InPlacePodVerticalScalingMemoryBackedVolumes"
        why = f"volumes are immutable on resize when {gate} feature gate is disabled"
        errors.append(forbidden(_SPEC / "volumes", why))
    if not errors and not equal(masked, before):
        errors.append(forbidden(_SPEC, _ONLY))
    return errors


def _class_errors(pod: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    status = old.get("status") or {}
    if (status.get("qosClass") or qos_class(old)) != qos_class(pod):
        told = (pod.get("status") or {}).get("qosClass", "")
        yield invalid(_SPEC, told, "Pod QOS Class may not change as a result of resizing")
    running = (each for each in status.get("containerStatuses") or () if (each.get("state") or {}).get("running"))
    first = next(running, None)
    if first is not None and first.get("resources") is None:
        yield forbidden(_SPEC, "Pod running on node without support for resize")


def _has_amounts(resources: Mapping[str, Any] | None) -> bool:
    return bool(resources and (resources.get("requests") or resources.get("limits")))


def _pod_level_errors(masked: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    """Lays the resizable part back to what it was, in `masked`."""
    old, new = before.get("resources"), masked.get("resources")
    if new is None:
        if old is not None:
            yield forbidden(_SPEC / "resources", "pod-level resources cannot be removed")
        return
    if old is not None:
        yield from _removal_errors(new, old, _SPEC / "resources", "pod-level resource")
    masked["resources"] = _masked(new, old or {})
    if old is None and not masked["resources"]:
        del masked["resources"]
    if not equal(masked.get("resources"), old):
        yield forbidden(_SPEC, f"{_ONLY} at pod-level")


def _removal_errors(new: JSONObject | None, old: JSONObject | None, path: Path, what: str) -> Iterator[FieldError]:
    for kind in ("requests", "limits"):
        if (old or {}).get(kind, {}).keys() - ((new or {}).get(kind) or {}).keys():
            yield forbidden(path / kind, f"{what} {kind} cannot be removed")


def _masked(new: JSONObject, old: JSONObject) -> JSONObject:
    """Resources with the resizable amounts as they were."""
    masked = {name: value for name, value in new.items() if name not in ("requests", "limits")}
    for kind in ("limits", "requests"):
        amounts = {name: value for name, value in (new.get(kind) or {}).items() if name not in _RESIZABLE}
        amounts |= {name: value for name, value in (old.get(kind) or {}).items() if name in _RESIZABLE}
        if amounts:
            masked[kind] = amounts
    return masked


def _order_errors(spec: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    for kind in reversed(_KINDS):
        new, old = spec.get(kind) or (), before.get(kind) or ()
        if len(new) != len(old):
            yield forbidden(_SPEC / kind, f"{kind} may not be added or removed on resize")
            continue
        for index, (each, its) in enumerate(zip(new, old, strict=True)):
            if each.get("name") != its.get("name"):
                path = (_SPEC / kind)[index] / "name"
                yield forbidden(path, f"{kind} may not be renamed or reordered on resize")


def _container_errors(masked: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    """Lays the resizable part of every container back to what it was, in `masked`."""
    for kind in reversed(_KINDS):
        for index, (container, old) in enumerate(zip(masked.get(kind) or (), before.get(kind) or (), strict=True)):
            was_changed = not equal(container, old)
            container["resources"] = _masked(container.get("resources") or {}, old.get("resources") or {})
            is_init = kind == _KINDS[0]
            path = (_SPEC / kind)[index] if is_init else _SPEC
            if not equal(container, {"resources": {}} | old):
                yield forbidden(path, _ONLY_INIT if is_init else _ONLY)
            if is_init and was_changed and container.get("restartPolicy") != "Always":
                policies = container.get("resizePolicy") or ()
                yield from (
                    forbidden(path, _RESTARTED) for each in policies if each.get("restartPolicy") == "RestartContainer"
                )
