"""What the server says it serves: groups, versions, resources and their verbs.

- `model`          the neutral description that an installer hands over; the OpenAPI documents are built from it too
- `priority`       which group and which version comes first
- `legacy`         /api, /apis, /apis/GROUP, /api/VERSION, /apis/GROUP/VERSION: one small document each
- `aggregated`     everything in one document, with an ETag
- `handler`        `DiscoveryHandler`, which answers requests with finished bytes

The dispatcher calls its `handle`; an installer calls its `changed` when groups come or go. Nothing here knows a
resource's storage or its handlers.
"""

from .handler import DiscoveryHandler
from .model import InstalledGroup, InstalledResource, InstalledSubresource, InstalledVersion, storage_version_hash

__all__ = [
    "DiscoveryHandler",
    "InstalledGroup",
    "InstalledResource",
    "InstalledSubresource",
    "InstalledVersion",
    "storage_version_hash",
]
