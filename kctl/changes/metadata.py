"""`key=value` and `key-` after what they are for: label, annotate, taint. Kubernetes: cmdutil.GetResourcesAndPairs.

What label and annotate share: which objects, in what way, and the flags that say it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from kctl.changes.change_cause import RECORD
from kctl.command_line import standard_flags
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, Result
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import merge_patch
from localplane.client.rest import resources


class Words(NamedTuple):
    resources: tuple[str, ...]
    pairs: tuple[str, ...]


class Changes(NamedTuple):
    """What to set, in order, and what to take away."""

    new: dict[str, str]
    removed: tuple[str, ...]


def split(arguments: Sequence[str], what: str) -> Words:
    """`what` is label, annotation... Raises KctlError for a resource after the first pair."""
    resources: list[str] = []
    pairs: list[str] = []
    for word in arguments:
        is_pair = ("=" in word and not word.startswith("=")) or (word.endswith("-") and word != "-")
        if is_pair:
            pairs.append(word)
        elif pairs:
            raise KctlError(f"all resources must be specified before {what} changes: {word}")
        else:
            resources.append(word)
    return Words(tuple(resources), tuple(pairs))


def parse(pairs: Sequence[str]) -> Changes:
    """The first `=` separates. Kubernetes: cmdutil.ParsePairs."""
    new: dict[str, str] = {}
    removed = []
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if equals:
            new[key] = value
        else:
            removed.append(pair[:-1])
    return Changes(new, tuple(removed))


def flags(what: str, verb: str, *, recursive: bool = False) -> tuple[Flag, ...]:
    """`what` is labels or annotations."""
    return (
        *output_flags(),
        switch("overwrite", f"Replace {what} that have another value. Without it, that is an error."),
        switch("list", f"Show the {what} instead, with the changes given, and send nothing."),
        switch("local", "Change what the files say and print it, without asking a server."),
        standard_flags.FIELD_SELECTOR,
        switch("all", "All objects of these types in the namespace."),
        switch("all-namespaces", "Look in all namespaces.", short="A"),
        Flag("resource-version", usage="Only if this is still the object's resource version. For a single object."),
        *standard_flags.filename_flags(f"that name the objects to {verb}.", recursive=recursive),
        standard_flags.DRY_RUN,
        standard_flags.field_manager(f"kubectl-{verb}"),
        standard_flags.SELECTOR,
        RECORD,
    )


def check(flags: FlagSet, resources: Sequence[str], *, dry_run: str, example: str) -> None:
    """Raises KctlError for flags that don't go together. `example` is what kubectl calls a file here."""
    if flags.is_on("all") and flags.text("selector"):
        raise KctlError("cannot set --all and --selector at the same time")
    if flags.is_on("all") and flags.text("field-selector"):
        raise KctlError("cannot set --all and --field-selector at the same time")
    has_files = bool(flags.texts("filename") or flags.text("kustomize"))
    if not flags.is_on("local"):
        if not resources and not has_files:
            raise KctlError("one or more resources must be specified as <resource> <name> or <resource>/<name>")
        return
    if dry_run == "server":
        raise KctlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if resources:
        raise KctlError(
            f"can only use local files by -f {example}.yaml or --filename={example}.json when --local=true is set"
        )
    if not has_files:
        raise KctlError(f"one or more files must be specified as -f {example}.yaml or --filename={example}.json")


def query(flags: FlagSet, resources: Sequence[str]) -> Query:
    asked = Query.of(flags, resources)._replace(flatten=True, keep_going=True, local=flags.is_on("local"))
    if asked.local:
        return asked._replace(label_selector="", field_selector="", default_namespace=False)
    return asked._replace(latest=True, types_alone=flags.is_on("all"))


async def change_all(flags: FlagSet, result: Result, change: Callable[[Info], Awaitable[None]]) -> None:
    """Do it to every object, and say at the end what went wrong."""
    if flags.text("resource-version") and not result.single_item_implied:
        raise KctlError("--resource-version may only be used with a single resource")
    async for info in result.visit():
        try:
            await change(info)
        except (APIError, KctlError) as error:
            result.errors.append(error)
    raise_all(result.errors)


def list_entries(session: Session, info: Info, result: Result, what: str, entries: dict[str, str]) -> None:
    """`labels` or `annotations`, one to a line."""
    indent = ""
    if not result.single_item_implied:
        indent = " "
        group, _, _ = str((info.object or {}).get("apiVersion", "")).rpartition("/")
        session.write(f"Listing {what} for {(info.object or {}).get('kind')}.{group}/{info.name}:\n")
    for key, value in sorted(entries.items()):
        session.write(f"{indent}{key}={value}\n")


def changed_metadata(obj: JSONObject, version: str, **fields: dict[str, str]) -> JSONObject:
    """A copy with these labels or annotations, and the resource version that the change is for."""
    metadata = {**(obj.get("metadata") or {}), **fields}
    if version:
        metadata["resourceVersion"] = version
    return {**obj, "metadata": metadata}


async def send(session: Session, info: Info, before: JSONObject, after: JSONObject, *, dry_run: bool) -> JSONObject:
    """What differs, as a merge patch; a version that the change is for is always part of it."""
    if not info.name:
        raise KctlError("resource name may not be empty")
    if session.flags.text("resource-version"):
        metadata = {key: value for key, value in before["metadata"].items() if key != "resourceVersion"}
        before = {**before, "metadata": metadata}
    return await info.resource.patch(
        info.name,
        merge_patch.diff(before, after),
        resources.PatchType.MERGE,
        dry_run=dry_run,
        field_manager=session.flags.text("field-manager"),
    )
