"""Where things stand in the kinds that make pods."""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.objects import JSONObject

SPEC: Final = Path("spec")
STATUS: Final = Path("status")
TEMPLATE: Final = SPEC / "template"


def template_of(obj: JSONObject) -> JSONObject:
    return (obj.get("spec") or {}).get("template") or {}
