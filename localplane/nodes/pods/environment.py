"""What a container's command finds when it starts: variables, and the files that other commands have left.

Files have no contents here. They last as long as the volume that they are on: a container's own are gone with its run,
those of an emptyDir with the pod, those of a hostPath with the server.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping, MutableSet
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.quantity import ZERO, Quantity, parse
from localplane.apis.amounts import read

from .commands import REFERENCE, expanded
from .node_view import NodeView
from .requirements import CONFIG_MAPS, SECRETS, Need

Object = Mapping[str, Any]
_MOST_FILES: Final = 10_000
_CLUSTER_DOMAIN: Final = "cluster.local"


def variables(pod: Object, container: Object, place: NodeView) -> dict[str, str]:
    """All but those of services. A value may refer to variables that come before it."""
    values: dict[str, str] = {"HOSTNAME": host_name(pod)}
    for source in container.get("envFrom") or ():
        for resource, key in ((CONFIG_MAPS, "configMapRef"), (SECRETS, "secretRef")):
            if (says := source.get(key)) is not None:
                data = _data(place.found(Need(resource, says.get("name", ""))), resource)
                values |= {f"{source.get('prefix', '')}{name}": value for name, value in data.items()}
    for variable in container.get("env") or ():
        origin = variable.get("valueFrom")
        value = _of_origin(pod, container, origin, place) if origin else expanded(variable.get("value", ""), values)
        if value is not None:
            values[variable["name"]] = value
    return values


def host_name(pod: Object, *, fully: bool = False) -> str:
    """As the pod's own command sees it, or with the domain. Kubernetes: pkg/kubelet, GeneratePodHostNameAndDomain."""
    spec = pod["spec"]
    if override := spec.get("hostnameOverride"):
        return str(override)
    if spec.get("hostNetwork"):
        return str(spec.get("nodeName", ""))
    name = spec.get("hostname") or pod["metadata"]["name"][:63].rstrip("-.")
    if spec.get("subdomain") and (fully or spec.get("setHostnameAsFQDN")):
        return f"{name}.{spec['subdomain']}.{pod['metadata']['namespace']}.svc.{_CLUSTER_DOMAIN}"
    return str(name)


def path_problem(container: Object, values: Mapping[str, str]) -> str:
    """Why one of the container's volumes can't be mounted by a part of it. Kubernetes: pkg/kubelet, makeMounts."""
    for mount in container.get("volumeMounts") or ():
        path = mount.get("subPath") or ""
        if expression := mount.get("subPathExpr"):
            missing = [name for name in REFERENCE.findall(expression) if name and name not in values]
            if missing:
                return f"missing value for {go_quote(missing[0])}"
            path = expanded(expression, values)
        if path.startswith("/"):
            return f"error SubPath `{path}` must not be an absolute path"
        if ".." in path.split("/"):
            return f"unable to provision SubPath `{path}`: must not contain '..'"
    return ""


def _of_origin(pod: Object, container: Object, origin: Object, place: NodeView) -> str | None:
    """None if there is no such value, which may be optional."""
    for resource, key in ((CONFIG_MAPS, "configMapKeyRef"), (SECRETS, "secretKeyRef")):
        if (says := origin.get(key)) is not None:
            return _data(place.found(Need(resource, says.get("name", ""))), resource).get(says["key"])
    if says := origin.get("fieldRef"):
        return _field(pod, says["fieldPath"])
    if says := origin.get("resourceFieldRef"):
        return _amount(pod, container, says, place)
    return None


def _data(obj: Object | None, resource: str) -> dict[str, str]:
    data: Mapping[str, str] = (obj or {}).get("data") or {}
    if resource == CONFIG_MAPS:
        return dict(data)
    return {name: b64decode(value).decode(errors="replace") for name, value in data.items()}


def _field(pod: Object, path: str) -> str:
    for kind in ("annotations", "labels"):
        if path.startswith(f"metadata.{kind}['") and path.endswith("']"):
            return str((pod["metadata"].get(kind) or {}).get(path[len(kind) + 11 : -2], ""))
    if path in ("status.podIPs", "status.hostIPs"):
        return ",".join(each["ip"] for each in (pod.get("status") or {}).get(path.partition(".")[2]) or ())
    value: Any = pod
    for part in path.split("."):
        value = value.get(part, "") if isinstance(value, Mapping) else ""
    return str(value)


def _amount(pod: Object, container: Object, says: Object, place: NodeView) -> str:
    """In whole divisors, rounded up. What has no limit is limited by what the node has. Kubernetes:
    pkg/api/v1/resource, ExtractContainerResourceValue and MergeContainerResourceLimits."""
    named = says.get("containerName") or container["name"]
    both = [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]
    resources = next((each.get("resources") or {} for each in both if each["name"] == named), {})
    which, _, name = str(says["resource"]).partition(".")
    amounts = read(resources.get(which))
    if which == "limits" and place.room is not None:
        amounts = {**place.room.allocatable(), **amounts}
    divisor = parse(str(says.get("divisor") or "0"))
    unit = (divisor if divisor != ZERO else Quantity(1)).milli_value()
    return str(-(-amounts.get(name, ZERO).milli_value() // unit))


def files_of(pod: Object, container: Object, of_pod: set[str], of_node: set[str]) -> Files:
    volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes") or ()}
    mounts = {}
    for mount in container.get("volumeMounts") or ():
        volume = volumes.get(mount["name"], {})
        below = mount["mountPath"].rstrip("/")
        if host_path := (volume.get("hostPath") or {}).get("path"):
            mounts[below] = _Mount(of_node, host_path)
        else:
            mounts[below] = _Mount(of_pod, f"{mount['name']}:")
    return Files(mounts)


class _Mount:
    def __init__(self, files: set[str], prefix: str) -> None:
        self.files = files
        self.prefix = prefix


class Files(MutableSet[str]):
    """The paths that a container sees; each is kept where its volume is."""

    def __init__(self, mounts: Mapping[str, _Mount]) -> None:
        self._mounts = mounts
        self._own: set[str] = set()

    def _place(self, path: object) -> tuple[set[str], str]:
        text = str(path)
        for below, mount in self._mounts.items():
            if text.startswith(f"{below}/"):
                return mount.files, mount.prefix + text[len(below) :]
        return self._own, text

    def __contains__(self, path: object) -> bool:
        files, key = self._place(path)
        return key in files

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        for below, mount in self._mounts.items():
            for key in mount.files:
                if key.startswith(mount.prefix):
                    yield below + key[len(mount.prefix) :]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, value: str) -> None:
        files, key = self._place(value)
        if len(files) < _MOST_FILES:
            files.add(key)

    def discard(self, value: str) -> None:
        files, key = self._place(value)
        files.discard(key)
