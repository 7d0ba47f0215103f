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
declared: a Strategy for rules of its own, admission plugins, controllers, other versions.

To stand behind a cluster's aggregator as an APIService, a server believes its front proxy
(--requestheader-client-ca-file) and asks the cluster who may do what (--authorization-kubeconfig): examples/aggregated.
"""

from __future__ import annotations

import asyncio
import logging
import shlex
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from localplane.apimachinery.errors import APIError, BadRequest, Conflict, Forbidden, Invalid, NotFound
from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.schema import Field
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.audit.policy_file import PolicyInvalid
from localplane.apiserver.authentication.static_token import TokenFileInvalid
from localplane.apiserver.authorization import NamedAuthorizer, UnionAuthorizer
from localplane.apiserver.long_work import THREAD_SWITCH_SECONDS
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request, User
from localplane.apiserver.resource import APIGroup, Column, Resource, Subresource, Version
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
from localplane.compose.server import Controller, Plane, PlaneOptions, default_authorizer, open_plane
from localplane.compose.storage import StorageKind, StorageOptions

if TYPE_CHECKING:
    import argparse

__all__ = [
    "APIError",
    "APIGroup",
    "Attributes",
    "AuthenticationOptions",
    "BadRequest",
    "Column",
    "Conflict",
    "Controller",
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


_MENDABLE = (StorageError, InvalidOptions, UnusableCertificate, PolicyInvalid, TokenFileInvalid, ClientError)


def run(
    groups: Sequence[APIGroup], options: PlaneOptions | None = None, *, arguments: Sequence[str] | None = None
) -> int:
    """Serve until a signal comes; the result is an exit code. What no flag says, `options` say. `arguments` are the
    process's own unless they are given."""
    options = options or PlaneOptions()
    flags = _flags(options, arguments)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S")
    try:
        _run_until_done(_serve(groups, _with_flags(options, flags), flags.authorization_kubeconfig))
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


def _flags(options: PlaneOptions, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Imported here: a program that embeds the server pays for no command line."""
    import argparse

    parser = argparse.ArgumentParser(description="Serve an API in the foreground; Ctrl-C ends it.", allow_abbrev=False)
    parser.add_argument(
        "--port", type=int, default=options.server.port, help="default: %(default)s; 0 takes a free one"
    )
    parser.add_argument(
        "--data-dir",
        type=FilePath,
        metavar="PATH",
        help="where the data is kept; default: $XDG_STATE_HOME/kctl/NAME, NAME being this server's",
    )
    parser.add_argument(
        "--storage",
        type=StorageKind,
        metavar="{etcd,sqlite,memory}",
        help="default: etcd when a fit one is found, else sqlite; memory forgets everything",
    )
    parser.add_argument("--etcd", type=FilePath, metavar="PATH", help="the etcd to run; also: KCTL_ETCD")
    parser.add_argument(
        "--requestheader-client-ca-file",
        type=FilePath,
        metavar="PATH",
        help="believe an aggregator whose certificate is of this authority: pki/front-proxy-ca.crt of `kctl up`",
    )
    parser.add_argument(
        "--requestheader-allowed-names",
        type=lambda text: tuple(text.split(",")),
        metavar="NAMES",
        default=(),
        help="the names that its certificate may have, with commas between them; default: any",
    )
    parser.add_argument(
        "--authorization-kubeconfig",
        type=FilePath,
        metavar="PATH",
        help="the cluster to ask who may do what; default: only system:masters may do anything",
    )
    flags = parser.parse_args(arguments)
    if flags.storage is StorageKind.MEMORY and flags.data_dir:
        parser.error("--data-dir and --storage memory contradict one another")
    if flags.storage not in (None, StorageKind.ETCD) and flags.etcd:
        parser.error(f"--etcd and --storage {flags.storage} contradict one another")
    return flags


def _with_flags(options: PlaneOptions, flags: argparse.Namespace) -> PlaneOptions:
    storage = replace(
        options.storage,
        kind=flags.storage or options.storage.kind,
        data_dir=flags.data_dir or options.storage.data_dir,
        etcd_path=flags.etcd or options.storage.etcd_path,
    )
    server = replace(options.server, port=flags.port)
    if flags.requestheader_client_ca_file:
        proxy = RequestHeaderOptions(
            client_ca=flags.requestheader_client_ca_file, allowed_names=flags.requestheader_allowed_names
        )
        server = replace(server, authentication=replace(server.authentication, request_header=proxy))
    return replace(options, server=server, storage=storage)


@asynccontextmanager
async def _delegating(options: PlaneOptions, kubeconfig: FilePath | None) -> AsyncIterator[PlaneOptions]:
    """Those who may do all may do so without the cluster; for the rest it is asked."""
    if kubeconfig is None:
        yield options
        return
    from localplane.apiserver.authorization.delegated import DelegatedAuthorizer
    from localplane.client import Client
    from localplane.client.kubeconfig import load, resolve

    async with Client.connect(resolve(load(kubeconfig))) as client:
        authorizer = UnionAuthorizer(
            NamedAuthorizer("own", options.authorizer or default_authorizer()),
            NamedAuthorizer("delegated", DelegatedAuthorizer(client)),
        )
        yield replace(options, authorizer=authorizer)


async def _serve(groups: Sequence[APIGroup], options: PlaneOptions, authorization: FilePath | None) -> None:
    stop = asyncio.Event()
    with stop_on_signals(stop.set):
        async with _delegating(options, authorization) as delegating, open_plane(groups, delegating) as plane:
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
