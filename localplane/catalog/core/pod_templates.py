"""PodTemplate: a template that stands by itself. Kubernetes: pkg/registry/core/podtemplate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import BuiltinStrategy
from localplane.catalog.validation.rules import Fields, Struct

from .pods.defaults import default_pod_template
from .pods.disabled_fields import drop_disabled_fields
from .pods.validation.pods import pod_template_errors
from .pods.warnings import pod_template_warnings

_TEMPLATE = Path("template")


class PodTemplateStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    rules = Fields(template=Struct(pod_template_errors))

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _drop_disabled(obj)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(pod_template_warnings(_template(obj), _TEMPLATE))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        _drop_disabled(obj)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        if obj["metadata"].get("generation") == old["metadata"].get("generation"):
            return ()
        return list(pod_template_warnings(_template(obj), _TEMPLATE, _template(old)))


def _template(obj: JSONObject) -> JSONObject:
    template: JSONObject = obj.setdefault("template", {})
    return template


def _drop_disabled(obj: JSONObject) -> None:
    template = _template(obj)
    drop_disabled_fields(template.setdefault("spec", {}), template.get("metadata"))


def _default(obj: JSONObject) -> None:
    default_pod_template(_template(obj))


def _cells(obj: JSONObject) -> list[Any]:
    """Kubernetes: pkg/printers/internalversion, printPodTemplate."""
    template = obj.get("template") or {}
    containers = (template.get("spec") or {}).get("containers") or ()
    labels = (template.get("metadata") or {}).get("labels") or {}
    return [
        (obj.get("metadata") or {}).get("name", ""),
        ",".join(each.get("name", "") for each in containers),
        ",".join(each.get("image", "") for each in containers),
        ",".join(f"{name}={value}" for name, value in sorted(labels.items())) or "<none>",
    ]


POD_TEMPLATES = builtin("podtemplates", strategy=PodTemplateStrategy(), default=_default, cells=_cells)
