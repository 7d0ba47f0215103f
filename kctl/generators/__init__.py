"""The kinds that `kctl create` makes from a few words: one file for each, or for a small family.

A generator is a Command that `generating.generator` makes of a function from flags to an object. Objects are written in
the order of Kubernetes' own fields, because `-o json` shows it. `commands/create` takes COMMANDS; nothing else does.
Kubernetes: kubectl/pkg/cmd/create.
"""

from __future__ import annotations

from .bindings import CLUSTER_ROLE_BINDING, ROLE_BINDING
from .configmap import CONFIG_MAP
from .cronjob import CRON_JOB
from .deployment import DEPLOYMENT
from .ingress import INGRESS
from .job import JOB
from .names_alone import NAMESPACE, SERVICE_ACCOUNT
from .policies import POD_DISRUPTION_BUDGET, PRIORITY_CLASS, QUOTA
from .roles import CLUSTER_ROLE, ROLE
from .secret import SECRET
from .service import SERVICE
from .token import TOKEN

COMMANDS = (
    NAMESPACE,
    QUOTA,
    SECRET,
    CONFIG_MAP,
    SERVICE_ACCOUNT,
    SERVICE,
    DEPLOYMENT,
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    ROLE,
    ROLE_BINDING,
    POD_DISRUPTION_BUDGET,
    PRIORITY_CLASS,
    JOB,
    CRON_JOB,
    INGRESS,
    TOKEN,
)
