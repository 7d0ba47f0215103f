"""`create job`. Kubernetes: kubectl/pkg/cmd/create/create_job.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.errors import KctlError, raise_all
from kctl.flags import Flag

from .deployment import container
from .generating import Object, Target, Words, generator, metadata, typed

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def _job(session: Session, given: Given, name: str) -> Object:
    image, source, command = given.text("image"), given.text("from"), given.arguments[1:]
    if bool(image) == bool(source):
        raise KctlError("either --image or --from must be specified")
    if command and source:
        raise KctlError("cannot specify --from and command")
    if source:
        return _from_cron_job(await _cron_job(session, source), name)
    return typed("batch/v1", "Job", metadata(name), spec=job_spec(name, image, command, "Never"), status={})


def job_spec(name: str, image: str, command: list[str], restart: str) -> Object:
    pod = {"containers": [container(name, image, command)], "restartPolicy": restart}
    return {"template": {"metadata": {}, "spec": pod}}


async def _cron_job(session: Session, source: str) -> Object:
    from kctl.resolve import Query, resolve

    found = await resolve(session, Query(arguments=[source], latest=True, flatten=True))
    infos = await found.infos()
    raise_all(found.errors)
    if len(infos) != 1:
        raise KctlError("from must be an existing cronjob")
    obj = infos[0].object or {}
    if obj.get("kind") != "CronJob":
        version = str(obj.get("apiVersion", "")).rpartition("/")[2]
        raise KctlError(f"unknown object type *{version}.{obj.get('kind')}")
    return obj


def _from_cron_job(cron_job: Object, name: str) -> Object:
    template = (cron_job.get("spec") or {}).get("jobTemplate") or {}
    meta = template.get("metadata") or {}
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": cron_job["metadata"]["name"],
        "uid": cron_job["metadata"].get("uid", ""),
        "controller": True,
    }
    annotations = {"cronjob.kubernetes.io/instantiate": "manual", **(meta.get("annotations") or {})}
    return typed(
        "batch/v1",
        "Job",
        metadata(name, labels=meta.get("labels"), annotations=annotations, ownerReferences=[owner]),
        spec=template.get("spec") or {},
        status={},
    )


JOB = generator(
    Words(
        "job",
        "job NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
        "Create a job with the specified name",
        examples="""\
# Create a job
kctl create job my-job --image=busybox

# Create a job with a command
kctl create job my-job --image=busybox -- date

# Create a job from a cron job named "a-cronjob"
kctl create job test-job --from=cronjob/a-cronjob""",
    ),
    _job,
    Target("batch", "v1", "jobs", failed="failed to create job: "),
    flags=(
        Flag("image", usage="Image name to run."),
        Flag("from", usage="The name of the resource to create a Job from (only CronJob is supported)."),
    ),
)
