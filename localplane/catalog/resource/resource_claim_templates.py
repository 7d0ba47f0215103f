"""ResourceClaimTemplates: claims that are made for each pod.

Kubernetes: pkg/registry/resource/resourceclaimtemplate and pkg/apis/resource/validation,
ValidateResourceClaimTemplate.
"""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.claims import template_metadata_errors
from localplane.catalog.declaring import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_errors, metadata_update_errors

from .claim_specs import claim_spec_errors, default_claim_spec, drop_disabled_fields
from .device_classes import name_and_age_cells

_SPEC = Path("spec")


class ResourceClaimTemplateStrategy(Strategy):
    allow_unconditional_update = True
    tracks_generation = False
    validates_schema = False

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        drop_disabled_fields(_claim_spec(obj))

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        template = obj.get("spec") or {}
        return collected(
            metadata_errors(obj, namespaced=True, name=dns1123_subdomain),
            template_metadata_errors(template.get("metadata") or {}, _SPEC / "metadata"),
            claim_spec_errors(_claim_spec(obj), _SPEC / "spec"),
        )

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_disabled_fields(_claim_spec(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        spec, before = obj.get("spec") or {}, old.get("spec") or {}
        changed = not same(spec, before)
        shown = internal_form(spec, "resource.ResourceClaimTemplateSpec") if changed else None
        return collected(
            self.validate(request, obj),
            metadata_update_errors(obj, old),
            ([invalid(_SPEC, shown, IMMUTABLE)] if changed else []),
        )


def _claim_spec(obj: JSONObject) -> JSONObject:
    return (obj.get("spec") or {}).get("spec") or {}


def default_resource_claim_template(obj: JSONObject) -> None:
    default_claim_spec(_claim_spec(obj))


RESOURCE_CLAIM_TEMPLATES = builtin(
    "resource.k8s.io/resourceclaimtemplates",
    strategy=ResourceClaimTemplateStrategy(),
    default=default_resource_claim_template,
    cells=name_and_age_cells,
)
