"""The kinds of the core group (`/api/v1`): one file for each, or a small package.

data_keys    what the values of ConfigMaps and Secrets amount to
key_pairs    does a certificate belong to a private key? In the words of Go's tls.X509KeyPair
"""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apiserver.resource import Resource
from localplane.catalog.options import CatalogOptions

from .bindings import bindings
from .component_statuses import COMPONENT_STATUSES
from .config_maps import CONFIG_MAPS
from .endpoints import ENDPOINTS
from .events import EVENTS
from .limit_ranges import LIMIT_RANGES
from .namespaces import NAMESPACES
from .nodes import NODES
from .persistent_volume_claims import PERSISTENT_VOLUME_CLAIMS
from .persistent_volumes import PERSISTENT_VOLUMES
from .pod_templates import POD_TEMPLATES
from .pods.resource import pods
from .replication_controllers import REPLICATION_CONTROLLERS
from .resource_quotas import RESOURCE_QUOTAS
from .secrets import SECRETS
from .service_accounts import service_accounts
from .services import services


def resources(options: CatalogOptions) -> Sequence[Resource]:
    return (
        bindings(options),
        COMPONENT_STATUSES,
        CONFIG_MAPS,
        ENDPOINTS,
        EVENTS,
        LIMIT_RANGES,
        NAMESPACES,
        NODES,
        PERSISTENT_VOLUME_CLAIMS,
        PERSISTENT_VOLUMES,
        POD_TEMPLATES,
        pods(options),
        REPLICATION_CONTROLLERS,
        RESOURCE_QUOTAS,
        SECRETS,
        service_accounts(options),
        services(options),
    )
