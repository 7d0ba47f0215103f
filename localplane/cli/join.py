"""`kctl join`: what another machine needs to run a server of the same cluster.

The cluster's identity is in its etcd, so there is nothing secret to hand over but the way to etcd, and that is files:
the command names them, and never what is in them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_origin

from localplane.apiserver.server.flags import DeclaredFlag, flags_of
from localplane.compose.options import ETCD_PASSWORD

from .errors import PlaneError
from .options import UpOptions
from .run_file import READY, RunRecord
from .socket_client import ask

ADDRESS: Final = "ADDRESS"
_OF_THE_CLUSTER: Final = (
    "--etcd-",
    "--allow-unsafe-etcd",
    "--encryption-provider-config",
    "--service-cluster-ip-range",
    "--service-account-",
    "--api-audiences",
    "--enable-admission-plugins",
    "--disable-admission-plugins",
    "--authorization-",
    "--authentication-",
    "--client-ca-file",
    "--token-auth-file",
    "--oidc-",
)
"""How the flags begin that are the cluster's and not one server's."""
_LOOPBACK: Final = ("//127.", "//localhost", "//[::1]")


@dataclass(frozen=True, slots=True)
class Joining:
    """The words behind `kctl up`, the files that they name, and what else is to be known."""

    words: tuple[str, ...]
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """For a terminal, or a script: all but the command are comments."""
        lines = [f"# {note}" for note in self.notes]
        if self.files:
            lines += ["# It needs these files, in the same places:", *(f"#   {path}" for path in self.files)]
        lines += [
            f"# {ADDRESS} is the one by which others reach that machine.",
            shlex.join(("kctl", "up", *self.words)),
        ]
        return "\n".join(lines) + "\n"


def joining(options: UpOptions) -> Joining:
    """How to start another server of the cluster that a plane with these options is one of."""
    words: list[str] = []
    files: list[str] = []
    for declared in flags_of(UpOptions):
        value = declared.value_in(options)
        if not declared.flag.name.startswith(_OF_THE_CLUSTER) or value == declared.default:
            continue
        words += _words(declared, value)
        files += [str(each) for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, Path)]
    words += ["--bind-address", "0.0.0.0", "--allow-remote", "--advertise-address", ADDRESS]  # noqa: S104 - as it says
    return Joining(tuple(words), tuple(files), tuple(_notes(options)))


def _words(declared: DeclaredFlag, value: Any) -> list[str]:
    name = declared.flag.name.partition("/")[0]
    if isinstance(value, bool):
        return [name]
    if get_origin(declared.words) is list:
        return [word for each in value for word in (name, str(each))]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [name, ",".join(map(str, value))]
    return [name, str(value)]


def _notes(options: UpOptions) -> Iterator[str]:
    storage = options.storage
    if any(place in url for url in storage.etcd_servers for place in _LOOPBACK):
        yield "Of these etcd servers some are reached from this machine alone: name them as others reach them."
    if storage.etcd_user and storage.etcd_password_file is None:
        yield f"The password of {storage.etcd_user} has to be in {ETCD_PASSWORD} there too."


def joining_of(record: RunRecord) -> Joining:
    """As a plane that is up tells it. Raises PlaneError."""
    if not record.external:
        raise PlaneError(
            f'plane "{record.name}" keeps its data in a store of its own, which is for one server: servers join where '
            "there is an etcd cluster, with `kctl up --etcd-servers`"
        )
    if record.phase != READY:
        raise PlaneError(f'plane "{record.name}" is {record.phase}: try again when it is ready')
    answer = ask(record.socket, "/join")
    try:
        if not answer.good:
            raise ValueError(answer.body)
        said = json.loads(answer.body)
        return Joining(*(tuple(map(str, said[part])) for part in ("words", "files", "notes")))
    except (ValueError, KeyError, TypeError) as error:
        raise PlaneError(f'plane "{record.name}" does not answer: {answer.body}') from error
