"""What the server says it serves: groups, versions, resources and their verbs.

- `model`          the neutral description that an installer hands over; the OpenAPI documents are built from it too
- `priority`       which group and which version comes first
- `legacy`         /api, /apis, /apis/GROUP, /api/VERSION, /apis/GROUP/VERSION: one small document each
- `aggregated`     everything in one document, with an ETag
- `handler`        `Discovery`, which answers requests with finished bytes

The dispatcher calls `Discovery.handle`; an installer calls `Discovery.changed` when groups come or go. Nothing here
knows a resource's storage or its handlers.
"""

from .handler import Discovery
from .model import InstalledGroup, InstalledResource, InstalledSubresource, InstalledVersion, storage_version_hash

__all__ = [
    "Discovery",
    "InstalledGroup",
    "InstalledResource",
    "InstalledSubresource",
    "InstalledVersion",
    "storage_version_hash",
]
