"""`kctl explain`: documentation of types and their fields. Kubernetes: kubectl/pkg/cmd/explain."""

from __future__ import annotations

from typing import Any

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.views.explain import documents, skeleton, swagger
from kctl.views.explain import text as explain_text
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.groups import GroupVersion
from localplane.client.errors import ConnectionFailed, NoMatch
from localplane.client.rest.names import GroupVersionResource

_SUGGESTION = 'Use "kctl api-resources" for a complete list of supported resources.'
_SWAGGER = "plaintext-openapiv2"


async def run(session: Session, flags: FlagSet) -> None:
    _check(flags)
    found = await documents.asked(session, flags.arguments[0], whole_name=not flags.text("api-version"))
    output = flags.text("output")
    if output == _SWAGGER:
        await _explain_swagger(session, flags, found)
        return
    try:
        paths = await documents.paths_of(session)
    except (APIError, ConnectionFailed) as error:
        if output != "plaintext":
            raise KctlError(f"failed to fetch list of groupVersions: {error}") from error
        await _explain_swagger(session, flags, found)
        return
    await _explain(session, flags, found, paths)


def _check(flags: FlagSet) -> None:
    if not flags.arguments:
        raise KctlError(f"You must specify the type of resource to explain. {program.renamed(_SUGGESTION)}\n")
    if len(flags.arguments) > 1:
        raise KctlError("We accept only this format: explain RESOURCE\n")
    if flags.is_on("all") and flags.text("output") != "skeleton":
        raise KctlError("--all is for -o skeleton")
    if flags.number("max-depth") > 0 and not flags.is_on("recursive") and not flags.is_on("all"):
        raise KctlError("--max-depth requires --recursive")
    if flags.number("max-depth") < 0:
        raise KctlError("--max-depth must be non-negative")


async def _explain(session: Session, flags: FlagSet, found: documents.Asked, paths: dict[str, Any]) -> None:
    resource = found.resource
    if flags.text("api-version"):
        version = _version(flags)
        resource = GroupVersionResource(version.group, version.version, resource.resource)
    document = await documents.document_at(session, paths, resource)
    output = flags.text("output")
    if output not in ("plaintext", "skeleton"):
        raise KctlError(f"unrecognized format: {output}")
    kind = documents.kind_of(document, resource)
    options = explain_text.Options(flags.is_on("recursive"), flags.number("max-depth"))
    if output == "skeleton":
        session.write(skeleton.skeleton(document, kind, found.path, options, every=flags.is_on("all")))
        return
    group = f"GROUP:      {kind['group']}\n" if kind.get("group") else ""
    session.write(f"{group}KIND:       {kind.get('kind', '')}\nVERSION:    {kind.get('version', '')}\n\n")
    text = explain_text.explain(document, documents.schema_of(document, kind), found.path, options)
    if not text:
        raise documents.no_such_field(document, documents.schema_of(document, kind), found.path, found.path[-1])
    session.write(f"{text}\n")


async def _explain_swagger(session: Session, flags: FlagSet, found: documents.Asked) -> None:
    mapper = await session.discovery.mapper()
    try:
        kind = mapper.kind_for(found.resource)
    except NoMatch:
        kind = mapper.kind_for(GroupVersionResource(found.resource.group, "", found.resource.resource))
    if flags.text("api-version"):
        kind = _version(flags).kind(kind.kind)
    options = explain_text.Options(flags.is_on("recursive"), flags.number("max-depth"))
    session.write(swagger.explain_swagger(await documents.swagger(session), kind, found.path, options))


def _version(flags: FlagSet) -> GroupVersion:
    try:
        return GroupVersion.parse(flags.text("api-version"))
    except ValueError as error:
        raise KctlError(str(error)) from error


COMMAND = Command(
    "explain",
    "explain TYPE[.FIELD]... [--recursive] [--api-version=GROUP/VERSION] [-o plaintext|plaintext-openapiv2|skeleton]",
    "Tell what a type's fields are and mean",
    run=run,
    flags=(
        switch("all", "With -o skeleton: every field, with what it means; those that may be left out are comments."),
        Flag("api-version", usage="Explain this version of the type (group/version) instead of the preferred one."),
        Flag("max-depth", "int", 0, "How deep --recursive goes; 0 is all the way down."),
        Flag(
            "output",
            "text",
            "plaintext",
            "How to show it: (plaintext, plaintext-openapiv2, skeleton). A skeleton is a manifest to be filled in: "
            "the fields that are required or mostly wanted; with --recursive or --all, every field.",
            "o",
        ),
        switch("recursive", "List the fields of fields as well, without their descriptions.", short="R"),
    ),
    description=f"""\
Tell what the fields of a type are, what they mean, which are required and which values they can have, as the server
itself describes them. A field is named by its path: pods.spec.containers.image.

{_SUGGESTION}""",
    examples="""\
# What is in a pod
kctl explain pods

# One field, and what is below it
kctl explain pods.spec.containers.resources

# Every field of a deployment, as a tree; two levels of it
kctl explain deploy --recursive
kctl explain deploy --recursive --max-depth=2

# An older version of a type; a type whose name exists in two groups
kctl explain hpa --api-version=autoscaling/v1
kctl explain events.events.k8s.io

# A manifest to be filled in
kctl explain cronjob -o skeleton > cronjob.yaml

# The same with every field there is, and what it means, in comments; of a custom resource, too
kctl explain websites -o skeleton --all > website.yaml""",
)
