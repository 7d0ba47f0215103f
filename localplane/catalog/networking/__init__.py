"""networking.k8s.io: how traffic finds its way, and who may talk to whom.

One file per kind; `backends` are the rules for where an Ingress leads. The catalog's list of groups takes RESOURCES.
Nothing in here routes or filters anything: that is for whoever watches these objects.
"""

from __future__ import annotations

from localplane.apiserver.resource import Resource

from .ingress_classes import INGRESS_CLASSES
from .ingresses import INGRESSES
from .ip_addresses import IP_ADDRESSES
from .network_policies import NETWORK_POLICIES
from .service_cidrs import SERVICE_CIDRS

RESOURCES: tuple[Resource, ...] = (INGRESSES, INGRESS_CLASSES, NETWORK_POLICIES, IP_ADDRESSES, SERVICE_CIDRS)
