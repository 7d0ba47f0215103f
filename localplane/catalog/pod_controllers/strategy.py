"""How such kinds are written: by clients, and by the controllers that tell their status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from localplane.apimachinery.fieldpath import FieldError, collected
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.disabled_fields import drop_disabled_fields
from localplane.catalog.validation.metadata import metadata_update_errors

from .places import template_of
from .warnings import name_warnings, template_warnings


class PodControllerStrategy(Strategy):
    """Of a kind whose spec has a template: changes bump the generation, and only then its warnings are told again."""

    validates_schema = False
    allow_unconditional_update = True

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        drop_disabled_template_fields(template_of(obj))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_disabled_template_fields(template_of(obj))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return [*name_warnings(obj), *template_warnings(obj)]

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        if obj["metadata"].get("generation") == old["metadata"].get("generation"):
            return ()
        return template_warnings(obj, old)


class PodControllerStatusStrategy(StatusStrategy):
    """Of their status: metadata may come with it."""

    def __init__(self, main: Strategy) -> None:
        super().__init__(main, changes_metadata=True)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        before = old.get("status") or {}
        return collected(metadata_update_errors(obj, old), self.status_errors(obj.get("status") or {}, before))

    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterable[FieldError]:
        """What is wrong with a status; `before` is what it was."""
        return ()


def drop_disabled_template_fields(template: JSONObject) -> None:
    drop_disabled_fields(template.get("spec") or {}, template.get("metadata"))
