"""`kctl get`: one or many objects, as a table or in whole. Kubernetes: kubectl/pkg/cmd/get/get.go."""

from __future__ import annotations

import sys

from kctl import program
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, ListErrors, UsageError, raise_all
from kctl.objects import Info, Result, resolve
from kctl.objects.arguments import Query
from kctl.objects.lookup import with_everything
from kctl.printers import clean, sorting
from kctl.printers.choice import GET_FORMATS, output_flags, printer_for
from kctl.session import raw
from kctl.session.session import Session
from kctl.views import remarks
from kctl.views.tables import print_infos, watch_one_type
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.light_typing import Any

_TABLE = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)


async def run(session: Session, flags: FlagSet) -> int | None:
    if flags.text("raw"):
        await _raw(session, flags)
        return None
    _check(session, flags)
    if flags.text("at"):
        session.look_back(flags.text("at"))
    if flags.arguments and "everything" in flags.arguments[0]:
        cluster_wide = flags.is_on("all-namespaces")
        flags.arguments = await with_everything(session, flags.arguments, cluster_wide=cluster_wide, verb="list")
    if flags.is_on("watch") or flags.is_on("watch-only"):
        return await watch_one_type(session, flags, _query(session, flags, watching=True))
    result = await resolve(session, _query(session, flags))
    if _is_table(flags):
        await _print_tables(session, flags, result)
    else:
        await _print_objects(session, flags, result)
    return None


def _check(session: Session, flags: FlagSet) -> None:
    namespace = session.namespace  # which also says what is wrong with the kubeconfig
    del namespace
    if flags.is_on("watch") and flags.text("sort-by"):
        session.say("warning: --watch requested, --sort-by will be ignored for watch events received\n")
    elif flags.is_on("watch-only") and flags.text("sort-by"):
        session.say("warning: --watch-only requested, --sort-by will be ignored\n")
    elif flags.is_on("watch") or flags.is_on("watch-only"):
        pass  # what is missing is missed later, in other words
    elif not flags.arguments and not flags.texts("filename") and not flags.text("kustomize"):
        session.say(
            f'You must specify the type of resource to get. Use "{program.name()} api-resources" for a complete list '
            "of supported resources.\n\n"
        )
        raise UsageError(
            "Required resource not specified.\n"
            f'Use "{program.name()} explain <resource>" for a detailed description of that resource '
            f"(e.g. {program.name()} explain pods).",
            hint="See 'kctl get -h' for help and examples",
        )
    if flags.text("at") and (flags.is_on("watch") or flags.is_on("watch-only") or flags.text("subresource")):
        raise KctlError("--at shows whole objects of the past: it can't be used with --watch or --subresource")
    output = flags.text("output")
    if flags.is_on("show-labels") and output not in ("", "wide"):
        raise KctlError(f"--show-labels option cannot be used with {output} printer")
    if flags.texts("label-columns") and output.startswith("custom-columns"):
        raise KctlError(f"--label-columns option cannot be used with {output} printer")
    for name in ("clean", "decode"):
        watching = flags.is_on("watch") or flags.is_on("watch-only")
        if flags.is_on(name) and (_is_table(flags) or watching):
            raise KctlError(f"--{name} option can only be used with an --output of whole objects, and without --watch")
    if flags.is_on("output-watch-events") and not (flags.is_on("watch") or flags.is_on("watch-only")):
        raise KctlError("--output-watch-events option can only be used with --watch or --watch-only")


def _is_table(flags: FlagSet) -> bool:
    output = flags.text("output")
    return (not output and not flags.text("template")) or output == "wide"


def _query(session: Session, flags: FlagSet, *, watching: bool = False) -> Query:
    by_server = _is_table(flags) and flags.is_on("server-print")
    sorting = bool(flags.text("sort-by"))
    return Query.of(flags)._replace(
        accept=_TABLE if by_server else "application/json",
        include_object=by_server and sorting,
        chunk_size=0 if sorting and not watching else flags.number("chunk-size"),
        types_alone=True,
        latest=True,
        flatten=not watching,
        keep_going=not watching,
        single_type=watching,
        enforce_namespace=session.namespace_is_explicit and not flags.is_on("all-namespaces"),
    )


async def _raw(session: Session, flags: FlagSet) -> None:
    path = flags.text("raw")
    if flags.arguments:
        raise KctlError("arguments may not be passed when --raw is specified")
    if flags.is_on("watch") or flags.is_on("watch-only") or flags.text("selector"):
        raise KctlError(
            "--raw may not be specified with other flags that filter the server request or alter the output"
        )
    if flags.text("output"):
        raise KctlError("--raw and --output are mutually exclusive")
    raw.check_path(path)
    await raw.raw_request(session, "GET", path)


async def _infos(result: Result, flags: FlagSet) -> tuple[list[Info], list[Exception]]:
    infos = await result.infos()
    if not flags.is_on("ignore-not-found"):
        return infos, list(result.errors)
    errors: list[Exception] = []
    for error in result.errors:
        if isinstance(error, ListErrors):
            left = [one for one in error.errors if not isinstance(one, NotFound)]
            errors += [ListErrors(left)] if left else []
        elif not isinstance(error, NotFound):
            errors.append(error)
    return infos, errors


async def _print_tables(session: Session, flags: FlagSet, result: Result) -> None:
    infos, errors = await _infos(result, flags)
    written = print_infos(session, flags, infos)
    if not written and not flags.is_on("ignore-not-found") and not errors:
        everywhere = flags.is_on("all-namespaces") or not all(info.is_namespaced for info in infos)
        where = "" if everywhere else f" in {session.namespace} namespace."
        session.say(f"No resources found{where}\n")
        if not everywhere and sys.stderr.isatty():
            await remarks.about_empty(session)
    if sys.stderr.isatty():
        await remarks.about_workloads(session, infos)
    raise_all(errors, listed=result.lists_errors)


async def _print_objects(session: Session, flags: FlagSet, result: Result) -> None:
    """One object as it is if one was named, a List of everything otherwise."""
    infos, errors = await _infos(result, flags)
    single = result.single_item_implied
    if single and errors:
        raise_all(errors)
    errors = [one for error in errors for one in (error.errors if isinstance(error, ListErrors) else (error,))]
    if not infos and flags.is_on("ignore-not-found"):
        raise_all(errors)
        return
    printer = printer_for(flags, formats=GET_FORMATS)
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
    try:
        printer.print(_prepared(flags, obj), session.write_object)
    except KctlError as error:
        errors.append(error)
    raise_all(errors)


def _prepared(flags: FlagSet, obj: dict[str, Any]) -> dict[str, Any]:
    """In order, decoded and cleaned, as the flags say. Raises KctlError."""
    if isinstance(obj.get("items"), list) and flags.text("sort-by"):
        obj = {**obj, "items": sorting.sorted_by(flags.text("sort-by"), obj["items"], obj["items"])}
    if flags.is_on("decode"):
        obj = clean.decoded(obj)
    if flags.is_on("clean"):
        obj = clean.cleaned(obj)
    return obj


COMMAND = Command(
    "get",
    f"get [(-o|--output=){'|'.join(GET_FORMATS)}] (TYPE[.VERSION][.GROUP] [NAME | -l label] | "
    "TYPE[.VERSION][.GROUP]/NAME ...) [flags] [options]",
    "Show objects: lists, or one as it is",
    run=run,
    flags=(
        *output_flags(GET_FORMATS),
        switch("no-headers", "Leave the line of headers out, of tables and of custom columns."),
        Flag(
            "label-columns", "slice", (), "Labels that get a column of their own: -L app,tier or -L app -L tier.", "L"
        ),
        switch("show-kind", "Write the type before each name, even if there is only one."),
        switch("show-labels", "Show all labels in a last column."),
        Flag(
            "sort-by",
            usage="Sort by a field, given as JSONPath: .metadata.creationTimestamp. It has to be a text or a number.",
        ),
        switch("server-print", "Let the server make the table; without, there are names and ages only.", default=True),
        Flag("raw", usage="Print what the server answers to this path, and nothing else: /readyz?verbose."),
        switch("watch", "Go on after that, and print every change.", short="w"),
        switch("watch-only", "Print changes only, not what is there already."),
        switch(
            "output-watch-events",
            "With --watch or --watch-only, say what happened to the object as well: ADDED, MODIFIED, DELETED.",
        ),
        Flag("at", usage="As it was then: a revision, a time, or how long ago (5m). For planes of 'kctl up'."),
        switch("clean", "Leave out what the server adds: status, managedFields, uid and the like."),
        switch("decode", "Show the data of secrets as text, under stringData, where it is text."),
        standard_flags.IGNORE_NOT_FOUND,
        standard_flags.FIELD_SELECTOR,
        standard_flags.ALL_NAMESPACES,
        standard_flags.CHUNK_SIZE,
        standard_flags.SELECTOR,
        standard_flags.subresource("Show this part of the object: status or scale."),
        *standard_flags.filename_flags("that name the objects; what is shown comes from the server."),
    ),
    description="""\
Show one object or many: as a table, in whole, or just the fields you ask for.

Name a type, and you see all its objects in the namespace; name objects too, and you see those. Several types are
separated by commas, and `all` stands for the usual ones. `kctl api-resources` lists the types, `kctl explain` says what
is in them.""",
    examples="""\
# The pods of the namespace, and where they run
kctl get pods -o wide

# Two kinds at once, and single objects of different kinds
kctl get deploy,svc
kctl get deploy/web svc/web cm/settings

# Everything of one application in the cluster, with two labels as columns
kctl get all -A -l app=web -L version,tier

# Pods that are not running, the oldest first
kctl get pods --field-selector status.phase!=Running --sort-by=.metadata.creationTimestamp

# One field, several fields, columns of your own
kctl get svc web -o jsonpath='{.spec.clusterIP}'
kctl get pods -o jsonpath='{range .items[*]}{.metadata.name}{"\\t"}{.status.podIP}{"\\n"}{end}'
kctl get pods -o custom-columns=NAME:.metadata.name,IMAGES:.spec.containers[*].image

# A type of which there are several groups or versions
kctl get deployments.v1.apps

# What the server has of the objects in these files
kctl get -f manifests/ -R -o name

# How many replicas are wanted, by way of a subresource
kctl get deploy web --subresource=scale -o jsonpath='{.spec.replicas}'

# As it was at a revision, or five minutes ago
kctl get deploy/web --at 1234 -o yaml
kctl get pods --at 5m

# Stay, and see what happens
kctl get pods -w --output-watch-events

# Objects of every type in the namespace; with -A, in the whole cluster
kctl get everything

# A deployment as somebody would have written it, and a secret that can be read
kctl get deployment web -o yaml --clean
kctl get secret web -o yaml --clean --decode""",
)
