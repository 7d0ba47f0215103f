"""What all generators share: their flags, their name, and sending and printing what they made."""

from __future__ import annotations

import urllib.parse
from typing import Any

from kctl.changes import dry_run
from kctl.changes.launch.request import require, save_configuration
from kctl.command_line import standard_flags
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, UsageError
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConnectionRefused
from localplane.client.rest.names import GroupVersionResource

GENERATOR_FLAGS = (
    *output_flags(),
    standard_flags.SAVE_CONFIG,
    standard_flags.VALIDATE,
    standard_flags.DRY_RUN,
    standard_flags.field_manager("kubectl-create"),
)


def the_name(session: Session, flags: FlagSet, *required: str, unnamed: str = "name must be specified") -> str:
    """The only argument before `--`. Flags that have to be there are complained about first, as cobra does."""
    require(flags, *required)
    count = len(flags.arguments) if flags.dash is None else flags.dash
    if count != 1:
        raise UsageError(
            f"exactly one NAME is required, got {count}", hint=f"See '{session.command} -h' for help and examples"
        )
    if flags.known("dry-run") and flags.text("dry-run") in ("none", "client", "server"):
        typed.printer_for(flags, "created")  # a wrong format is told before a wrong object
    name = flags.arguments[0]
    if not name:
        raise KctlError(unnamed)
    return name


def metadata(session: Session, name: str, **more: Any) -> JSONObject:
    """Of a namespaced object: the namespace is only said where the user said it. What is empty is left out."""
    namespace = session.namespace if session.namespace_is_explicit else ""
    fields = {"name": name, "namespace": namespace, **more}
    return {key: value for key, value in fields.items() if value}


async def make(
    session: Session, flags: FlagSet, obj: JSONObject, resource: str, *, failure: str = "", saves: bool = True
) -> None:
    """Create it, or say that it would be. `resource` is the plural; `failure` is said before the server's refusal."""
    mode = dry_run.dry_run(session)
    printer = typed.printer_for(flags, "created", dry_run=mode)
    validation = dry_run.field_validation(flags)
    save_configuration(obj, asked=saves and flags.is_on("save-config"))
    if mode != "client":
        try:
            obj = await send(session, flags, obj, resource, dry_run=mode == "server", validation=validation)
        except APIError as error:
            if not failure:
                raise
            raise KctlError(f"{failure} {error.message}") from error
        except ConnectionRefused as error:
            if not failure or not error.address:
                raise
            raise KctlError(
                f"{failure} {_unsent(session, flags, obj, resource, mode=mode, validation=validation)}"
            ) from error
    printer.print(obj, session.write_object)


def _unsent(session: Session, flags: FlagSet, obj: JSONObject, resource: str, *, mode: str, validation: str) -> str:
    """What Go says about a request that nobody took."""
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    namespace = "" if resource in _CLUSTER_SCOPED else session.namespace
    server = session.client_config.server.rstrip("/")
    query = {"dryRun": "All"} if mode == "server" else {}
    query |= {"fieldManager": flags.text("field-manager"), "fieldValidation": validation}
    path = GroupVersionResource(group, version, resource).path(namespace=namespace)
    words = urllib.parse.urlencode({name: value for name, value in query.items() if value})
    return (
        f'Post "{server}{path}?{words}": dial tcp {urllib.parse.urlsplit(server).netloc}: connect: connection refused'
    )


async def send(
    session: Session, flags: FlagSet, obj: JSONObject, resource: str, *, dry_run: bool, validation: str = ""
) -> JSONObject:
    """Create it on the server. Raises APIError."""
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    namespace = "" if resource in _CLUSTER_SCOPED else session.namespace
    client = session.client.resource(GroupVersionResource(group, version, resource), namespace)
    return await client.create(
        obj, dry_run=dry_run, field_manager=flags.text("field-manager"), field_validation=validation
    )


_CLUSTER_SCOPED = ("namespaces", "clusterroles", "clusterrolebindings", "priorityclasses")
