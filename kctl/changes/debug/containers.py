"""The containers and pods that are made for looking around. Kubernetes: kubectl/pkg/cmd/debug/debug.go, generate*."""

from __future__ import annotations

from typing import NamedTuple

from kctl.changes.debug import options
from kctl.changes.debug.profiles import PROFILES, Style
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery import names
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import strategic, values
from localplane.apis import patch_nodes

_PARTS = ("containers", "initContainers", "ephemeralContainers")
_VISITED = ("initContainers", "containers", "ephemeralContainers")
"""The order in which a profile looks for its container. Kubernetes: podutils.VisitContainers."""


class Made(NamedTuple):
    """`container` is the name of the one to look around in; empty if there is none."""

    pod: JSONObject
    container: str


class Maker:
    def __init__(self, session: Session, debugging: options.Debugging) -> None:
        self._session = session
        self._debugging = debugging
        self._flags = debugging.flags

    def with_ephemeral_container(self, pod: JSONObject) -> Made:
        name = self._name(pod)
        container = self._container(name)
        if target := self._flags.text("target"):
            container["targetContainerName"] = target
        changed: JSONObject = values.copied(pod)
        changed["spec"].setdefault("ephemeralContainers", []).append(container)
        self._apply_profile(changed, container, Style.EPHEMERAL)
        return Made(changed, name)

    def node_pod(self, node: JSONObject) -> Made:
        node_name = node["metadata"]["name"]
        container = self._container(self._debugging.container or "debugger")
        name = f"node-debugger-{node_name}-{names.generate_name('')}"
        if not self._debugging.quiet:
            where = f"with container {container['name']} on node {node_name}"
            self._session.write(f"Creating debugging pod {name} {where}.\n")
        pod: JSONObject = {
            "kind": "Pod",
            "apiVersion": "v1",
            "metadata": {"name": name, "labels": {"app.kubernetes.io/managed-by": "kubectl-debug"}},
            "spec": {
                "containers": [container],
                "nodeName": node_name,
                "restartPolicy": "Never",
                "tolerations": [{"operator": "Exists"}],
            },
        }
        self._apply_profile(pod, container, Style.NODE)
        return Made(pod, container["name"])

    def copy(self, pod: JSONObject) -> Made:
        changed = self._copied(pod)
        images = self._flags.pairs("set-image")
        for one in changed["spec"].get("containers") or ():
            if image := images.get(one["name"], images.get("*", "")):
                one["image"] = image
        name, debugging = self._debugging.container, self._debugging
        container = _named(changed).get(name)
        if container is None:
            if not debugging.image:
                if images:
                    return Made(changed, "")
                raise KctlError("you must specify image when creating new container")
            name = name or self._name(changed)
            container = {"name": name, "terminationMessagePolicy": "File"}
            changed["spec"].setdefault("containers", []).append(container)
        self._change(container)
        self._apply_profile(changed, container, Style.COPY)
        return Made(changed, name)

    def _copied(self, pod: JSONObject) -> JSONObject:
        described = pod["metadata"]
        metadata = {"name": self._flags.text("copy-to"), "namespace": described.get("namespace", "")}
        metadata |= {name: described[name] for name in ("labels", "annotations") if described.get(name)}
        spec: JSONObject = values.copied(pod["spec"])
        spec.pop("ephemeralContainers", None)
        if self._flags.changed("share-processes"):
            spec["shareProcessNamespace"] = self._flags.is_on("share-processes")
        if not self._flags.is_on("same-node"):
            spec.pop("nodeName", None)
        return {"kind": "Pod", "apiVersion": "v1", "metadata": dict(metadata), "spec": spec}

    def _change(self, container: JSONObject) -> None:
        """Of a container that may have been there: only what was asked for."""
        flags, debugging = self._flags, self._debugging
        if debugging.words and flags.is_on("arguments-only"):
            container["args"] = debugging.words
        elif debugging.words:
            container["command"] = debugging.words
            container.pop("args", None)
        wanted = {
            "env": debugging.environment,
            "image": debugging.image,
            "imagePullPolicy": flags.text("image-pull-policy"),
        }
        container |= {name: value for name, value in wanted.items() if value}
        container |= {"stdin": flags.is_on("stdin"), "tty": flags.is_on("tty")}

    def _container(self, name: str) -> JSONObject:
        flags, debugging = self._flags, self._debugging
        fields = {
            "name": name,
            "image": debugging.image,
            "args" if flags.is_on("arguments-only") else "command": debugging.words,
            "env": debugging.environment,
            "resources": {},
            "terminationMessagePolicy": "File",
            "imagePullPolicy": flags.text("image-pull-policy"),
            "stdin": flags.is_on("stdin"),
            "tty": flags.is_on("tty"),
        }
        return {key: value for key, value in fields.items() if value or key == "resources"}

    def _name(self, pod: JSONObject) -> str:
        if self._debugging.container:
            return self._debugging.container
        taken = _named(pod)
        while (name := names.generate_name("debugger-")) in taken:
            continue
        if not self._debugging.quiet:
            self._session.write(f"Defaulting debug container name to {name}.\n")
        return name

    def _apply_profile(self, pod: JSONObject, container: JSONObject, style: Style) -> None:
        """To the first container of that name, which is another one if the name was taken."""
        name, spec = container["name"], pod["spec"]
        every = [one for part in _VISITED for one in spec.get(part) or ()]
        meant = next(one for one in every if one["name"] == name)
        PROFILES[self._flags.text("profile")](self._flags, pod, meant, style)
        custom = self._debugging.custom
        if custom is None:
            return
        part = "ephemeralContainers" if style is Style.EPHEMERAL else "containers"
        meant = next((one for one in spec.get(part) or () if one["name"] == name), None)
        if meant is None:
            raise KctlError(f"unable to find the {name} container in the pod {pod['metadata']['name']}")
        # In place, because the pod holds it.
        meant |= strategic.merge(patch_nodes.struct_node("core/v1.Container"), dict(meant), {**custom, "name": name})


def _named(pod: JSONObject) -> dict[str, JSONObject]:
    spec = pod.get("spec") or {}
    return {one["name"]: one for part in _PARTS for one in spec.get(part) or ()}
