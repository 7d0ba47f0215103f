"""`kctl set image`. Kubernetes: kubectl/pkg/cmd/set/set_image.go."""

from __future__ import annotations

from collections.abc import Sequence

from kctl.changes import dry_run, metadata
from kctl.changes.set.patches import Changing, find, pod_spec, set_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, raise_all
from kctl.printers import typed
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject


async def run(session: Session, flags: FlagSet) -> None:
    mode = dry_run.dry_run(session)
    printer = typed.printer_for(flags, "image updated", dry_run=mode)
    resources, pairs = metadata.split(flags.arguments, "image")
    images = _images(pairs)
    infos = await find(session, flags, resources)
    _check(flags, resources, images, mode)
    changing = Changing(session, flags, printer, mode=mode, failure="failed to patch image update to pod template:")

    def change(obj: JSONObject) -> bool:
        spec = pod_spec(obj)
        every = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
        for name, image in images.items():
            meant = [container for container in every if name in ("*", container.get("name"))]
            for container in meant:
                container["image"] = image
            if not meant:
                changing.errors.append(KctlError(f"error: unable to find container named {go_quote(name)}"))
        return True

    await changing.run(infos, change)


def _images(pairs: Sequence[str]) -> dict[str, str]:
    """By the container's name. Raises KctlError."""
    wrong = [pair for pair in pairs if "=" not in pair[1:]]
    if wrong:
        raise KctlError(f"invalid image format: {', '.join(wrong)}")
    return dict(pair.split("=", 1) for pair in pairs)


def _check(flags: FlagSet, resources: Sequence[str], images: dict[str, str], mode: str) -> None:
    errors: list[Exception] = []
    if flags.is_on("all") and flags.text("selector"):
        errors.append(KctlError("cannot set --all and --selector at the same time"))
    if not resources and not flags.texts("filename") and not flags.text("kustomize"):
        errors.append(KctlError("one or more resources must be specified as <resource> <name> or <resource>/<name>"))
    if not images:
        errors.append(KctlError("at least one image update is required"))
    elif len(images) > 1 and "*" in images:
        errors.append(
            KctlError(
                "all containers are already specified by *, but saw more than one container_name=container_image pairs"
            )
        )
    if flags.is_on("local") and mode == "server":
        errors.append(KctlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?"))
    raise_all(errors)


COMMAND = Command(
    "image",
    "image (-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N",
    "Set the images of containers",
    run=run,
    flags=set_flags(),
    description="""\
Set the images of containers, in pods and in what makes pods: deployments, daemon sets, stateful sets, replica sets,
replication controllers, jobs and cron jobs. Init containers are meant as well; * means all of them.""",
    examples="""\
# Roll out another version
kctl set image deployment/web nginx=nginx:1.27

# Two containers at once
kctl set image deployment/web nginx=nginx:1.27 sidecar=example/sidecar:v3

# Every container of a daemon set
kctl set image daemonset/agent *=example/agent:v9

# The same container in all deployments with a label
kctl set image deployments -l app=shop proxy=envoyproxy/envoy:v1.34.0

# A file, without a server
kctl set image -f web.yaml nginx=nginx:1.27 --local -o yaml""",
)
