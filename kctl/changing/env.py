"""`kctl set env`. Kubernetes: kubectl/pkg/cmd/set/set_env.go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag, switch
from localplane.apimachinery.gotext import go_quote

from . import variables
from .containers import selected
from .flags import set_flags
from .patching import Changing, Object, find
from .pod_specs import pod_spec

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.printers.typed import printer_for

    if given.is_on("all") and given.text("selector"):
        raise KctlError("cannot set --all and --selector at the same time")
    resources, words = variables.split(given.arguments)
    mode = dry_run(session)
    printer = printer_for(given, "env updated", dry_run=mode)
    _check(given, resources, mode)
    parsed = variables.parse([*given.texts("env"), *words])
    changes = list(parsed.set)
    if given.text("from"):
        changes += await _imported(session, given)
    if given.text("prefix"):
        changes = [{**one, "name": given.text("prefix") + one["name"]} for one in changes]
    infos = await find(session, given, resources)
    listed: list[tuple[Object, Object]] = []
    changing = Changing(session, given, printer, mode=mode, failure="failed to patch env update to pod template:")

    def change(obj: Object) -> bool:
        containers = selected(pod_spec(obj), given.text("containers"))
        if not containers:
            where = f"{obj.get('kind')}/{(obj.get('metadata') or {}).get('name')}"
            session.warn(f"{where} does not have any containers matching {go_quote(given.text('containers'))}")
        for container in containers:
            before = container.get("env") or []
            if not given.is_on("overwrite"):
                variables.check_overwrites(before, changes)
            after = variables.updated(before, changes, parsed.removed)
            if after or before:
                container["env"] = after
                if not after:
                    del container["env"]
            listed.append((obj, container))
        return True

    if given.is_on("list"):
        for info in infos:
            change(info.object or {})
        await _list(session, given, listed)
        return
    await changing.run(infos, change)


def _check(given: Given, resources: list[str], mode: str) -> None:
    if given.is_on("local") and mode == "server":
        raise KctlError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if not given.texts("filename") and not resources:
        raise KctlError("one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if given.is_on("list") and given.text("output"):
        raise KctlError("--list and --output may not be specified together")
    if given.texts("keys") and not given.text("from"):
        raise KctlError("when specifying --keys, a configmap or secret must be provided with --from")


async def _imported(session: Session, given: Given) -> list[Object]:
    """A variable for each key of a config map or secret."""
    wanted = given.texts("keys")
    found: list[Object] = []
    for info in await find(session, given, [given.text("from")]):
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


async def _list(session: Session, given: Given, listed: list[tuple[Object, Object]]) -> None:
    resolve: Callable[[Object, Object, Object], Awaitable[str]] | None = None
    if given.is_on("resolve"):
        from .references import References

        resolve = References(session).value
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
    "Update environment variables on a pod template",
    run=run,
    flags=set_flags(
        "env",
        Flag(
            "containers",
            "text",
            "*",
            "The names of containers in the selected pod templates to change - may use wildcards",
            "c",
        ),
        Flag("from", usage="The name of a resource from which to inject environment variables"),
        Flag("prefix", usage="Prefix to append to variable names"),
        Flag(
            "env",
            "array",
            (),
            "Specify a key-value pair for an environment variable to set into each container.",
            "e",
        ),
        Flag("keys", "slice", (), "Comma-separated list of keys to import from specified resource"),
        switch("list", "If true, display the environment and any changes in the standard format."),
        switch("resolve", "If true, show secret or configmap references when listing variables"),
        switch(
            "overwrite",
            "If true, allow environment to be overwritten, otherwise reject updates that overwrite existing "
            "environment.",
            default=True,
        ),
    ),
    description="""\
Update environment variables on a pod template.

List environment variable definitions in one or more pods, pod templates. Add, update, or remove container environment
variable definitions in one or more pod templates. View or modify the environment variable definitions on all containers
in the specified pods or pod templates, or just those that match a wildcard.

If "--env -" is passed, environment variables can be read from STDIN using the standard env syntax.""",
    examples="""\
# Update deployment 'registry' with a new environment variable
kctl set env deployment/registry STORAGE_DIR=/local

# List the environment variables defined on a deployments 'sample-build'
kctl set env deployment/sample-build --list

# Import environment from a config map with a prefix
kctl set env --from=configmap/myconfigmap --prefix=MYSQL_ deployment/myapp

# Remove the environment variable ENV from container 'c1' in all deployments
kctl set env deployments --all --containers="c1" ENV-""",
)
