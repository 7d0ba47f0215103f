"""`kctl certs`: what a plane is known by, until when, and who signed it; renewing it, and retiring what was before.

A plane that is up does it itself, because it has to begin again with the new keys; the keys of one that is down lie in
its data directory. Those of an etcd cluster are in its etcd: a server that is up changes them there, and the other
servers follow.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from .errors import PlaneError
from .places import places
from .run_file import READY, RunRecord, read, running
from .socket_client import ask

_LOOK_AGAIN: Final = 0.05
_MAKING: Final = 60.0
_DESCRIBED: Final = (
    ("ca.crt", "signs servers and clients"),
    ("server.crt", "what it shows to clients"),
    ("admin.crt", "the administrator's, in kubeconfigs"),
    ("front-proxy-ca.crt", "signs what other servers know it by"),
    ("front-proxy-client.crt", "what it shows to other servers"),
    ("previous/ca.crt", "before the renewal, believed until it is retired"),
    ("previous/front-proxy-ca.crt", "before the renewal, believed until it is retired"),
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """`signer` is the name of the authority that signed it; its own for an authority."""

    file: str
    use: str
    subject: str
    signer: str
    until: datetime

    def as_json(self) -> dict[str, Any]:
        until = self.until.isoformat().replace("+00:00", "Z")
        return {"file": self.file, "use": self.use, "subject": self.subject, "signedBy": self.signer, "until": until}


def certificates(name: str, data_dir: Path | None) -> list[Certificate]:
    """What a plane has, up or down; of a server on an etcd cluster, its own copy. Raises PlaneError."""
    found = list(_certificates(_keys(name, data_dir)))
    if not found:
        raise PlaneError(f'plane "{name}" has no keys yet: it was never up, or kept nothing')
    return found


def _certificates(directory: Path) -> Iterator[Certificate]:
    from cryptography import x509

    for file, use in _DESCRIBED:
        path = directory / file
        if not path.is_file():
            continue
        try:
            parsed = x509.load_pem_x509_certificate(path.read_bytes())
        except (OSError, ValueError) as error:
            raise PlaneError(f"{path} can't be read: {error}") from error
        subject, signer = (each.rfc4514_string() for each in (parsed.subject, parsed.issuer))
        yield Certificate(file, use, subject, signer, parsed.not_valid_after_utc)


def change(name: str, what: str, *, data_dir: Path | None, timeout: timedelta) -> bool:
    """`what` is `renew` or `retire`. Returns whether the plane is up, and has begun again with the new keys."""
    record = running(name)
    if record is None:
        _change_stopped(name, what, data_dir)
        return False
    if record.phase != READY:
        raise PlaneError(f'plane "{name}" is {record.phase}: try again when it is ready')
    answer = ask(record.socket, f"/keys/{what}", method="POST", within=_MAKING)
    if not answer.good:
        try:
            message = str(json.loads(answer.body)["message"])
        except (ValueError, KeyError, TypeError):
            message = f'plane "{name}" does not answer: {answer.body}'
        raise PlaneError(message)
    _wait(record, timeout)
    return True


def _wait(record: RunRecord, timeout: timedelta) -> None:
    give_up = time.monotonic() + timeout.total_seconds()
    while time.monotonic() < give_up:
        now = running(record.name)
        if now is None or now.pid != record.pid:
            raise PlaneError(f'plane "{record.name}" ended while it began again: see {places(record.name).log}')
        if now.round > record.round and now.phase == READY:
            return
        time.sleep(_LOOK_AGAIN)
    raise PlaneError(f'plane "{record.name}" was not ready again within {timeout.total_seconds():g} seconds')


def _change_stopped(name: str, what: str, data_dir: Path | None) -> None:
    from localplane.apiserver.storage.data_directory import DataDirectory
    from localplane.compose.identity.keys import ClusterKeys, KeysIncomplete, RenewalState

    keys = _keys(name, data_dir)
    if (keys / "cluster.json").exists():
        raise PlaneError(
            f'plane "{name}" is down, and its keys are those of an etcd cluster: start it, or do this where another '
            "server of the cluster is up"
        )
    try:
        with DataDirectory(keys.parent, command="kctl certs"):
            there = ClusterKeys.read(keys)
            changed = there.renew(datetime.now(UTC)) if what == "renew" else there.retire()
            changed.write(keys)
    except KeysIncomplete as error:
        raise PlaneError(f'plane "{name}" has no keys to {what}: {error}') from error
    except RenewalState as error:
        raise PlaneError(str(error)) from error


def _keys(name: str, data_dir: Path | None) -> Path:
    record = running(name)
    if record is not None and record.kubeconfig:
        directory = Path(record.kubeconfig).parent
    else:
        left = read(places(name))
        directory = data_dir or (Path(left.data_dir) if left and left.data_dir else places(name).data)
    shared = directory / "pki-cluster"
    return shared if record is not None and record.external and shared.is_dir() else directory / "pki"
