"""The templates of Stages: Go's, with the functions that kwok brings and a few of sprig's.

Functions that tell about the cluster (`NodeIP`, `PodIPsWith`) differ from object to object; they are handed over when a
template is rendered. Kubernetes SIGs: kwok, pkg/utils/gotpl.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.golang.template import FUNCTIONS, FunctionError, Template, execute, parse
from localplane.apimachinery.golang.text import go_json, go_plain, go_quote
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apimachinery.serializers.yaml_writer import to_yaml

Object = Mapping[str, Any]
_VERSION: Final = "v1.0.0"
_CONDITIONS: Final = (
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("NetworkUnavailable", "False", "RouteCreated", "RouteController created a route"),
)


class RenderingFailed(ValueError):
    """Why a template makes no document."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What a template may ask about the cluster: the addresses of a node by its name, and those of a pod by its node,
    uid and whether it is on the node's network."""

    node_ips: Callable[[str], list[str]]
    pod_ips: Callable[[str, bool, str], list[str]]
    node: str = ""


def template(text: str) -> Template:
    """Raises TemplateSyntaxError, for unknown functions too."""
    return parse(text.strip(), "_", _KNOWN)


def rendered(text: Template, obj: Object, around: Neighbourhood) -> Any:
    """The document that comes out. Raises RenderingFailed."""
    bound = text._replace(functions={**_KNOWN, **_about(around)})
    try:
        return parse_yaml(execute(bound, obj).encode()).value
    except (SerializationError, ValueError) as error:
        raise RenderingFailed(str(error)) from error


def _about(around: Neighbourhood) -> dict[str, Callable[..., Any]]:
    def first(addresses: list[str]) -> str:
        return addresses[0] if addresses else ""

    def pod_ips(node: Any, host: Any, uid: Any, name: Any, namespace: Any) -> list[str]:  # noqa: ARG001 - kwok's
        return around.pod_ips(str(node), bool(host), str(uid))

    return {
        "NodeName": lambda: around.node,
        "NodePort": lambda: 10250,
        "NodeIP": lambda: first(around.node_ips(around.node)),
        "NodeIPWith": lambda name: first(around.node_ips(str(name))),
        "NodeIPs": lambda: around.node_ips(around.node),
        "NodeIPsWith": lambda name: around.node_ips(str(name)),
        "PodIP": lambda: first(pod_ips(around.node, "", "", "", "")),
        "PodIPWith": lambda *words: first(pod_ips(*words)),
        "PodIPsWith": pod_ips,
    }


def _quote(value: Any) -> str:
    text = go_json(value)
    return text if text.startswith('"') else go_quote(text)


def _now() -> str:
    return present().isoformat(timespec="microseconds").replace("+00:00", "Z")


def _yaml(value: Any, *indent: Any) -> str:
    text = to_yaml(value).decode()
    if indent and indent[0] > 0:
        pad = " " * (2 * min(int(indent[0]), 20))
        text = f"\n{text}".replace("\n", f"\n{pad}")
    return text


def _dict(*pairs: Any) -> dict[str, Any]:
    if len(pairs) % 2:
        raise FunctionError("dict takes keys and values in turns")
    return {str(key): value for key, value in zip(pairs[::2], pairs[1::2], strict=True)}


def _conditions() -> list[dict[str, str]]:
    names = ("type", "status", "reason", "message")
    return [dict(zip(names, each, strict=True)) for each in _CONDITIONS]


def _number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0


_NOBODY: Final = Neighbourhood(lambda _: [], lambda *_: [])
_STARTED: Final = _now()
_KNOWN: Final[dict[str, Callable[..., Any] | None]] = {
    **FUNCTIONS,
    **_about(_NOBODY),
    "Quote": _quote,
    "Now": _now,
    "StartTime": lambda: _STARTED,
    "YAML": _yaml,
    "Version": lambda: _VERSION,
    "NodeConditions": _conditions,
    "dict": _dict,
    "list": lambda *values: list(values),
    "default": lambda fallback, *value: value[0] if value and value[0] else fallback,
    "coalesce": lambda *values: next((value for value in values if value), None),
    "ternary": lambda yes, no, so: yes if so else no,
    "hasKey": lambda mapping, key: isinstance(mapping, Mapping) and key in mapping,
    "quote": lambda value: go_quote(go_plain(value)),
    "lower": lambda text: str(text).lower(),
    "upper": lambda text: str(text).upper(),
    "trim": lambda text: str(text).strip(),
    "toString": go_plain,
    "int": _number,
    "add": lambda *numbers: sum(map(_number, numbers)),
    "sub": lambda one, other: _number(one) - _number(other),
}
