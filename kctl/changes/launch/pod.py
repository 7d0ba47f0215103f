"""The pod that `kctl run` makes, and the service in front of it. Kubernetes: kubectl/pkg/cmd/run/run.go."""

from __future__ import annotations

import re
from typing import NamedTuple

from kctl.changes.launch.names import INVALID, PULL_POLICIES, is_image, labels_of, variable_errors
from kctl.command_line.flags import Given
from kctl.errors import KctlError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

_RESTART = ("Always", "OnFailure", "Never")


class PodOptions(NamedTuple):
    """`labels` are those that were asked for."""

    annotations: dict[str, str]
    labels: dict[str, str]
    environment: list[JSONObject]
    restart: str


def read(given: Given) -> PodOptions:
    """Raises KctlError for what can't be read."""
    annotations = _annotations(given.texts("annotations"))
    labels = labels_of(given.text("labels"))
    environment = [_variable(text) for text in given.texts("env")]
    restart, pull = given.text("restart"), given.text("image-pull-policy")
    if restart and restart not in _RESTART:
        raise KctlError(f"invalid restart policy: {restart}, valid values are: {', '.join(_RESTART)}")
    if pull and pull not in PULL_POLICIES:
        raise KctlError(f"invalid image pull policy: {pull}, valid values are: {', '.join(PULL_POLICIES)}")
    default = "OnFailure" if given.is_on("stdin") else "Always"
    return PodOptions(annotations, labels, environment, restart or default)


def _annotations(pairs: list[str]) -> dict[str, str]:
    if wrong := [pair for pair in pairs if "=" not in pair[1:]]:
        raise KctlError(f"invalid annotations format: {', '.join(wrong)}")
    return dict(sorted(pair.split("=", 1) for pair in pairs))


def _variable(text: str) -> JSONObject:
    name, equals, value = text.partition("=")
    if not equals or not name or variable_errors(name):
        raise KctlError(f"invalid env: {text}")
    return {"name": name, "value": value} if value else {"name": name}


def check(given: Given, *, attaches: bool, dry_run: bool) -> None:
    """What does not go together. Raises KctlError."""
    image, port = given.text("image"), given.text("port")
    if not given.arguments:
        raise KctlError("NAME is required for run")
    if not image:
        raise KctlError("--image is required")
    if not is_image(image):
        raise KctlError(f"invalid image name {go_quote(image)}: {INVALID}")
    if given.is_on("tty") and not given.is_on("stdin"):
        raise KctlError("-i/--stdin is required for containers with -t/--tty=true")
    if given.is_on("expose") and not port:
        raise KctlError("--port must be set when exposing a service")
    if port and not (re.fullmatch(r"[+-]?[0-9]+", port) and -(2**63) <= int(port) < 2**63):
        raise KctlError("--port must be a number")
    if given.is_on("rm") and not attaches:
        raise KctlError("--rm should only be used for attached containers")
    if attaches and dry_run:
        raise KctlError(
            "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)"
        )


def pod(given: Given, options: PodOptions) -> JSONObject:
    name, words = given.arguments[0], given.arguments[1:]
    as_command, stdin = given.is_on("command"), given.is_on("stdin")
    container = {
        "name": name,
        "image": given.text("image"),
        "command": words if as_command else None,
        "args": None if as_command else words,
        "ports": [{"containerPort": _port(given)}] if given.text("port") else None,
        "env": options.environment,
        "resources": {},
        "imagePullPolicy": given.text("image-pull-policy"),
        "securityContext": {"privileged": True} if given.is_on("privileged") else None,
        "stdin": stdin,
        "stdinOnce": stdin and not given.is_on("leave-stdin-open"),
        "tty": given.is_on("tty"),
    }
    metadata: JSONObject = {"name": name, "labels": options.labels or {"run": name}}
    if options.annotations:
        metadata["annotations"] = options.annotations
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata,
        "spec": {
            "containers": [{key: value for key, value in container.items() if value or key == "resources"}],
            "restartPolicy": options.restart,
            "dnsPolicy": "ClusterFirst",
        },
        "status": {},
    }


def _port(given: Given) -> int:
    """Go keeps the lower half of what is too large."""
    return (int(given.text("port")) + 2**31) % 2**32 - 2**31


def service(given: Given, options: PodOptions) -> JSONObject:
    name, port = given.arguments[0], _port(given)
    selector = options.labels or {"run": name}
    return {
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": {"name": name, "labels": options.labels} if options.labels else {"name": name},
        "spec": {"ports": [{"protocol": "TCP", "port": port, "targetPort": port}], "selector": selector},
        "status": {"loadBalancer": {}},
    }
