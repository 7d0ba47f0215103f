"""What all generators do: check the words, make the object, create it, say so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import Flag
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

Object = dict[str, Any]
Build = Callable[["Session", "Given", str], Awaitable[Object]]
"""The object with this name. Its namespace is none of the function's business."""

COMMON_FLAGS = (
    *output_flags(),
    standard_flags.SAVE_CONFIG,
    standard_flags.VALIDATE,
    standard_flags.DRY_RUN,
    standard_flags.field_manager("kctl-create"),
)


class Target(NamedTuple):
    """Where the object is created. `failed` stands before the server's words; without it they stand alone."""

    group: str
    version: str
    resource: str
    namespaced: bool = True
    failed: str = ""


class Words(NamedTuple):
    name: str
    usage: str
    summary: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    examples: str = ""


def generator(
    words: Words, build: Build, target: Target, *, flags: tuple[Flag, ...] = (), required: tuple[str, ...] = ()
) -> Command:
    async def run(session: Session, given: Given) -> None:
        check_required(given, required)
        name = name_of(session, given)
        await _create(session, given, await build(session, given, name), target)

    return Command(
        words.name,
        words.usage,
        words.summary,
        run=run,
        flags=(*COMMON_FLAGS, *flags),
        description=words.description,
        examples=words.examples,
        aliases=words.aliases,
    )


def check_required(given: Given, required: tuple[str, ...]) -> None:
    if missing := [f'"{name}"' for name in sorted(required) if not given.changed(name)]:
        raise KctlError(f"required flag(s) {', '.join(missing)} not set")


def name_of(session: Session, given: Given) -> str:
    """What is left of `--`, which has to be one word."""
    count = len(given.arguments) if given.dash is None else given.dash
    if count != 1:
        raise UsageError(
            f"exactly one NAME is required, got {count}", hint=f"See '{session.command} -h' for help and examples"
        )
    if not given.arguments[0]:
        raise KctlError("name must be specified")
    return given.arguments[0]


def metadata(name: str, **rest: Any) -> Object:
    """In the order of the fields; empty ones are left out."""
    return {"name": name, **{key: value for key, value in rest.items() if value}}


def typed(api_version: str, kind: str, meta: Object, **fields: Any) -> Object:
    """Fields that are None are left out; the rest is written, empty or not."""
    present = {key: value for key, value in fields.items() if value is not None}
    return {"kind": kind, "apiVersion": api_version, "metadata": meta, **present}


async def _create(session: Session, given: Given, obj: Object, target: Target) -> None:
    from kctl.dry_running import dry_run, field_validation
    from localplane.apimachinery.errors import APIError
    from localplane.client.names import GroupVersionResource

    strategy = dry_run(session)
    printed = _printer(given, strategy)
    validation = field_validation(given)
    obj = _placed(session, given, obj, target)
    if strategy != "client":
        resource = GroupVersionResource(target.group, target.version, target.resource)
        try:
            obj = await session.client.resource(resource, session.namespace if target.namespaced else "").create(
                obj,
                dry_run=strategy == "server",
                field_manager=given.text("field-manager"),
                field_validation=validation,
            )
        except APIError as error:
            if not target.failed:
                raise
            raise KctlError(f"{target.failed}{error.message}") from error
    printed(obj, session)


def _placed(session: Session, given: Given, obj: Object, target: Target) -> Object:
    """With its namespace, if one was said, and with itself in the annotation."""
    from kctl.apply.last_applied import ANNOTATION
    from localplane.apimachinery.gotext import go_json

    meta = dict(obj["metadata"])
    if target.namespaced and session.namespace_is_explicit:
        meta = {"name": meta.pop("name"), "namespace": session.namespace, **meta}
    obj = {**obj, "metadata": meta}
    if not given.is_on("save-config"):
        return obj
    owners = meta.pop("ownerReferences", None)
    meta["annotations"] = {**meta.get("annotations", {}), ANNOTATION: go_json(obj) + "\n"}
    if owners:
        meta["ownerReferences"] = owners
    return obj


def _printer(given: Given, strategy: str) -> Callable[[Object, Session], None]:
    """JSON in the order of the fields, as Go writes its structs."""
    from kctl.printers import results
    from kctl.printers.choosing import chosen_format
    from kctl.printers.objects import go_indented, without_managed_fields

    printer = results.printer_for(given, "created", dry_run=strategy)
    if chosen_format(given).lower() != "json":
        return lambda obj, session: printer.print(obj, session.write)
    keep = given.is_on("show-managed-fields")
    return lambda obj, session: session.write(
        go_indented(obj if keep else without_managed_fields(obj), sort=False) + "\n"
    )
