"""The sub-commands of `kctl create` that make up an object."""

from __future__ import annotations

from kctl.command import Command

from . import configmap, ingress, secret, service
from .accounts import NAMESPACE, SERVICE_ACCOUNT, TOKEN
from .bindings import CLUSTER_ROLE_BINDING, ROLE_BINDING
from .policies import DISRUPTION_BUDGET, PRIORITY_CLASS, QUOTA
from .roles import CLUSTER_ROLE, ROLE
from .workloads import CRON_JOB, DEPLOYMENT, JOB

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
