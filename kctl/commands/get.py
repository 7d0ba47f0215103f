"""`kctl get`: one or many objects, as a table or in whole. Kubernetes: kubectl/pkg/cmd/get/get.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, UsageError, raise_all
from kctl.flags import Flag, switch
from kctl.printers.choosing import GET_FORMATS, output_flags
from kctl.resolve.query import Query

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Found, Info
    from kctl.session import Session

_TABLE = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)


async def run(session: Session, given: Given) -> int | None:
    if given.text("raw"):
        await _raw(session, given)
        return None
    _check(session, given)
    if given.arguments and "everything" in given.arguments[0]:
        from kctl.resolve.everything import with_everything

        cluster_wide = given.is_on("all-namespaces")
        given.arguments = await with_everything(session, given.arguments, cluster_wide=cluster_wide, verb="list")
    if given.is_on("watch") or given.is_on("watch-only"):
        from kctl.watching import watch_one_type

        return await watch_one_type(session, given, _query(session, given, watching=True))
    from kctl.resolve import resolve

    found = await resolve(session, _query(session, given))
    if _is_table(given):
        await _print_tables(session, given, found)
    else:
        await _print_objects(session, given, found)
    return None


def _check(session: Session, given: Given) -> None:
    namespace = session.namespace  # which also says what is wrong with the kubeconfig
    del namespace
    if given.is_on("watch") and given.text("sort-by"):
        session.say("warning: --watch requested, --sort-by will be ignored for watch events received\n")
    elif given.is_on("watch-only") and given.text("sort-by"):
        session.say("warning: --watch-only requested, --sort-by will be ignored\n")
    elif not given.arguments and not given.texts("filename") and not given.text("kustomize"):
        session.say(
            'You must specify the type of resource to get. Use "kctl api-resources" for a complete list of supported '
            "resources.\n\n"
        )
        raise UsageError(
            "Required resource not specified.\n"
            'Use "kctl explain <resource>" for a detailed description of that resource (e.g. kctl explain pods).',
            hint="See 'kctl get -h' for help and examples",
        )
    output = given.text("output")
    if given.is_on("show-labels") and output not in ("", "wide"):
        raise KctlError(f"--show-labels option cannot be used with {output} printer")
    if given.texts("label-columns") and output.startswith("custom-columns"):
        raise KctlError(f"--label-columns option cannot be used with {output} printer")
    for name in ("clean", "decode"):
        watching = given.is_on("watch") or given.is_on("watch-only")
        if given.is_on(name) and (_is_table(given) or watching):
            raise KctlError(f"--{name} option can only be used with an --output of whole objects, and without --watch")
    if given.is_on("output-watch-events") and not (given.is_on("watch") or given.is_on("watch-only")):
        raise KctlError("--output-watch-events option can only be used with --watch or --watch-only")


def _is_table(given: Given) -> bool:
    output = given.text("output")
    return (not output and not given.text("template")) or output == "wide"


def _query(session: Session, given: Given, *, watching: bool = False) -> Query:
    by_server = _is_table(given) and given.is_on("server-print")
    sorting = bool(given.text("sort-by"))
    return Query.of(given)._replace(
        accept=_TABLE if by_server else "application/json",
        include_object=by_server and sorting,
        chunk_size=0 if sorting and not watching else given.number("chunk-size"),
        types_alone=True,
        latest=True,
        flatten=not watching,
        keep_going=not watching,
        single_type=watching,
        enforce_namespace=session.namespace_is_explicit and not given.is_on("all-namespaces"),
    )


async def _raw(session: Session, given: Given) -> None:
    path = given.text("raw")
    if given.arguments:
        raise KctlError("arguments may not be passed when --raw is specified")
    if given.is_on("watch") or given.is_on("watch-only") or given.text("selector"):
        raise KctlError(
            "--raw may not be specified with other flags that filter the server request or alter the output"
        )
    if given.text("output"):
        raise KctlError("--raw and --output are mutually exclusive")
    if not path.startswith("/") and "://" not in path:
        from localplane.apimachinery.gotext import go_quote

        raise KctlError(f"--raw must be a valid URL path: parse {go_quote(path)}: invalid URI for request")
    from kctl.raw import raw_request

    await raw_request(session, "GET", path)


async def _infos(found: Found, given: Given) -> tuple[list[Info], list[Exception]]:
    from localplane.apimachinery.errors import NotFound

    infos = await found.infos()
    ignore = given.is_on("ignore-not-found")
    return infos, [error for error in found.errors if not (ignore and isinstance(error, NotFound))]


async def _print_tables(session: Session, given: Given, found: Found) -> None:
    from kctl.tables import print_infos

    infos, errors = await _infos(found, given)
    written = print_infos(session, given, infos)
    if not written and not given.is_on("ignore-not-found") and not errors:
        everywhere = given.is_on("all-namespaces") or not all(info.is_namespaced for info in infos)
        where = "" if everywhere else f" in {session.namespace} namespace."
        session.say(f"No resources found{where}\n")
    raise_all(errors, listed=found.lists_errors)


async def _print_objects(session: Session, given: Given, found: Found) -> None:
    """One object as it is if one was named, a List of everything otherwise."""
    from kctl.printers.choosing import printer_for

    infos, errors = await _infos(found, given)
    single = found.single_item_implied
    if single and errors:
        raise_all(errors)
    if not infos and given.is_on("ignore-not-found"):
        raise_all(errors)
        return
    printer = printer_for(given, formats=GET_FORMATS)
    obj: dict[str, Any]
    if single and len(infos) == 1:
        obj = infos[0].object or {}
    else:
        obj = {
            "apiVersion": "v1",
            "items": [info.object for info in infos],
            "kind": "List",
            "metadata": {"resourceVersion": ""},
        }
    if isinstance(obj.get("items"), list) and given.text("sort-by"):
        from kctl.printers.sorting import sorted_by

        obj = {**obj, "items": sorted_by(given.text("sort-by"), obj["items"], obj["items"])}
    if given.is_on("decode"):
        from kctl.printers.cleaning import decoded

        obj = decoded(obj)
    if given.is_on("clean"):
        from kctl.printers.cleaning import cleaned

        obj = cleaned(obj)
    try:
        printer.print(obj, session.write)
    except KctlError as error:
        errors.append(error)
    raise_all(errors)


COMMAND = Command(
    "get",
    f"get [(-o|--output=){'|'.join(GET_FORMATS)}] (TYPE[.VERSION][.GROUP] [NAME | -l label] | "
    "TYPE[.VERSION][.GROUP]/NAME ...) [flags] [options]",
    "Display one or many resources",
    run=run,
    flags=(
        *output_flags(GET_FORMATS),
        switch("no-headers", "When using the default or custom-column output format, don't print headers."),
        Flag(
            "label-columns",
            "slice",
            (),
            "Accepts a comma separated list of labels that are going to be presented as columns. Names are "
            "case-sensitive. You can also use multiple flag options like -L label1 -L label2...",
            "L",
        ),
        switch("show-kind", "If present, list the resource type for the requested object(s)."),
        switch("show-labels", "When printing, show all labels as the last column (default hide labels column)"),
        Flag(
            "sort-by",
            usage="If non-empty, sort list types using this field specification. The field specification is expressed "
            "as a JSONPath expression (e.g. '{.metadata.name}'). The field in the API resource specified by this "
            "JSONPath expression must be an integer or a string.",
        ),
        switch(
            "server-print",
            "If true, have the server return the appropriate table output. Supports extension APIs and CRDs.",
            default=True,
        ),
        Flag(
            "raw",
            usage="Raw URI to request from the server. Uses the transport specified by the kubeconfig file.",
        ),
        switch("watch", "After listing/getting the requested object, watch for changes.", short="w"),
        switch("watch-only", "Watch for changes to the requested object(s), without listing/getting first."),
        switch(
            "output-watch-events",
            "Output watch event objects when --watch or --watch-only is used. Existing objects are output as initial "
            "ADDED events.",
        ),
        switch("clean", "Leave out what the server adds: status, managedFields, uid and the like."),
        switch("decode", "Show the data of secrets as text, under stringData, where it is text."),
        standard_flags.IGNORE_NOT_FOUND,
        standard_flags.FIELD_SELECTOR,
        standard_flags.ALL_NAMESPACES,
        standard_flags.CHUNK_SIZE,
        standard_flags.SELECTOR,
        standard_flags.subresource("If specified, gets the subresource of the requested object."),
        *standard_flags.filename_flags("identifying the resource to get from a server."),
    ),
    description="""\
Display one or many resources.

Prints a table of the most important information about the specified resources. You can filter the list using a label
selector and the --selector flag. If the desired resource type is namespaced you will only see results in the current
namespace if you don't specify any namespace.

By specifying the output as 'template' and providing a Go template as the value of the --template flag, you can filter
the attributes of the fetched resources.

Use "kctl api-resources" for a complete list of supported resources.""",
    examples="""\
# List all pods in ps output format
kctl get pods

# List all pods in ps output format with more information (such as node name)
kctl get pods -o wide

# List deployments in JSON output format, in the "v1" version of the "apps" API group
kctl get deployments.v1.apps -o json

# List a pod identified by type and name specified in "pod.yaml" in JSON output format
kctl get -f pod.yaml -o json

# Return only the phase value of the specified pod
kctl get -o template pod/web-pod-13je7 --template={{.status.phase}}

# List resource information in custom columns
kctl get pod test-pod -o custom-columns=CONTAINER:.spec.containers[0].name,IMAGE:.spec.containers[0].image

# List all replication controllers and services together in ps output format
kctl get rc,services

# List one or more resources by their type and names
kctl get rc/web service/frontend pods/web-pod-13je7

# List the 'status' subresource for a single pod
kctl get pod web-pod-13je7 --subresource status

# List all pods existing in all namespaces
kctl get pods --all-namespaces

# List objects of every type in the namespace; with -A, in the whole cluster
kctl get everything

# A deployment as somebody would have written it, and a secret that can be read
kctl get deployment web -o yaml --clean
kctl get secret web -o yaml --clean --decode""",
)
