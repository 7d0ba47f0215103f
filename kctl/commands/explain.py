"""`kctl explain`: documentation of types and their fields. Kubernetes: kubectl/pkg/cmd/explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag, switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session
    from localplane.client.mapper import RESTMapper
    from localplane.client.names import GroupVersionResource

_SUGGESTION = 'Use "kctl api-resources" for a complete list of supported resources.'


class _Asked(NamedTuple):
    resource: GroupVersionResource
    path: tuple[str, ...]


async def run(session: Session, given: Given) -> None:
    from kctl.explaining.documents import document_of, kind_of, schema_of
    from kctl.explaining.rendering import Options, explain

    _check(given)
    asked = await _asked(session, given)
    if given.text("output") != "plaintext":
        raise KctlError(f"unrecognized format: {given.text('output')}")
    document = await document_of(session, asked.resource)
    kind = kind_of(document, asked.resource)
    group = f"GROUP:      {kind['group']}\n" if kind.get("group") else ""
    session.write(f"{group}KIND:       {kind.get('kind', '')}\nVERSION:    {kind.get('version', '')}\n\n")
    options = Options(given.is_on("recursive"), given.number("max-depth"))
    text = explain(document, schema_of(document, kind), asked.path, options)
    if not text:
        raise KctlError(f'field "{asked.path[-1]}" does not exist')
    session.write(f"{text}\n")


def _check(given: Given) -> None:
    if not given.arguments:
        raise KctlError(f"You must specify the type of resource to explain. {_SUGGESTION}\n")
    if len(given.arguments) > 1:
        raise KctlError("We accept only this format: explain RESOURCE\n")
    if given.number("max-depth") > 0 and not given.is_on("recursive"):
        raise KctlError("--max-depth requires --recursive")
    if given.number("max-depth") < 0:
        raise KctlError("--max-depth must be non-negative")


async def _asked(session: Session, given: Given) -> _Asked:
    from localplane.apimachinery.gotext import go_quote
    from localplane.client.errors import AmbiguousMatch, NoMatch
    from localplane.client.names import GroupVersionResource

    words = given.arguments[0].rstrip(".").split(".")
    exact = bool(given.text("api-version"))
    try:
        await session.discovery.mapping_for(words[0])  # a name that is new to us may not be to the server
        asked = _resource(await session.discovery.mapper(), words, exact=exact)
    except (NoMatch, AmbiguousMatch):
        raise KctlError(f"the server doesn't have a resource type {go_quote(words[0])}", verbatim=True) from None
    if exact:
        group, _, version = given.text("api-version").rpartition("/")
        asked = asked._replace(resource=GroupVersionResource(group, version, asked.resource.resource))
    return asked


def _resource(mapper: RESTMapper, words: list[str], *, exact: bool) -> _Asked:
    """`deployments.apps.spec` names the group as well, `deployments.spec` does not."""
    from localplane.client.names import GroupVersionResource

    wanted = GroupVersionResource("", "", words[0])
    whole = ".".join(words)
    for one in () if exact else mapper.resources_for(wanted):
        name = str(one.group_resource)
        if whole == name or whole.startswith(f"{name}."):
            return _Asked(one, tuple(part for part in whole[len(name) :].split(".") if part))
    return _Asked(mapper.resource_for(wanted), tuple(words[1:]))


COMMAND = Command(
    "explain",
    "explain TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext]",
    "Get documentation for a resource",
    run=run,
    flags=(
        Flag("api-version", usage="Get different explanations for particular API version (API group/version)"),
        Flag(
            "max-depth",
            "int",
            0,
            "Maximum recursion depth when printing nested fields with --recursive. 0 means no limit. Requires "
            "--recursive when greater than 0.",
        ),
        Flag("output", "text", "plaintext", "Format in which to render the schema (plaintext)", "o"),
        switch("recursive", "Print the fields of fields. Use --max-depth to cap the recursion depth.", short="R"),
    ),
    description=f"""\
Describe fields and structure of various resources.

This command describes the fields associated with each supported API resource. Fields are identified via a simple
JSONPath identifier:

<type>.<fieldName>[.<fieldName>]

Information about each field is retrieved from the server in OpenAPI format.

{_SUGGESTION}""",
    examples="""\
# Get the documentation of the resource and its fields
kctl explain pods

# Get all the fields in the resource
kctl explain pods --recursive

# Get the explanation for deployment in supported api versions
kctl explain deployments --api-version=apps/v1

# Get the documentation of a specific field of a resource
kctl explain pods.spec.containers""",
)
