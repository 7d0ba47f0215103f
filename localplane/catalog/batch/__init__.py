"""The batch group: work that ends, and work that is begun again by the clock.

One file for each kind, and one for each larger part of a job's rules; `RESOURCES` is what the catalog serves. Nothing
here starts a job. Kubernetes: pkg/apis/batch and pkg/registry/batch.
"""

from __future__ import annotations

import localplane.catalog.core  # noqa: F401 - pods need budgets, which need workloads: only this way round it works
from localplane.apiserver.resource import Resource

from .cron_jobs import CRON_JOBS
from .jobs import JOBS

RESOURCES: tuple[Resource, ...] = (CRON_JOBS, JOBS)
