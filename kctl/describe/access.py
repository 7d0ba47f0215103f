"""Roles and bindings. Kubernetes: RoleDescriber, RoleBindingDescriber and their cluster-wide twins."""

from __future__ import annotations

from kctl.access.rules import broken_down, compact, listed, order, resource_and_group
from localplane.apimachinery.objects import JSONObject

from .metadata import named, of, told
from .page import Page
from .source import Source


def _heading(page: Page, obj: JSONObject) -> None:
    named(page, obj, namespaced=False)
    told(page, obj)


async def role(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    _heading(page, obj)
    page.line("PolicyRule:")
    page.line("Resources\tNon-Resource URLs\tResource Names\tVerbs", level=1)
    page.line("---------\t-----------------\t--------------\t-----", level=1)
    rules = compact([one for rule in obj.get("rules") or () for one in broken_down(rule)])
    for rule in sorted(rules, key=order):
        lists = (listed(rule.get(field)) for field in ("nonResourceURLs", "resourceNames", "verbs"))
        page.line("\t".join((resource_and_group(rule), *lists)), level=1)


async def binding(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    _heading(page, obj)
    page.line("Role:")
    page.field("Kind", of(obj, "roleRef").get("kind", ""), level=1)
    page.field("Name", of(obj, "roleRef").get("name", ""), level=1)
    page.line("Subjects:")
    page.line("Kind\tName\tNamespace", level=1)
    page.line("----\t----\t---------", level=1)
    for one in obj.get("subjects") or ():
        page.line(f"{one.get('kind', '')}\t{one.get('name', '')}\t{one.get('namespace', '')}", level=1)
