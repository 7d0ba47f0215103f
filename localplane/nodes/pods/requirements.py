"""What a pod needs beside a node: config maps, secrets and claims. What is missing keeps it, or one of its containers,
from starting until it is there.

Kubernetes: pkg/kubelet (makeEnvironmentVariables), pkg/kubelet/volumemanager and pkg/volume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote

from .behaviour import containers

Object = Mapping[str, Any]
CONFIG_MAPS: Final = "configmaps"
SECRETS: Final = "secrets"
CLAIMS: Final = "persistentvolumeclaims"


@dataclass(frozen=True, slots=True)
class Troubles:
    """What a pod needs and nobody has: volumes keep the whole pod from starting, the others one container."""

    volumes: tuple[str, ...] = ()
    by_container: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Need:
    """An object that a pod refers to, by its resource and its name in the pod's namespace."""

    resource: str
    name: str


class PodReferences:
    """What a pod refers to, compared with what there is. `found` gives an object, or None; `looked_for` is all that was
    asked for and not found, or not found to be as it has to be."""

    def __init__(self, pod: Object, found: Callable[[Need], Object | None]) -> None:
        self._pod = pod
        self._found = found
        self.looked_for: set[Need] = set()

    def troubles(self) -> Troubles:
        volumes = tuple(self._volume_troubles())
        by_container = {}
        for _, container in containers(self._pod):
            if trouble := next(self._environment_troubles(container), ""):
                by_container[container["name"]] = trouble
        return Troubles(volumes, by_container)

    def _get(self, need: Need) -> Object | None:
        obj = self._found(need)
        if obj is None:
            self.looked_for.add(need)
        return obj

    def _volume_troubles(self) -> Iterator[str]:
        unclaimed: list[str] = []
        reasons: list[str] = []
        for volume in self._pod["spec"].get("volumes") or ():
            name = volume["name"]
            claim = self._claim_of(volume)
            if claim and (problem := self._claim_problem(claim)):
                unclaimed.append(name)
                reasons.append(problem)
            for source in self._sources(volume):
                if problem := self._problem(source):
                    yield f"MountVolume.SetUp failed for volume {go_quote(name)} : {problem}"
                    break
        if unclaimed:
            names = f"[{' '.join(unclaimed)}]"
            unmounted = f"unmounted volumes={names}, unattached volumes=[], failed to process volumes={names}"
            yield f"Unable to attach or mount volumes: {unmounted}: {_joined(reasons)}"

    def _claim_of(self, volume: Object) -> str:
        if claim := volume.get("persistentVolumeClaim"):
            return str(claim["claimName"])
        return f"{self._pod['metadata']['name']}-{volume['name']}" if "ephemeral" in volume else ""

    def _claim_problem(self, name: str) -> str:
        need = Need(CLAIMS, name)
        claim = self._get(need)
        where = f"{self._pod['metadata']['namespace']}/{name}"
        if claim is None:
            why = f"failed to fetch PVC from API server: persistentvolumeclaim {go_quote(name)} not found"
            return f"error processing PVC {where}: {why}"
        status = claim.get("status") or {}
        if status.get("phase") != "Bound" or not claim["spec"].get("volumeName"):
            self.looked_for.add(need)
            return f"error processing PVC {where}: PVC is not bound"
        return ""

    def _sources(self, volume: Object) -> Iterator[_Source]:
        if config_map := volume.get("configMap"):
            yield _Source(CONFIG_MAPS, config_map.get("name", ""), config_map)
        if secret := volume.get("secret"):
            yield _Source(SECRETS, secret.get("secretName", ""), secret)
        for each in (volume.get("projected") or {}).get("sources") or ():
            if config_map := each.get("configMap"):
                yield _Source(CONFIG_MAPS, config_map.get("name", ""), config_map)
            if secret := each.get("secret"):
                yield _Source(SECRETS, secret.get("name", ""), secret)

    def _problem(self, source: _Source) -> str:
        optional = bool(source.says.get("optional"))
        need = Need(source.resource, source.name)
        obj = self._get(need)
        if obj is None:
            return "" if optional else _not_found(need)
        for item in source.says.get("items") or ():
            if item["key"] not in _keys(obj) and not optional:
                self.looked_for.add(need)
                if source.resource == SECRETS:
                    return f"references non-existent secret key: {item['key']}"
                return f"configmap references non-existent config key: {item['key']}"
        return ""

    def _environment_troubles(self, container: Object) -> Iterator[str]:
        for source in container.get("envFrom") or ():
            for resource, key in ((CONFIG_MAPS, "configMapRef"), (SECRETS, "secretRef")):
                if (says := source.get(key)) is not None:
                    need = Need(resource, says.get("name", ""))
                    if self._get(need) is None and not says.get("optional"):
                        yield _not_found(need)
        for variable in container.get("env") or ():
            origin = variable.get("valueFrom") or {}
            for resource, key in ((CONFIG_MAPS, "configMapKeyRef"), (SECRETS, "secretKeyRef")):
                if (says := origin.get(key)) is not None:
                    need = Need(resource, says.get("name", ""))
                    if says.get("optional"):
                        self._get(need)
                    else:
                        yield from self._key_trouble(need, says["key"])

    def _key_trouble(self, need: Need, key: str) -> Iterator[str]:
        obj = self._get(need)
        if obj is None:
            yield _not_found(need)
        elif key not in _keys(obj):
            self.looked_for.add(need)
            kind = "ConfigMap" if need.resource == CONFIG_MAPS else "Secret"
            yield f"couldn't find key {key} in {kind} {self._pod['metadata']['namespace']}/{need.name}"


@dataclass(frozen=True, slots=True)
class _Source:
    resource: str
    name: str
    says: Object


def refers_to(pod: Object) -> set[str]:
    """The resources that the pod has need of, whichever objects they are."""
    needs = PodReferences(pod, lambda _: None)
    needs.troubles()
    return {need.resource for need in needs.looked_for}


def _not_found(need: Need) -> str:
    kind = need.resource.removesuffix("s")
    return f"{kind} {go_quote(need.name)} not found"


def _keys(obj: Object) -> set[str]:
    return set(obj.get("data") or ()) | set(obj.get("binaryData") or ()) | set(obj.get("stringData") or ())


def _joined(reasons: list[str]) -> str:
    return reasons[0] if len(reasons) == 1 else f"[{', '.join(reasons)}]"
