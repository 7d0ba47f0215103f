"""Everything it takes to serve an API of your own, in one place.

    from localplane.library import APIGroup, Resource, Version, run

    class GreetingSpec:
        text: str

    class Greeting:
        spec: GreetingSpec

    greetings = Resource("greetings", kind="Greeting", versions=[Version("v1", Greeting)])
    run([APIGroup("hello.example.com", [greetings])])

`run` is such a program's main: it reads the command line (`--help` tells the flags), serves until SIGINT or SIGTERM and
says where. `open_plane` is the same as a context manager, for tests and for programs that do more. What else may be
declared: a Strategy for rules of its own, admission plugins, controllers, other versions. A declaration that can't be
served is a DeclarationError where it is made.

Fields are annotations of plain classes, dataclasses, TypedDicts or pydantic's models: str, int, float, bool, bytes,
datetime, timedelta, Any, list[...], dict[str, ...], Literal, Enum, `X | None`, int | str, other classes, and unions of
classes with a discriminator. Constraints stand in Annotated: our Field, annotated_types' (Gt, Len, ...) and pydantic's
Field with its aliases, defaults, patterns and descriptions. What is not understood is refused, never ignored.

To stand behind a cluster's aggregator as an APIService, a server believes its front proxy
(--requestheader-client-ca-file) and asks the cluster who may do what (--authorization-kubeconfig): examples/aggregated.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import shlex
import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path as FilePath
from typing import Any

from localplane.apimachinery.errors import APIError, BadRequest, Conflict, Forbidden, Invalid, NotFound
from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.schema import DeclarationError, Field
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.audit.policy_file import PolicyInvalid
from localplane.apiserver.long_work import THREAD_SWITCH_SECONDS
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request, User
from localplane.apiserver.resource import APIGroup, Column, Resource, Subresource, Version
from localplane.apiserver.server.flags import LibraryFlag, flags_of, with_values
from localplane.apiserver.server.listener import CannotListen
from localplane.apiserver.server.options import (
    AuthenticationOptions,
    InvalidOptions,
    RequestHeaderOptions,
    ServerOptions,
    TLSOptions,
)
from localplane.apiserver.server.signals import stop_on_signals
from localplane.apiserver.server.tls import UnusableCertificate
from localplane.apiserver.storage.errors import StorageError
from localplane.client import ClientError
from localplane.compose.kernel import Provided
from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.server import Controller, Plane, PlaneOptions, open_plane

from .apiserver.authentication.bearer_token import TokenFileInvalid

__all__ = [
    "APIError",
    "APIGroup",
    "Attributes",
    "AuthenticationOptions",
    "BadRequest",
    "Column",
    "Conflict",
    "Controller",
    "DeclarationError",
    "Field",
    "FieldError",
    "Forbidden",
    "Invalid",
    "NotFound",
    "Operation",
    "Path",
    "Plane",
    "PlaneOptions",
    "Provided",
    "Request",
    "RequestHeaderOptions",
    "Resource",
    "ServerOptions",
    "StorageKind",
    "StorageOptions",
    "Strategy",
    "Subresource",
    "TLSOptions",
    "User",
    "Version",
    "forbidden",
    "invalid",
    "open_plane",
    "required",
    "run",
]


_MENDABLE = (
    DeclarationError,
    StorageError,
    InvalidOptions,
    UnusableCertificate,
    PolicyInvalid,
    TokenFileInvalid,
    ClientError,
)


def run(
    groups: Sequence[APIGroup], options: PlaneOptions | None = None, *, arguments: Sequence[str] | None = None
) -> int:
    """Serve until a signal comes; the result is an exit code. What no flag says, `options` say. `arguments` are the
    process's own unless they are given."""
    options = _from_command_line(options or PlaneOptions(), arguments)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S")
    try:
        _run_until_done(_serve(groups, options))
    except CannotListen as error:
        sys.stderr.write(f"error: {error}: choose another port with --port; 0 takes a free one\n")
        return 1
    except _MENDABLE as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


def _run_until_done(work: Coroutine[Any, Any, None]) -> None:
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    if sys.platform == "win32":
        asyncio.run(work)
    else:
        import uvloop

        uvloop.run(work)


def _from_command_line(options: PlaneOptions, arguments: Sequence[str] | None) -> PlaneOptions:
    """Imported here: a program that embeds the server pays for no command line."""
    import argparse

    parser = argparse.ArgumentParser(description="Serve an API in the foreground; Ctrl-C ends it.", allow_abbrev=False)
    flags = flags_of(PlaneOptions, LibraryFlag)
    for each in flags:
        kind = each.flag.read or (int if each.type is int else FilePath)
        default = functools.reduce(getattr, each.path, options)
        parser.add_argument(
            each.flag.name, dest=each.key, type=kind, metavar=each.flag.metavar, default=default, help=each.flag.help
        )
    words = parser.parse_args(arguments)
    options = with_values(options, {each.path: getattr(words, each.key) for each in flags})
    if words.storage is StorageKind.MEMORY and words.data_dir:
        parser.error("--data-dir and --storage memory contradict one another")
    if words.storage not in (None, StorageKind.ETCD) and words.etcd:
        parser.error(f"--etcd and --storage {words.storage} contradict one another")
    return options


async def _serve(groups: Sequence[APIGroup], options: PlaneOptions) -> None:
    stop = asyncio.Event()
    with stop_on_signals(stop.set):
        async with open_plane(groups, options) as plane:
            sys.stdout.write(_report(plane))
            sys.stdout.flush()
            await stop.wait()


def _report(plane: Plane) -> str:
    rows = [("store", plane.storage.store)]
    if plane.storage.data_dir is not None:
        rows.append(("data", str(plane.storage.data_dir)))
    rows.append(("try", f"kubectl --kubeconfig {shlex.quote(str(plane.kubeconfig))} api-resources"))
    rows += [("note", hint) for hint in plane.storage.hints]
    lines = [f"{plane.name} is served at {plane.url}", *(f"  {name:<7}{value}" for name, value in rows)]
    return "\n".join([*lines, "Ctrl-C stops it.\n"])
