"""ResourceClaimTemplates: claims that are made for each pod.

Kubernetes: pkg/registry/resource/resourceclaimtemplate and pkg/apis/resource/validation,
ValidateResourceClaimTemplate.
"""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.claims import template_metadata_errors
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import Fields, Immutable, Struct

from .claim_specs import claim_spec_errors, default_claim_spec, drop_disabled_fields
from .device_classes import name_and_age_cells


def _claim_spec(obj: JSONObject) -> JSONObject:
    return (obj.get("spec") or {}).get("spec") or {}


def default_resource_claim_template(obj: JSONObject) -> None:
    default_claim_spec(_claim_spec(obj))


class ResourceClaimTemplateStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    rules = Fields(spec=Struct(Fields(metadata=template_metadata_errors, spec=Struct(claim_spec_errors))))
    changes = Immutable("spec", absent={}, shown=lambda spec: internal_form(spec, "resource.ResourceClaimTemplateSpec"))
    on_update = (Asked.OBJECT, Asked.METADATA, Asked.CHANGES)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        drop_disabled_fields(_claim_spec(obj))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_disabled_fields(_claim_spec(obj))


RESOURCE_CLAIM_TEMPLATES = builtin(
    "resource.k8s.io/resourceclaimtemplates",
    strategy=ResourceClaimTemplateStrategy(),
    default=default_resource_claim_template,
    cells=name_and_age_cells,
)
