"""Where things stand in the kinds that make pods."""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.fieldpath import Path

JSONObject = dict[str, Any]

SPEC: Final = Path("spec")
STATUS: Final = Path("status")
TEMPLATE: Final = SPEC / "template"


def template_of(obj: JSONObject) -> JSONObject:
    return (obj.get("spec") or {}).get("template") or {}
