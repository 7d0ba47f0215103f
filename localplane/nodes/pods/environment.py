"""What a container's command finds when it starts: variables, and the files that other commands have left.

Files have no contents here. They last as long as the volume that they are on: a container's own are gone with its run,
those of an emptyDir with the pod, those of a hostPath with the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableSet
from typing import Any

Object = Mapping[str, Any]
_MOST_FILES = 10_000


def variables(pod: Object, container: Object) -> dict[str, str]:
    """Those whose values the pod itself tells."""
    values: dict[str, str] = {"HOSTNAME": pod["metadata"]["name"]}
    for variable in container.get("env") or ():
        if "value" in variable:
            values[variable["name"]] = variable["value"]
        elif path := ((variable.get("valueFrom") or {}).get("fieldRef") or {}).get("fieldPath"):
            values[variable["name"]] = _field(pod, path)
    return values


def _field(pod: Object, path: str) -> str:
    for kind in ("annotations", "labels"):
        if path.startswith(f"metadata.{kind}['") and path.endswith("']"):
            return str((pod["metadata"].get(kind) or {}).get(path[len(kind) + 11 : -2], ""))
    value: Any = pod
    for part in path.split("."):
        value = value.get(part, "") if isinstance(value, Mapping) else ""
    return str(value)


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
