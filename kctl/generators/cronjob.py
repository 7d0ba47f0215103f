"""`create cronjob`. Kubernetes: kubectl/pkg/cmd/create/create_cronjob.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.flags import Flag

from .generating import Object, Target, Words, generator, metadata, typed
from .job import job_spec

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def _cron_job(session: Session, given: Given, name: str) -> Object:
    del session
    restart = given.text("restart") or "OnFailure"
    template = {
        "metadata": {"name": name},
        "spec": job_spec(name, given.text("image"), given.arguments[1:], restart),
    }
    spec = {"schedule": given.text("schedule"), "jobTemplate": template}
    return typed("batch/v1", "CronJob", metadata(name), spec=spec, status={})


CRON_JOB = generator(
    Words(
        "cronjob",
        "cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...]",
        "Create a cron job with the specified name",
        ("cj",),
        examples="""\
# Create a cron job
kctl create cronjob my-job --image=busybox --schedule="*/1 * * * *"

# Create a cron job with a command
kctl create cronjob my-job --image=busybox --schedule="*/1 * * * *" -- date""",
    ),
    _cron_job,
    Target("batch", "v1", "cronjobs", failed="failed to create cronjob: "),
    flags=(
        Flag("image", usage="Image name to run."),
        Flag("schedule", usage="A schedule in the Cron format the job should be run with."),
        Flag("restart", usage="job's restart policy. supported values: OnFailure, Never"),
    ),
    required=("image", "schedule"),
)
