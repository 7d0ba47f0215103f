"""`kctl describe`. Kubernetes: kubectl/pkg/cmd/describe/describe.go."""

from __future__ import annotations

from kctl import program
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet, switch
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, resolve
from kctl.session.session import Session
from kctl.views.describe import kinds
from kctl.views.describe import page as describe_page
from localplane.apimachinery.errors import APIError, NotFound


async def run(session: Session, flags: FlagSet) -> None:
    if not flags.arguments and not flags.texts("filename") and not flags.text("kustomize"):
        raise KctlError(
            f'You must specify the type of resource to describe. Use "{program.name()} api-resources" for a complete '
            "list of supported resources.\n"
        )
    everywhere = flags.is_on("all-namespaces")
    query = Query.of(flags)._replace(
        types_alone=True,
        keep_going=True,
        flatten=True,
        enforce_namespace=session.namespace_is_explicit and not everywhere,
    )
    result = await resolve(session, query)
    infos = await result.infos()
    errors = list(result.errors)
    several = bool(errors) or len(infos) > 1
    with_events = flags.is_on("show-events") and (flags.changed("show-events") or not several)
    source = describe_page.Source(session, with_events=with_events, chunk_size=flags.number("chunk-size"))
    if len(errors) == 1 and isinstance(errors[0], NotFound) and len(flags.arguments) == 2:
        await _describe_matching(session, flags, source, errors[0])
        return
    between = ""
    for info in infos:
        try:
            text = await _described(info, source)
        except (KctlError, APIError) as error:
            errors.append(error)
            continue
        session.write(f"{between}{text}")
        between = "\n\n"
    if not infos and not errors:
        session.say("No resources found" + ("\n" if everywhere else f" in {session.namespace} namespace.\n"))
    raise_all(errors, listed=result.lists_errors and bool(result.errors))


async def _described(info: Info, source: describe_page.Source) -> str:
    """The object is asked for again: what came out of a file or a list may be another version of it."""
    kind = info.rest_mapping.kind
    page = describe_page.Page()
    await kinds.describer_for(kind.group, kind.kind)(page, await info.get(), source)
    return page.text


async def _describe_matching(
    session: Session, flags: FlagSet, source: describe_page.Source, missing: Exception
) -> None:
    """All whose names begin so, if there is none that is called so."""
    kind, prefix = flags.arguments
    query = Query(
        arguments=[kind],
        types_alone=True,
        single_type=True,
        flatten=True,
        chunk_size=flags.number("chunk-size"),
    )
    result = await resolve(session, query)
    matching = [info for info in await result.infos() if info.name.startswith(prefix)]
    for info in matching:
        session.write(f"{await _described(info, source)}\n")
    if not matching:
        raise missing


COMMAND = Command(
    "describe",
    "describe (-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
    "Tell all about objects, with their events",
    run=run,
    flags=(
        switch(
            "show-events",
            "Show what happened to the object; left out for several, unless it is asked for.",
            default=True,
        ),
        standard_flags.ALL_NAMESPACES,
        standard_flags.SELECTOR,
        standard_flags.CHUNK_SIZE,
        *standard_flags.filename_flags("that name the objects to describe"),
    ),
    description="""\
Show an object in detail, as a page to read: its fields, what it refers to, what it controls, and what happened to it.

If there is no object of that name, all whose names begin so are described. Most kinds that Kubernetes has are laid out
by hand; of all others, custom resources for instance, every field is shown.""",
    examples="""\
# Why does this pod not start? The events are at the end
kctl describe pod web-0

# All pods of a deployment that is called web
kctl describe pods web-

# By label, in every namespace, with events
kctl describe svc -l app=web -A --show-events

# Objects of different kinds, and those that a file names
kctl describe deploy/web svc/web
kctl describe -f web.yaml

# A node: what it has, and what runs on it
kctl describe node worker-1""",
)
