"""Service accounts for clouds. Kubernetes: IAMPolicyGenerator, which knows one cloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.merging import schemas
from kctl.kustomize.nodes.node import Map, text
from kctl.kustomize.resources.resmap import ResMap
from kctl.kustomize.resources.resource import Resource


class AccountGenerator:
    def __init__(self, fields: Mapping[str, Any], schemas: schemas.Schemas) -> None:
        self._fields = fields
        self._schemas = schemas

    def generate(self) -> ResMap:
        cloud = str(self._fields.get("cloud") or "")
        if cloud != "gke":
            raise KustomizeError(f"cloud provider {cloud} not supported yet")
        service, account = (self._fields.get(one) or {} for one in ("kubernetesService", "serviceAccount"))
        address = f"{account.get('name') or ''}@{account.get('projectId') or ''}.iam.gserviceaccount.com"
        metadata = Map(
            {
                "annotations": Map({"iam.gke.io/gcp-service-account": text(address)}),
                "name": text(str(service.get("name") or "")),
            }
        )
        if service.get("namespace"):
            metadata["namespace"] = text(str(service["namespace"]))
        node = Map({"apiVersion": text("v1"), "kind": text("ServiceAccount"), "metadata": metadata})
        return ResMap([Resource(node, self._schemas)])
