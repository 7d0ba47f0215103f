"""`kctl create deployment|job|cronjob`. Kubernetes: kubectl/pkg/cmd/create/create_{deployment,job,cronjob}.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag

from .making import GENERATOR_FLAGS, Object, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def deployment(session: Session, given: Given) -> None:
    name = the_name(session, given, "image")
    images, command = given.texts("image"), given.arguments[1:]
    if len(images) > 1 and command:
        raise KctlError("cannot specify multiple --image options and command")
    containers = [_container(_container_name(image), image, command) for image in images]
    if given.number("port") >= 0 and containers:
        first = containers[0]
        del first["resources"]
        first |= {"ports": [{"containerPort": given.number("port")}], "resources": {}}
    labels = {"app": name}
    obj: Object = {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": metadata(session, name, labels=labels),
        "spec": {
            "replicas": given.number("replicas"),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
            "strategy": {},
        },
        "status": {},
    }
    await make(session, given, obj, "deployments", failure="failed to create deployment:")


def _container_name(image: str) -> str:
    """The image's last word, made fit for a name; what had to be changed gets a random end."""
    name = image.rpartition("/")[2].partition(":")[0].partition("@")[0]
    if "_" in name or "." in name:
        from localplane.apimachinery.names import generate_name

        name = generate_name(name.replace("_", "-").replace(".", "-") + "-")
    return name


def _container(name: str, image: str, command: list[str]) -> Object:
    fields: Object = {"name": name, "image": image, "command": command}
    return {key: value for key, value in fields.items() if value} | {"resources": {}}


def _job_spec(name: str, image: str, command: list[str], restart: str) -> Object:
    containers = [_container(name, image, command)]
    return {"template": {"metadata": {}, "spec": {"containers": containers, "restartPolicy": restart}}}


async def job(session: Session, given: Given) -> None:
    name = the_name(session, given)
    image, source, command = given.text("image"), given.text("from"), given.arguments[1:]
    if bool(image) == bool(source):
        raise KctlError("either --image or --from must be specified")
    if command and source:
        raise KctlError("cannot specify --from and command")
    obj: Object = {"kind": "Job", "apiVersion": "batch/v1"}
    if image:
        obj |= {"metadata": metadata(session, name), "spec": _job_spec(name, image, command, "Never")}
    else:
        obj |= await _from_cron_job(session, name, source)
    await make(session, given, obj | {"status": {}}, "jobs", failure="failed to create job:")


async def _from_cron_job(session: Session, name: str, source: str) -> Object:
    from kctl.resolve import Query, resolve

    found = await resolve(session, Query(arguments=[source], flatten=True, latest=True))
    infos = await found.infos()
    if len(infos) != 1:
        raise KctlError("from must be an existing cronjob")
    cron_job = infos[0].object or {}
    kind = infos[0].rest_mapping.kind
    if (kind.group, kind.kind) != ("batch", "CronJob"):
        raise KctlError(f"unknown object type *{kind.version}.{kind.kind}")
    template = cron_job["spec"]["jobTemplate"]
    told = template.get("metadata") or {}
    annotations = {"cronjob.kubernetes.io/instantiate": "manual", **(told.get("annotations") or {})}
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": cron_job["metadata"]["name"],
        "uid": cron_job["metadata"].get("uid", ""),
        "controller": True,
    }
    described = metadata(
        session,
        name,
        labels=told.get("labels"),
        annotations=dict(sorted(annotations.items())),
        ownerReferences=[owner],
    )
    return {"metadata": described, "spec": template.get("spec") or {}}


async def cron_job(session: Session, given: Given) -> None:
    name = the_name(session, given, "image", "schedule")
    spec = _job_spec(name, given.text("image"), given.arguments[1:], given.text("restart") or "OnFailure")
    obj: Object = {
        "kind": "CronJob",
        "apiVersion": "batch/v1",
        "metadata": metadata(session, name),
        "spec": {
            "schedule": given.text("schedule"),
            "jobTemplate": {"metadata": {"name": name}, "spec": spec},
        },
        "status": {},
    }
    if not given.text("schedule"):
        obj["spec"]["schedule"] = ""
    await make(session, given, obj, "cronjobs", failure="failed to create cronjob:")


_IMAGE = Flag("image", usage="Image name to run.")

DEPLOYMENT = Command(
    "deployment",
    "deployment NAME --image=image -- [COMMAND] [args...]",
    "Create a deployment with the specified name",
    run=deployment,
    aliases=("deploy",),
    flags=(
        *GENERATOR_FLAGS,
        Flag(
            "image",
            "slice",
            (),
            "Image names to run. A deployment can have multiple images set for multi-container pod.",
        ),
        Flag("port", "int32", -1, "The containerPort that this deployment exposes."),
        Flag("replicas", "int32", 1, "Number of replicas to create. Default is 1.", "r"),
    ),
    examples="""\
# Create a deployment named my-dep that runs the busybox image
kctl create deployment my-dep --image=busybox

# Create a deployment with a command
kctl create deployment my-dep --image=busybox -- date

# Create a deployment named my-dep that runs the nginx image with 3 replicas
kctl create deployment my-dep --image=nginx --replicas=3

# Create a deployment named my-dep that runs multiple containers
kctl create deployment my-dep --image=busybox:latest --image=ubuntu:latest --image=nginx""",
)
JOB = Command(
    "job",
    "job NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
    "Create a job with the specified name",
    run=job,
    flags=(
        *GENERATOR_FLAGS,
        _IMAGE,
        Flag("from", usage="The name of the resource to create a Job from (only CronJob is supported)."),
    ),
    examples="""\
# Create a job
kctl create job my-job --image=busybox

# Create a job with a command
kctl create job my-job --image=busybox -- date

# Create a job from a cron job named "a-cronjob"
kctl create job test-job --from=cronjob/a-cronjob""",
)
CRON_JOB = Command(
    "cronjob",
    "cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]",
    "Create a cron job with the specified name",
    run=cron_job,
    aliases=("cj",),
    flags=(
        *GENERATOR_FLAGS,
        _IMAGE,
        Flag("schedule", usage="A schedule in the Cron format the job should be run with."),
        Flag("restart", usage="job's restart policy. supported values: OnFailure, Never"),
    ),
    examples="""\
# Create a cron job
kctl create cronjob my-job --image=busybox --schedule="*/1 * * * *"

# Create a cron job with a command
kctl create cronjob my-job --image=busybox --schedule="*/1 * * * *" -- date""",
)
