"""What the server says of flow schemas and of priority levels: conditions, each of a type of its own.

Kubernetes: pkg/apis/flowcontrol/validation, ValidateFlowSchemaStatus and ValidatePriorityLevelConfigurationStatus.
"""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Request
from localplane.catalog.strategy import STATUS
from localplane.catalog.validation.rules import Each, Fields, Needs, Unique

_CONDITIONS = Fields(conditions=Each(Unique("type"), Needs("type")))


class ConditionsStatusStrategy(StatusStrategy):
    """Metadata stays, and is not asked again."""

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return list(_CONDITIONS(obj.get("status") or {}, STATUS))
