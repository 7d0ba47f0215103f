"""`kctl create deployment|job|cronjob`. Kubernetes: kubectl/pkg/cmd/create/create_{deployment,job,cronjob}.go."""

from __future__ import annotations

from kctl.changes.create.generator import GENERATOR_FLAGS, make, metadata, the_name
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.objects import Query, resolve
from kctl.session.session import Session
from localplane.apimachinery import names
from localplane.apimachinery.objects import JSONObject


async def deployment(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags, "image")
    images, command = flags.texts("image"), flags.arguments[1:]
    if len(images) > 1 and command:
        raise KctlError("cannot specify multiple --image options and command")
    containers = [_container(_container_name(image), image, command) for image in images]
    if flags.number("port") >= 0 and containers:
        first = containers[0]
        del first["resources"]
        first |= {"ports": [{"containerPort": flags.number("port")}], "resources": {}}
    labels = {"app": name}
    obj: JSONObject = {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": metadata(session, name, labels=labels),
        "spec": {
            "replicas": flags.number("replicas"),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
            "strategy": {},
        },
        "status": {},
    }
    await make(session, flags, obj, "deployments", failure="failed to create deployment:")


def _container_name(image: str) -> str:
    """The image's last word, made fit for a name; what had to be changed gets a random end."""
    name = image.rpartition("/")[2].partition(":")[0].partition("@")[0]
    if "_" in name or "." in name:
        name = names.generate_name(name.replace("_", "-").replace(".", "-") + "-")
    return name


def _container(name: str, image: str, command: list[str]) -> JSONObject:
    fields: JSONObject = {"name": name, "image": image, "command": command}
    return {key: value for key, value in fields.items() if value} | {"resources": {}}


def _job_spec(name: str, image: str, command: list[str], restart: str) -> JSONObject:
    containers = [_container(name, image, command)]
    return {"template": {"metadata": {}, "spec": {"containers": containers, "restartPolicy": restart}}}


async def job(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    image, source, command = flags.text("image"), flags.text("from"), flags.arguments[1:]
    if bool(image) == bool(source):
        raise KctlError("either --image or --from must be specified")
    if command and source:
        raise KctlError("cannot specify --from and command")
    obj: JSONObject = {"kind": "Job", "apiVersion": "batch/v1"}
    if image:
        obj |= {"metadata": metadata(session, name), "spec": _job_spec(name, image, command, "Never")}
    else:
        obj |= await _from_cron_job(session, name, source)
    await make(session, flags, obj | {"status": {}}, "jobs", failure="failed to create job:")


async def _from_cron_job(session: Session, name: str, source: str) -> JSONObject:
    result = await resolve(session, Query(arguments=[source], flatten=True, latest=True))
    infos = await result.infos()
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


async def cron_job(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags, "image", "schedule")
    spec = _job_spec(name, flags.text("image"), flags.arguments[1:], flags.text("restart") or "OnFailure")
    obj: JSONObject = {
        "kind": "CronJob",
        "apiVersion": "batch/v1",
        "metadata": metadata(session, name),
        "spec": {
            "schedule": flags.text("schedule"),
            "jobTemplate": {"metadata": {"name": name}, "spec": spec},
        },
        "status": {},
    }
    if not flags.text("schedule"):
        obj["spec"]["schedule"] = ""
    await make(session, flags, obj, "cronjobs", failure="failed to create cronjob:")


_IMAGE = Flag("image", usage="The container's image.")

DEPLOYMENT = Command(
    "deployment",
    "deployment NAME --image=image -- [COMMAND] [args...]",
    "Make a deployment: pods that are kept running",
    run=deployment,
    aliases=("deploy",),
    flags=(
        *GENERATOR_FLAGS,
        Flag("image", "slice", (), "An image; several make several containers. Required."),
        Flag("port", "int32", -1, "The port on which the first container listens."),
        Flag("replicas", "int32", 1, "How many pods.", "r"),
    ),
    description="""\
Make a deployment, which keeps pods running and replaces them one by one when they change. Containers are called
like their images. What follows -- is the command of the container.""",
    examples="""\
# Three web servers
kctl create deployment web --image=nginx --replicas=3 --port=80

# Two containers in each pod
kctl create deployment web --image=nginx --image=example/sidecar:v3

# Another command
kctl create deployment sleeper --image=busybox -- sleep infinity

# A manifest to start from
kctl create deployment web --image=nginx --dry-run=client -o yaml > web.yaml""",
)
JOB = Command(
    "job",
    "job NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
    "Make a job: a pod that runs to its end",
    run=job,
    flags=(*GENERATOR_FLAGS, _IMAGE, Flag("from", usage="Run what this cron job would run: cronjob/NAME.")),
    description="Make a job from an image, or run now what a cron job would run at its time.",
    examples="""\
# Run a command once
kctl create job migrate --image=example/app -- ./migrate up

# Run the nightly backup now
kctl create job backup-now --from=cronjob/backup""",
)
CRON_JOB = Command(
    "cronjob",
    "cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]",
    "Make a cron job: jobs at certain times",
    run=cron_job,
    aliases=("cj",),
    flags=(
        *GENERATOR_FLAGS,
        _IMAGE._replace(usage="The container's image. Required."),
        Flag("schedule", usage="When: minute, hour, day, month, weekday ('30 2 * * *'), or @daily. Required."),
        Flag("restart", usage="What happens when the container fails: OnFailure (the default) or Never."),
    ),
    description="Make a cron job, which makes a job from an image at certain times.",
    examples="""\
# Every night at half past two
kctl create cronjob backup --image=example/backup --schedule='30 2 * * *'

# Every five minutes, with a command
kctl create cj ping --image=curlimages/curl --schedule='*/5 * * * *' -- curl -fsS http://web""",
)
