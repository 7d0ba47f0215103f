"""`kctl api-resources`: which types a server has. Kubernetes: kubectl/pkg/cmd/apiresources/apiresources.go."""

from __future__ import annotations

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError
from kctl.printers import choice, typed
from kctl.printers.table import print_rows
from kctl.session.session import Session
from localplane.client.rest.discovery import APIResource

_FORMATS = ("json", "yaml", "kyaml", "name", "wide")
_HEADERS = ("NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND")


async def run(session: Session, flags: FlagSet) -> None:
    if flags.arguments:
        raise UsageError(
            f"unexpected arguments: [{' '.join(flags.arguments)}]",
            hint="See 'kctl api-resources -h' for help and examples",
        )
    output = _format(flags)
    if flags.text("sort-by") not in ("", "name", "kind"):
        raise KctlError("--sort-by accepts only name or kind")
    discovered = await session.discovery.discover(fresh=not flags.is_on("cached"))
    found = [one for one in discovered.preferred_resources() if _is_wanted(one, flags)]
    _print(
        session,
        flags,
        output,
        sorted(found, key=lambda one: (_first(one, flags.text("sort-by")), one.resource.resource)),
    )
    discovered.raise_for_failures()


def _format(flags: FlagSet) -> str:
    """Only whole objects don't mind capitals."""
    output = flags.text("output")
    if output.lower() in ("json", "yaml", "kyaml"):
        return output.lower()
    if output not in ("", "name", "wide"):
        raise choice.no_such_format(output, _FORMATS)
    return output


def _first(one: APIResource, key: str) -> str:
    return {"name": one.resource.resource, "kind": one.kind.kind}.get(key, one.resource.group)


def _is_wanted(one: APIResource, flags: FlagSet) -> bool:
    return (
        bool(one.verbs)
        and not one.is_subresource
        and (not flags.changed("api-group") or one.resource.group == flags.text("api-group"))
        and (not flags.changed("namespaced") or one.namespaced is flags.is_on("namespaced"))
        and set(flags.texts("verbs")) <= set(one.verbs)
        and set(flags.texts("categories")) <= set(one.categories)
    )


def _print(session: Session, flags: FlagSet, output: str, found: list[APIResource]) -> None:
    if output == "name":
        session.write("".join(f"{one.resource.group_resource}\n" for one in found))
        return
    if output in ("json", "yaml", "kyaml"):
        _print_document(session, output, _document(found), keep=flags.is_on("show-managed-fields"))
        return
    wide = output == "wide"
    rows = [] if flags.is_on("no-headers") else [(*_HEADERS, *(("VERBS", "CATEGORIES") if wide else ()))]
    rows += [_row(one, wide=wide) for one in found]
    print_rows(rows, session.columns())


def _print_document(session: Session, output: str, listed: dict[str, object], *, keep: bool) -> None:
    plain = choice.object_printer(output, keep_managed_fields=keep)
    typed.TypedPrinter(output, plain, keep_managed_fields=keep).print(listed, session.write_object)


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
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "", "resources": resources or None}


COMMAND = Command(
    "api-resources",
    "api-resources",
    "List the types of objects that the server has",
    run=run,
    flags=(
        Flag("api-group", usage="Only types of this group; '' is the core group."),
        switch("cached", "Take what is in the cache, if there is something, instead of asking the server."),
        Flag("categories", "slice", (), "Only types that are in all of these categories."),
        switch("namespaced", "Only types that live in namespaces; with =false, only those that do not.", default=True),
        switch("no-headers", "Leave out the line with the names of the columns."),
        Flag("output", usage=f"Output format. One of: ({', '.join(_FORMATS)}).", short="o"),
        switch("show-managed-fields", "Keep managedFields in JSON and YAML. Types have none, so nothing changes."),
        Flag("sort-by", usage="Sort by 'name' or 'kind' instead of by group."),
        Flag("verbs", "slice", (), "Only types that support all of these verbs."),
    ),
    description="""\
List the types of objects that the server has: their names and short names, the API version, whether they live in
namespaces, and their kind. Of a type with several versions the preferred one is shown.""",
    examples="""\
# Everything that the server knows
kctl api-resources

# With the verbs and categories of each type
kctl api-resources -o wide

# The types of one group; of the core group
kctl api-resources --api-group=apps
kctl api-resources --api-group=

# Names of all types that can be listed in a namespace, one per line, as a script wants them
kctl api-resources --verbs=list --namespaced -o name

# What 'kctl get all' would show
kctl api-resources --categories=all""",
)
