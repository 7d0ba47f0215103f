"""What the server says of flow schemas and of priority levels: conditions, each of a type of its own.

Kubernetes: pkg/apis/flowcontrol/validation, ValidateFlowSchemaStatus and ValidatePriorityLevelConfigurationStatus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, required
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Request

_CONDITIONS = Path("status") / "conditions"


class ConditionsStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return list(_errors((obj.get("status") or {}).get("conditions") or ()))


def _errors(conditions: Sequence[JSONObject]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        path, kind = _CONDITIONS[index] / "type", condition.get("type") or ""
        if kind in seen:
            yield duplicate(path, kind)
        seen.add(kind)
        if not kind:
            yield required(path)
