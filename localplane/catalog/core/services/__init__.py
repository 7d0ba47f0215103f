"""Services: a name, an address and ports for a set of pods.

- `shape`       what kind of a Service an object is
- `defaults`, `validation`, `strategy`  the rules around a write
- `allocated_values`, `families`, `allocation`, `claims`, `pools`, `bands`, `ip_objects`  addresses and node ports
- `shared_pools`, `port_range`, `repair`  the same where several servers use one store
- `storage`     the store that allocates; `proxy` says that nothing is proxied
- `columns`    the row in a table

The core group declares it. Nothing in here moves traffic: that is for whoever watches Services.
"""

from __future__ import annotations

from localplane.apiserver.resource import Resource
from localplane.catalog.declarations import builtin
from localplane.catalog.options import CatalogOptions

from .columns import service_cells
from .defaults import default_service
from .proxy import ServiceProxy
from .storage import service_store
from .strategy import ServiceStatusStrategy, ServiceStrategy


def services(options: CatalogOptions) -> Resource:
    strategy = ServiceStrategy()
    return builtin(
        "services",
        strategy=strategy,
        status_strategy=ServiceStatusStrategy(strategy),
        default=default_service,
        cells=service_cells,
        storage=service_store(options),
        subresources={"proxy": ServiceProxy},
    )
