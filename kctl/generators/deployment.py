"""`create deployment`. Kubernetes: kubectl/pkg/cmd/create/create_deployment.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from kctl.flags import Flag

from .generating import Object, Target, Words, generator, metadata, typed

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def _deployment(session: Session, given: Given, name: str) -> Object:
    del session
    images, command = given.texts("image"), given.arguments[1:]
    if len(images) > 1 and command:
        raise KctlError("cannot specify multiple --image options and command")
    containers = [container(_container_name(image), image, command) for image in images]
    if given.number("port") >= 0 and containers:
        containers[0] = _with_port(containers[0], given.number("port"))
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {
        "replicas": given.number("replicas"),
        "selector": {"matchLabels": labels},
        "template": template,
        "strategy": {},
    }
    return typed("apps/v1", "Deployment", metadata(name, labels=labels), spec=spec, status={})


def container(name: str, image: str, command: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "image": image}
    if command:
        found["command"] = command
    return {**found, "resources": {}}


def _with_port(one: dict[str, Any], port: int) -> dict[str, Any]:
    before = {key: value for key, value in one.items() if key != "resources"}
    return {**before, "ports": [{"containerPort": port}], "resources": {}}


def _container_name(image: str) -> str:
    """The last part of the image's name; what a container can't be called gets a tail of its own."""
    name = image.rpartition("/")[2].partition(":")[0].partition("@")[0]
    if "_" not in name and "." not in name:
        return name
    from localplane.apimachinery.names import generate_name

    return generate_name(name.replace("_", "-").replace(".", "-") + "-")


DEPLOYMENT = generator(
    Words(
        "deployment",
        "deployment NAME --image=image -- [COMMAND] [args...]",
        "Create a deployment with the specified name",
        ("deploy",),
        examples="""\
# Create a deployment named my-dep that runs the busybox image
kctl create deployment my-dep --image=busybox

# Create a deployment with a command
kctl create deployment my-dep --image=busybox -- date

# Create a deployment named my-dep that runs the nginx image with 3 replicas
kctl create deployment my-dep --image=nginx --replicas=3

# Create a deployment named my-dep that runs the busybox image and expose port 5701
kctl create deployment my-dep --image=busybox --port=5701

# Create a deployment named my-dep that runs multiple containers
kctl create deployment my-dep --image=busybox:latest --image=ubuntu:latest --image=nginx""",
    ),
    _deployment,
    Target("apps", "v1", "deployments", failed="failed to create deployment: "),
    flags=(
        Flag(
            "image",
            "slice",
            (),
            "Image names to run. A deployment can have multiple images set for multi-container pod.",
        ),
        Flag("port", "int32", -1, "The containerPort that this deployment exposes."),
        Flag("replicas", "int32", 1, "Number of replicas to create. Default is 1.", "r"),
    ),
    required=("image",),
)
