"""The batch group: work that ends, and work that is begun again by the clock.

One file for each kind, and one for each larger part of a job's rules; `RESOURCES` is what the catalog serves. Nothing
here starts a job. Kubernetes: pkg/apis/batch and pkg/registry/batch.

Beside these:

    indexes           the indexes of an indexed job's pods, in short: `1,3-5,7`
    job_changes       what of a job may change
    job_defaults      what a job is filled up with, and the labels by which it finds its pods
    job_policies      when a job gives up and when it is content before all of its pods are: two lists of rules
    job_status        what the status of a job may be, and how it may change
    job_validation    what a job may be
    schedules         schedules of cron jobs: `*/5 9-17 * * MON-FRI`, `@daily`, `@every 90m`
    time_zones        names of time zones: which there are, and what is said of others
"""

from __future__ import annotations

import localplane.catalog.core  # noqa: F401 - pods need budgets, which need workloads: only this way round it works
from localplane.apiserver.resource import Resource

from .cron_jobs import CRON_JOBS
from .jobs import JOBS

RESOURCES: tuple[Resource, ...] = (CRON_JOBS, JOBS)
