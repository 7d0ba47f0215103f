"""DenyServiceExternalIPs: services may keep or lose external addresses, but get no new ones. Off unless asked for.

Kubernetes: plugin/pkg/admission/network/denyserviceexternalips.
"""

from __future__ import annotations

from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes

from .plugin import WRITES, SelectivePlugin, refused, spec, written


class DenyServiceExternalIPs(SelectivePlugin):
    name = "DenyServiceExternalIPs"
    operations = WRITES
    resources = (GroupResource("", "services"),)

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        before = spec(attributes.old_object).get("externalIPs") if attributes.old_object else None
        if not set(spec(written(attributes)).get("externalIPs") or ()) <= set(before or ()):
            raise refused(attributes, "Use of external IPs is denied by admission control")
