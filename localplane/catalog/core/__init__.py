"""The kinds of the core group (`/api/v1`): one file for each, or a small package."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apiserver.resource import Resource
from localplane.catalog.declaring import builtin
from localplane.catalog.options import CatalogOptions

from .bindings import bindings
from .config_maps import CONFIG_MAPS
from .endpoints import ENDPOINTS
from .namespaces import NAMESPACES
from .pod_templates import POD_TEMPLATES
from .pods.resource import pods
from .replication_controllers import REPLICATION_CONTROLLERS
from .secrets import SECRETS
from .service_accounts import service_accounts
from .services import services


def resources(options: CatalogOptions) -> Sequence[Resource]:
    return (
        bindings(options),
        CONFIG_MAPS,
        ENDPOINTS,
        NAMESPACES,
        POD_TEMPLATES,
        pods(options),
        REPLICATION_CONTROLLERS,
        SECRETS,
        service_accounts(options),
        services(options),
        *(
            builtin(name)
            for name in (
                "events",
                "limitranges",
                "nodes",
                "persistentvolumeclaims",
                "persistentvolumes",
                "resourcequotas",
            )
        ),
    )
