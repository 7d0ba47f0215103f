"""The kinds of the core group (`/api/v1`): one file for each, or a small package."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apiserver.resource import Resource
from localplane.catalog.declaring import builtin
from localplane.catalog.options import CatalogOptions

from .config_maps import CONFIG_MAPS
from .namespaces import NAMESPACES
from .secrets import SECRETS
from .service_accounts import service_accounts


def resources(options: CatalogOptions) -> Sequence[Resource]:
    return (
        CONFIG_MAPS,
        NAMESPACES,
        SECRETS,
        service_accounts(options),
        *(
            builtin(name)
            for name in (
                "events",
                "limitranges",
                "nodes",
                "persistentvolumeclaims",
                "persistentvolumes",
                "resourcequotas",
                "pods",
                "services",
                "endpoints",
            )
        ),
    )
