"""The sub-commands of `kctl create` that make up an object."""

from __future__ import annotations

from kctl.changes.create import configmap, ingress, secret, service
from kctl.changes.create.accounts import NAMESPACE, SERVICE_ACCOUNT, TOKEN
from kctl.changes.create.policies import DISRUPTION_BUDGET, PRIORITY_CLASS, QUOTA
from kctl.changes.create.roles import CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING
from kctl.changes.create.workloads import CRON_JOB, DEPLOYMENT, JOB
from kctl.command_line.command import Command

GENERATORS: tuple[Command, ...] = (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    configmap.COMMAND,
    CRON_JOB,
    DEPLOYMENT,
    ingress.COMMAND,
    JOB,
    NAMESPACE,
    DISRUPTION_BUDGET,
    PRIORITY_CLASS,
    QUOTA,
    ROLE,
    ROLE_BINDING,
    secret.COMMAND,
    service.COMMAND,
    SERVICE_ACCOUNT,
    TOKEN,
)
