"""discovery.k8s.io: EndpointSlices. The catalog's list of groups takes RESOURCES; nothing here discovers anything."""

from __future__ import annotations

from localplane.apiserver.resource import Resource

from .endpoint_slices import ENDPOINT_SLICES

RESOURCES: tuple[Resource, ...] = (ENDPOINT_SLICES,)
