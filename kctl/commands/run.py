"""`kctl run`: a pod with one container. Kubernetes: kubectl/pkg/cmd/run/run.go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, raise_all
from kctl.flags import Flag, switch
from kctl.launching.overriding import OVERRIDE_FLAGS, overridden
from kctl.launching.sending import Object, require, save_configuration, send
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_DOMAIN = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST = rf"(?:{_DOMAIN}(?:\.{_DOMAIN})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_IMAGE = re.compile(rf"(?:{_HOST}/)?{_PATH}(?:/{_PATH})*(?::\w[\w.-]{{0,127}})?(?:@{_DIGEST})?", re.ASCII)
"""What distribution calls a reference."""
_RESTART = ("Always", "OnFailure", "Never")
_PULL = ("Always", "IfNotPresent", "Never")


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.printers.typed import printer_for

    require(given, "image")
    annotations = _annotations(given.texts("annotations"))
    own_labels = _labels(given.text("labels"))
    environment = [_variable(text) for text in given.texts("env")]
    _check_policies(given)
    mode = dry_run(session)
    printer = printer_for(given, "created", dry_run=mode)
    _check(given)
    name = given.arguments[0]
    pod = _pod(given, name, own_labels or {"run": name}, annotations, environment)
    made = [await _create(session, given, await overridden(session, given, pod), "pods", mode)]
    errors: list[Exception] = []
    if given.is_on("expose"):
        from localplane.apimachinery.errors import APIError

        try:
            service = _service(given, name, own_labels, own_labels or {"run": name})
            made.append(await _create(session, given, service, "services", mode))
        except APIError as error:
            errors.append(error)
    for obj in made:
        printer.print(obj, session.write)
    raise_all(errors)


async def _create(session: Session, given: Given, obj: Object, resource: str, mode: str) -> Object:
    if mode == "client":
        if session.namespace_is_explicit:
            metadata = obj["metadata"]
            obj["metadata"] = {"name": metadata.get("name"), "namespace": session.namespace, **metadata}
        return obj
    if given.is_on("save-config"):
        save_configuration(obj)
    return await send(session, given, obj, resource, dry_run=mode == "server")


def _annotations(pairs: list[str]) -> dict[str, str]:
    if wrong := [pair for pair in pairs if "=" not in pair[1:]]:
        raise KctlError(f"invalid annotations format: {', '.join(wrong)}")
    return dict(sorted(pair.split("=", 1) for pair in pairs))


def _labels(text: str) -> dict[str, str]:
    found = {}
    for spec in text.split(",") if text else ():
        parts = spec.split("=")
        if len(parts) != 2:
            raise KctlError(f"unexpected label spec: {spec}")
        if not parts[0]:
            raise KctlError("unexpected empty label key")
        found[parts[0]] = parts[1]
    return dict(sorted(found.items()))


def _variable(text: str) -> Object:
    from kctl.launching.names import variable_errors

    name, equals, value = text.partition("=")
    if not equals or not name or variable_errors(name):
        raise KctlError(f"invalid env: {text}")
    return {"name": name, "value": value} if value else {"name": name}


def _check_policies(given: Given) -> None:
    restart, pull = given.text("restart"), given.text("image-pull-policy")
    if restart and restart not in _RESTART:
        raise KctlError(f"invalid restart policy: {restart}, valid values are: {', '.join(_RESTART)}")
    if pull and pull not in _PULL:
        raise KctlError(f"invalid image pull policy: {pull}, valid values are: {', '.join(_PULL)}")


def _check(given: Given) -> None:
    from localplane.apimachinery.gotext import go_quote

    image, port = given.text("image"), given.text("port")
    if not given.arguments or given.dash == 0:
        raise KctlError("NAME is required for run")
    if not image:
        raise KctlError("--image is required")
    if not _IMAGE.fullmatch(image):
        raise KctlError(f"invalid image name {go_quote(image)}: invalid reference format")
    if given.is_on("expose") and not port:
        raise KctlError("--port must be set when exposing a service")
    if port and not re.fullmatch(r"[+-]?[0-9]+", port):
        raise KctlError("--port must be a number")


def _pod(
    given: Given, name: str, own: dict[str, str], annotations: dict[str, str], environment: list[Object]
) -> Object:
    words = given.arguments[1:]
    as_command = given.is_on("command")
    container = {
        "name": name,
        "image": given.text("image"),
        "command": words if as_command else None,
        "args": None if as_command else words,
        "ports": [{"containerPort": int(given.text("port"))}] if given.text("port") else None,
        "env": environment,
        "resources": {},
        "imagePullPolicy": given.text("image-pull-policy"),
        "securityContext": {"privileged": True} if given.is_on("privileged") else None,
    }
    metadata: Object = {"name": name, "labels": own}
    if annotations:
        metadata["annotations"] = annotations
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata,
        "spec": {
            "containers": [{key: value for key, value in container.items() if value or key == "resources"}],
            "restartPolicy": given.text("restart") or "Always",
            "dnsPolicy": "ClusterFirst",
        },
        "status": {},
    }


def _service(given: Given, name: str, own: dict[str, str], selector: dict[str, str]) -> Object:
    port = int(given.text("port"))
    return {
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": {"name": name, "labels": own} if own else {"name": name},
        "spec": {"ports": [{"protocol": "TCP", "port": port, "targetPort": port}], "selector": selector},
        "status": {"loadBalancer": {}},
    }


COMMAND = Command(
    "run",
    'run NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] '
    "[--command] -- [COMMAND] [args...]",
    "Run a particular image on the cluster",
    run=run,
    flags=(
        *output_flags(),
        standard_flags.DRY_RUN,
        Flag("annotations", "array", (), "Annotations to apply to the pod."),
        Flag("image", usage="The image for the container to run."),
        Flag(
            "image-pull-policy",
            usage="The image pull policy for the container. If left empty, this value will not be specified by the "
            "client and defaulted by the server.",
        ),
        Flag("env", "array", (), "Environment variables to set in the container."),
        Flag("port", usage="The port that this container exposes."),
        Flag("labels", usage="Comma separated labels to apply to the pod. Will override previous values.", short="l"),
        Flag("restart", "text", "Always", "The restart policy for this Pod. Legal values [Always, OnFailure, Never]."),
        switch(
            "command",
            "If true and extra arguments are present, use them as the 'command' field in the container, rather than "
            "the 'args' field which is the default.",
        ),
        switch("expose", "If true, create a ClusterIP service associated with the pod. Requires `--port`."),
        switch("privileged", "If true, run the container in privileged mode."),
        standard_flags.field_manager("kctl-run"),
        standard_flags.SAVE_CONFIG,
        *OVERRIDE_FLAGS,
    ),
    description="Create and run a particular image in a pod.",
    examples="""\
# Start a nginx pod
kctl run nginx --image=nginx

# Start a hazelcast pod and let the container expose port 5701
kctl run hazelcast --image=hazelcast/hazelcast --port=5701

# Start a hazelcast pod and set environment variables in the container
kctl run hazelcast --image=hazelcast/hazelcast --env="DNS_DOMAIN=cluster" --env="POD_NAMESPACE=default"

# Dry run; print the corresponding API objects without creating them
kctl run nginx --image=nginx --dry-run=client

# Start a nginx pod, but overload the spec with a partial set of values parsed from JSON
kctl run nginx --image=nginx --overrides='{ "apiVersion": "v1", "spec": { "hostNetwork": true } }'

# Start the nginx pod using a different command and custom arguments
kctl run nginx --image=nginx --command -- <cmd> <arg1> ... <argN>""",
)
