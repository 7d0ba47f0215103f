"""`kctl api-resources`: which types a server has. Kubernetes: kubectl/pkg/cmd/apiresources/apiresources.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import Flag, switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session
    from localplane.client.discovery import APIResource

_FORMATS = ("json", "yaml", "kyaml", "name", "wide")
_HEADERS = ("NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND")


async def run(session: Session, given: Given) -> None:
    if given.arguments:
        raise UsageError(
            f"unexpected arguments: [{' '.join(given.arguments)}]",
            hint="See 'kctl api-resources -h' for help and examples",
        )
    output = given.text("output")
    if output and output.lower() not in _FORMATS:
        from kctl.printers.choosing import no_such_format

        raise no_such_format(output, _FORMATS)
    if given.text("sort-by") not in ("", "name", "kind"):
        raise KctlError("--sort-by accepts only name or kind")
    discovered = await session.discovery.discover(fresh=not given.is_on("cached"))
    found = [one for one in discovered.preferred_resources() if _is_wanted(one, given)]
    _print(session, given, sorted(found, key=lambda one: (_first(one, given.text("sort-by")), one.resource.resource)))
    discovered.raise_for_failures()


def _first(one: APIResource, key: str) -> str:
    return {"name": one.resource.resource, "kind": one.kind.kind}.get(key, one.resource.group)


def _is_wanted(one: APIResource, given: Given) -> bool:
    return (
        bool(one.verbs)
        and not one.is_subresource
        and (not given.changed("api-group") or one.resource.group == given.text("api-group"))
        and (not given.changed("namespaced") or one.namespaced is given.is_on("namespaced"))
        and set(given.texts("verbs")) <= set(one.verbs)
        and set(given.texts("categories")) <= set(one.categories)
    )


def _print(session: Session, given: Given, found: list[APIResource]) -> None:
    output = given.text("output").lower()
    if output == "name":
        session.write("".join(f"{one.resource.group_resource}\n" for one in found))
        return
    if output in ("json", "yaml", "kyaml"):
        from kctl.printers.choosing import object_printer
        from kctl.printers.objects import go_indented

        listed = _document(found)
        if output == "json":
            session.write(go_indented(listed, sort=False) + "\n")
        else:
            object_printer(output, keep_managed_fields=True).print(listed, session.write)
        return
    from kctl.printers.table import print_rows
    from kctl.printers.tabwriter import TabWriter

    wide = output == "wide"
    rows = [] if given.is_on("no-headers") else [(*_HEADERS, *(("VERBS", "CATEGORIES") if wide else ()))]
    rows += [_row(one, wide=wide) for one in found]
    print_rows(rows, TabWriter(session.write))


def _row(one: APIResource, *, wide: bool) -> tuple[str, ...]:
    row = (
        one.resource.resource,
        ",".join(one.short_names),
        str(one.resource.group_version),
        "true" if one.namespaced else "false",
        one.kind.kind,
    )
    return (*row, ",".join(one.verbs), ",".join(one.categories)) if wide else row


def _document(found: list[APIResource]) -> dict[str, object]:
    resources = []
    for one in found:
        fields: dict[str, object] = {
            "name": one.resource.resource,
            "singularName": one.singular,
            "namespaced": one.namespaced,
            "group": one.resource.group,
            "version": one.resource.version,
            "kind": one.kind.kind,
            "verbs": list(one.verbs),
            "shortNames": list(one.short_names),
            "categories": list(one.categories),
        }
        always = ("name", "singularName", "namespaced", "kind", "verbs")
        resources.append({name: value for name, value in fields.items() if value or name in always})
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "", "resources": resources}


COMMAND = Command(
    "api-resources",
    "api-resources",
    "Print the supported API resources on the server",
    run=run,
    flags=(
        Flag("api-group", usage="Limit to resources in the specified API group."),
        switch("cached", "Use the cached list of resources if available."),
        Flag("categories", "slice", (), "Limit to resources that belong to the specified categories."),
        switch(
            "namespaced",
            "If false, non-namespaced resources will be returned, otherwise returning namespaced resources by default.",
            default=True,
        ),
        switch("no-headers", "When using the default output format, don't print headers (default print headers)."),
        Flag("output", usage=f"Output format. One of: ({', '.join(_FORMATS)}).", short="o"),
        Flag(
            "sort-by",
            usage="If non-empty, sort list of resources using specified field. The field can be either 'name' or "
            "'kind'.",
        ),
        Flag("verbs", "slice", (), "Limit to resources that support the specified verbs."),
    ),
    examples="""\
# Print the supported API resources
kctl api-resources

# Print the supported API resources with more information
kctl api-resources -o wide

# Print the supported API resources sorted by a column
kctl api-resources --sort-by=name

# Print the supported namespaced resources
kctl api-resources --namespaced=true

# Print the supported API resources with a specific APIGroup
kctl api-resources --api-group=rbac.authorization.k8s.io""",
)
