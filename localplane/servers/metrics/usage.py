"""What containers of a simulated node use: what their pod's annotations say, or a little.

`simulation.localplane/cpu` and `memory` are what a pod uses, spread evenly over its containers, and
`simulation.localplane/cpu.NAME` is what one of them does. `kwok.x-k8s.io/usage-cpu` and `usage-memory` are what each
container uses, as for kwok.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.quantity import Format, InvalidQuantity, Quantity, parse

_PREFIX: Final = "simulation.localplane/"
_KWOK: Final = "kwok.x-k8s.io/usage-"
_SIMULATED: Final = ("kwok.x-k8s.io/node", "fake")
_NODE_LABEL: Final = (f"{_PREFIX}node", "true")
_NANO: Final = -9
_DEFAULTS: Final = {"cpu": Quantity(1, -3), "memory": Quantity(8 * 2**20, 0, Format.BINARY_SI)}
_OF_NODE: Final = {"cpu": Quantity(50, -3), "memory": Quantity(256 * 2**20, 0, Format.BINARY_SI)}
"""What a node uses for itself."""


def is_measured(node: Mapping[str, Any]) -> bool:
    """Whether somebody would answer for a node: it is simulated, and well."""
    metadata = node["metadata"]
    key, value = _SIMULATED
    label, on = _NODE_LABEL
    is_simulated = (metadata.get("annotations") or {}).get(key) == value or (metadata.get("labels") or {}).get(
        label
    ) == on
    conditions = (node.get("status") or {}).get("conditions") or ()
    return is_simulated and any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def is_running(pod: Mapping[str, Any]) -> bool:
    return (pod.get("status") or {}).get("phase") == "Running"


def container_usages(pod: Mapping[str, Any]) -> dict[str, dict[str, Quantity]]:
    """By the names of containers, those that last."""
    names = _lasting_containers(pod)
    annotations = pod["metadata"].get("annotations") or {}
    return {
        name: {resource: _used(annotations, resource, name, share=len(names)) for resource in _DEFAULTS}
        for name in names
    }


def _lasting_containers(pod: Mapping[str, Any]) -> list[str]:
    spec = pod.get("spec") or {}
    sidecars = (each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always")
    return [each["name"] for each in (*(spec.get("containers") or ()), *sidecars)]


def _used(annotations: Mapping[str, str], resource: str, container: str, *, share: int) -> Quantity:
    own = _read(annotations.get(f"{_PREFIX}{resource}.{container}"))
    if own is not None:
        return own
    whole = _read(annotations.get(f"{_PREFIX}{resource}"))
    if whole is not None:
        return _shared(whole, resource, share)
    return _read(annotations.get(f"{_KWOK}{resource}")) or _DEFAULTS[resource]


def _read(text: str | None) -> Quantity | None:
    """What can't be read was not said."""
    try:
        return parse(text) if text else None
    except InvalidQuantity:
        return None


def _shared(whole: Quantity, resource: str, share: int) -> Quantity:
    if resource == "cpu":
        return Quantity(whole.number * 10 ** max(0, whole.exponent - _NANO) // share, _NANO)
    return Quantity(whole.value() // share, 0, whole.format)


def total(usages: Iterable[Mapping[str, Quantity]]) -> dict[str, Quantity]:
    return _summed({name: Quantity(0) for name in _DEFAULTS}, usages)


def node_usage(pods: Iterable[Mapping[str, Any]]) -> dict[str, Quantity]:
    """What all the pods on a node use, and the node itself."""
    return _summed(dict(_OF_NODE), (usage for pod in pods for usage in container_usages(pod).values()))


def _summed(sums: dict[str, Quantity], usages: Iterable[Mapping[str, Quantity]]) -> dict[str, Quantity]:
    for usage in usages:
        for name, quantity in usage.items():
            sums[name] += quantity
    return sums


def shown(usage: Mapping[str, Quantity]) -> dict[str, str]:
    """In canonical form: no text that somebody wrote stays."""
    return {name: str(Quantity(each.number, each.exponent, each.format)) for name, each in sorted(usage.items())}
