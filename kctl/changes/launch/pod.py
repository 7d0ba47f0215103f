"""The pod that `kctl run` makes, and the service in front of it. Kubernetes: kubectl/pkg/cmd/run/run.go."""

from __future__ import annotations

import re
from typing import NamedTuple

from kctl.changes.launch.names import INVALID, PULL_POLICIES, is_image, labels_of, variable_errors
from kctl.command_line.flags import FlagSet
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


def read(flags: FlagSet) -> PodOptions:
    """Raises KctlError for what can't be read."""
    annotations = _annotations(flags.texts("annotations"))
    labels = labels_of(flags.text("labels"))
    environment = [_variable(text) for text in flags.texts("env")]
    restart, pull = flags.text("restart"), flags.text("image-pull-policy")
    if restart and restart not in _RESTART:
        raise KctlError(f"invalid restart policy: {restart}, valid values are: {', '.join(_RESTART)}")
    if pull and pull not in PULL_POLICIES:
        raise KctlError(f"invalid image pull policy: {pull}, valid values are: {', '.join(PULL_POLICIES)}")
    default = "OnFailure" if flags.is_on("stdin") else "Always"
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


def check(flags: FlagSet, *, attaches: bool, dry_run: bool) -> None:
    """What does not go together. Raises KctlError."""
    image, port = flags.text("image"), flags.text("port")
    if not flags.arguments:
        raise KctlError("NAME is required for run")
    if not image:
        raise KctlError("--image is required")
    if not is_image(image):
        raise KctlError(f"invalid image name {go_quote(image)}: {INVALID}")
    if flags.is_on("tty") and not flags.is_on("stdin"):
        raise KctlError("-i/--stdin is required for containers with -t/--tty=true")
    if flags.is_on("expose") and not port:
        raise KctlError("--port must be set when exposing a service")
    if port and not (re.fullmatch(r"[+-]?[0-9]+", port) and -(2**63) <= int(port) < 2**63):
        raise KctlError("--port must be a number")
    if flags.is_on("rm") and not attaches:
        raise KctlError("--rm should only be used for attached containers")
    if attaches and dry_run:
        raise KctlError(
            "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)"
        )


def pod(flags: FlagSet, options: PodOptions) -> JSONObject:
    name, words = flags.arguments[0], flags.arguments[1:]
    as_command, stdin = flags.is_on("command"), flags.is_on("stdin")
    container = {
        "name": name,
        "image": flags.text("image"),
        "command": words if as_command else None,
        "args": None if as_command else words,
        "ports": [{"containerPort": _port(flags)}] if flags.text("port") else None,
        "env": options.environment,
        "resources": {},
        "imagePullPolicy": flags.text("image-pull-policy"),
        "securityContext": {"privileged": True} if flags.is_on("privileged") else None,
        "stdin": stdin,
        "stdinOnce": stdin and not flags.is_on("leave-stdin-open"),
        "tty": flags.is_on("tty"),
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


def _port(flags: FlagSet) -> int:
    """Go keeps the lower half of what is too large."""
    return (int(flags.text("port")) + 2**31) % 2**32 - 2**31


def service(flags: FlagSet, options: PodOptions) -> JSONObject:
    name, port = flags.arguments[0], _port(flags)
    selector = options.labels or {"run": name}
    return {
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": {"name": name, "labels": options.labels} if options.labels else {"name": name},
        "spec": {"ports": [{"protocol": "TCP", "port": port, "targetPort": port}], "selector": selector},
        "status": {"loadBalancer": {}},
    }
