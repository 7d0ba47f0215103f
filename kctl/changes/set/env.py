"""`kctl set env`. Kubernetes: kubectl/pkg/cmd/set/set_env.go."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress

from kctl.changes import dry_run
from kctl.changes.set import variables
from kctl.changes.set.patches import Changing, find, pod_spec, selected, set_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.objects import value_from
from kctl.printers import typed
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject


async def run(session: Session, flags: FlagSet) -> None:
    if flags.is_on("all") and flags.text("selector"):
        raise KctlError("cannot set --all and --selector at the same time")
    resources, words = variables.split(flags.arguments)
    mode = dry_run.dry_run(session)
    printer = typed.printer_for(flags, "env updated", dry_run=mode)
    _check(flags, resources, mode)
    parsed = variables.parse(_settings(flags, words))
    changes = list(parsed.set)
    if flags.text("from"):
        changes += await _imported(session, flags)
    if flags.text("prefix"):
        changes = [{**one, "name": flags.text("prefix") + one["name"]} for one in changes]
    infos = await find(session, flags, resources, refuses=False)
    listed: list[tuple[JSONObject, JSONObject]] = []
    changing = Changing(session, flags, printer, mode=mode, failure="failed to patch env update to pod template:")

    def change(obj: JSONObject) -> bool:
        containers = selected(pod_spec(obj), flags.text("containers"))
        if not containers:
            where = f"{obj.get('kind')}/{(obj.get('metadata') or {}).get('name')}"
            session.warn(f"{where} does not have any containers matching {go_quote(flags.text('containers'))}")
        for container in containers:
            before = container.get("env") or []
            if not flags.is_on("overwrite"):
                variables.check_overwrites(before, changes)
            after = variables.updated(before, changes, parsed.removed)
            if after or before:
                container["env"] = after
                if not after:
                    del container["env"]
            listed.append((obj, container))
        return True

    if flags.is_on("list"):
        for info in infos:
            with suppress(KctlError):  # whatever has no containers has nothing to list
                change(info.object or {})
        await _list(session, flags, listed)
        return
    await changing.run(infos, change)


def _settings(flags: FlagSet, words: list[str]) -> list[str]:
    settings = [*flags.texts("env"), *words]
    if "-" in settings and "-" in flags.texts("filename"):
        raise KctlError("standard input cannot be used for multiple arguments")
    return settings


def _check(flags: FlagSet, resources: list[str], mode: str) -> None:
    if flags.is_on("local") and mode == "server":
        raise KctlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if not flags.texts("filename") and not resources:
        raise KctlError("one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if flags.is_on("list") and flags.text("output"):
        raise KctlError("--list and --output may not be specified together")
    if flags.texts("keys") and not flags.text("from"):
        raise KctlError("when specifying --keys, a configmap or secret must be provided with --from")


async def _imported(session: Session, flags: FlagSet) -> list[JSONObject]:
    """A variable for each key of a config map or secret."""
    wanted = flags.texts("keys")
    found: list[JSONObject] = []
    for info in await find(session, flags, [flags.text("from")], refuses=False):
        obj = info.object or {}
        reference = {"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}.get(str(obj.get("kind")))
        if reference is None or obj.get("apiVersion") != "v1":
            raise KctlError("unsupported resource specified in --from")
        for key in sorted(obj.get("data") or ()):
            if wanted and key not in wanted:
                continue
            name = re.sub("[^a-zA-Z0-9_]", "_", key).upper()
            if name != key:
                session.warn(f"key {key} transferred to {name}")
            source = {reference: {"name": obj["metadata"]["name"], "key": key}}
            found.append({"name": name, "valueFrom": source})
    return found


async def _list(session: Session, flags: FlagSet, listed: list[tuple[JSONObject, JSONObject]]) -> None:
    resolve: Callable[[JSONObject, JSONObject, JSONObject], Awaitable[str]] | None = None
    if flags.is_on("resolve"):
        resolve = value_from.References(session).value
    for obj, container in listed:
        name = (obj.get("metadata") or {}).get("name")
        session.write(f"# {obj.get('kind')} {name}, container {container.get('name')}\n")
        problems: dict[str, list[str]] = {}
        for one in container.get("env") or ():
            source = one.get("valueFrom")
            if source is None:
                session.write(f"{one['name']}={one.get('value', '')}\n")
                continue
            if resolve is not None:
                try:
                    session.write(f"{one['name']}={await resolve(source, obj, container)}\n")
                    continue
                except KctlError as error:
                    problems.setdefault(str(error), []).append(one["name"])
            session.write(f"# {one['name']} from {variables.shown_source(source)}\n")
        for line in sorted(
            f"error retrieving reference for {', '.join(sorted(names))}: {problem}"
            for problem, names in problems.items()
        ):
            session.say(f"{line}\n")


COMMAND = Command(
    "env",
    "env RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N",
    "Set, remove or list environment variables",
    run=run,
    flags=set_flags(
        Flag("containers", "text", "*", "Only containers of this name; * stands for any part of it.", "c"),
        Flag("from", usage="Take variables from the keys of this config map or secret: configmap/NAME, secret/NAME."),
        Flag("prefix", usage="Put this before the name of every variable that is set."),
        Flag("env", "array", (), "Set this variable, KEY=value; may be repeated. - reads them from stdin.", "e"),
        Flag("keys", "slice", (), "With --from, only these keys."),
        switch("list", "List the variables of each container; nothing is sent."),
        switch("resolve", "With --list, show what references to config maps, secrets and fields lead to."),
        switch("overwrite", "With =false, refuse to give a variable another value than it has.", default=True),
        record=False,
    ),
    description="""\
Set, remove or list the environment variables of containers, in pods and in what makes pods.

KEY=value sets a variable and KEY- removes it. Init containers are meant as well, unless -c says otherwise.
Variables from a config map or secret (--from) are references: the key becomes an upper-case name, and the value
stays where it is.""",
    examples="""\
# Set one variable and remove another
kctl set env deployment/web LOG_LEVEL=debug TRACE-

# See what is set, with values behind references
kctl set env deployment/web --list --resolve

# All keys of a secret, as DB_USER, DB_PASSWORD, ...
kctl set env deployment/web --from=secret/db --prefix=DB_

# Only two keys of a config map
kctl set env deployment/web --from=configmap/settings --keys=region,zone

# One container of every deployment
kctl set env deployments --all -c 'proxy*' RETRIES=3

# What this shell has, through a pipe
env | grep ^APP_ | kctl set env -e - deployment/web

# A file, without a server
kctl set env -f web.yaml --local LOG_LEVEL=debug -o yaml""",
)
