"""What a client is told about an object that is taken all the same."""

from __future__ import annotations

from localplane.apimachinery.names import dns1123_label
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.warnings import pod_template_warnings

from .places import TEMPLATE, template_of

_NAME = (
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
    "a DNS label is recommended: "
)


def name_warnings(obj: JSONObject) -> list[str]:
    problems = dns1123_label((obj.get("metadata") or {}).get("name") or "")
    return [f"{_NAME}[{' '.join(problems)}]"] if problems else []


def template_warnings(obj: JSONObject, old: JSONObject | None = None) -> list[str]:
    before = template_of(old) if old is not None else None
    return list(pod_template_warnings(template_of(obj), TEMPLATE, before))
