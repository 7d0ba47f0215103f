"""The certificate by which other servers know this one, and the authority that they trust for it.

The authority signs nothing else: whoever holds a certificate of it can be anybody to those servers. Made at the first
start and renewed when less than a month is left, beside the server's own certificates, readable by their owner alone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import orjson

from localplane.apimachinery.errors import AlreadyExists, NotFound
from localplane.apiserver.server.certificates.self_signed import PREVIOUS
from localplane.client import Client, GroupVersionResource, PatchType
from localplane.files import write_atomically

CLIENT_NAME: Final = "front-proxy-client"
_RENEW_BEFORE: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class FrontProxyFiles:
    authority: Path
    authority_key: Path
    client: Path
    client_key: Path

    @classmethod
    def within(cls, directory: Path) -> FrontProxyFiles:
        names = ("front-proxy-ca.crt", "front-proxy-ca.key", "front-proxy-client.crt", "front-proxy-client.key")
        return cls(*(directory / name for name in names))

    @property
    def bundle(self) -> Path:
        """Whom other servers should trust: the authority, and the one before it while that is renewed."""
        both = self.authority.with_name("front-proxy-ca-bundle.crt")
        return both if both.is_file() else self.authority


def ensure_front_proxy(directory: Path, *, now: datetime | None = None) -> FrontProxyFiles:
    """Make or renew what is missing or soon over. The authority stays for as long as it is good."""
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    files, at = FrontProxyFiles.within(directory), now or datetime.now(UTC)
    record = directory / "front-proxy.json"
    if files.client_key.is_file() and files.client.is_file() and _good_until(record) - at > _RENEW_BEFORE:
        return files
    _issue(files, record, at)
    return files


def _issue(files: FrontProxyFiles, record: Path, at: datetime) -> None:
    """The record comes last: a start that was killed leaves nothing that the next believes. `cryptography` is imported
    here, since most starts don't need it."""
    from localplane.apiserver.server.certificates.issuer import Authority

    record.unlink(missing_ok=True)
    authority = Authority.load(files.authority, files.authority_key, good_until=at + _RENEW_BEFORE)
    if authority is None:
        authority = Authority.make(at, name="front-proxy-ca")
        write_atomically(files.authority_key, authority.key_pem)
        write_atomically(files.authority, authority.certificate_pem)
    older = files.authority.with_name(PREVIOUS)
    names = (files.authority.name, files.authority_key.name)
    before = Authority.load(*(older / name for name in names), good_until=at + _RENEW_BEFORE)
    client = (before or authority).issue_client(CLIENT_NAME, "", at)
    write_atomically(files.client_key, client.key)
    write_atomically(files.client, client.certificate)
    good_until = min(authority.not_after, client.not_after)
    write_atomically(record, orjson.dumps({"notAfter": good_until.isoformat()}))


def _good_until(record: Path) -> datetime:
    try:
        return datetime.fromisoformat(orjson.loads(record.read_bytes())["notAfter"])
    except (OSError, ValueError, KeyError, TypeError):
        return datetime.min.replace(tzinfo=UTC)  # nothing was issued, or nobody can tell for how long


# The config map in which other servers read whom to believe: the clients' authority and the front proxy's.
#
# Kubernetes: pkg/controlplane/controller/clusterauthenticationtrust.


_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_NAME: Final = "extension-apiserver-authentication"
_NAMESPACE: Final = "kube-system"


async def publish(client: Client, *, client_authority: str, proxy_authority: str) -> None:
    """Written only if it says something else."""
    config_maps = client.resource(_CONFIG_MAPS, _NAMESPACE)
    data = authentication_data(proxy_authority)
    if client_authority:
        data["client-ca-file"] = client_authority
    metadata = {"name": _NAME, "namespace": _NAMESPACE}
    wanted: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    try:
        found = await config_maps.get(_NAME)
    except NotFound:
        with suppress(AlreadyExists):
            await config_maps.create(wanted)
            return
        found = {}
    if (found.get("data") or {}).items() >= data.items():
        return
    await config_maps.patch(_NAME, {"data": data}, PatchType.MERGE)


def authentication_data(authority: str) -> dict[str, str]:
    return {
        "requestheader-allowed-names": f'["{CLIENT_NAME}"]',
        "requestheader-client-ca-file": authority,
        "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
        "requestheader-group-headers": '["X-Remote-Group"]',
        "requestheader-uid-headers": '["X-Remote-Uid"]',
        "requestheader-username-headers": '["X-Remote-User"]',
    }
