"""Certificates for an etcd cluster that asks for them, made with the openssl program."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from localplane.apiserver.storage.etcd.client import EtcdTLSFiles


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files: an authority, and one pair each for the members and for their clients."""

    authority: Path
    server: Path
    server_key: Path
    client: Path
    client_key: Path

    @property
    def for_clients(self) -> EtcdTLSFiles:
        return EtcdTLSFiles(self.authority, self.client, self.client_key)


def certificates(directory: Path) -> Certificates:
    """An authority and the two pairs that it vouches for."""
    _openssl(directory, "req", "-x509", "-subj", "/CN=authority", *_new_key("authority"), "-out", "authority.pem")
    names = directory / "names"
    names.write_text("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n")
    for name in ("server", "client"):
        _openssl(directory, "req", "-subj", f"/CN={name}", *_new_key(name), "-out", f"{name}.csr")
        signing = ("-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-extfile", str(names))
        _openssl(directory, "x509", "-req", "-days", "1", "-in", f"{name}.csr", *signing, "-out", f"{name}.pem")
    files = ("authority.pem", "server.pem", "server.key", "client.pem", "client.key")
    return Certificates(*(directory / file for file in files))


def _new_key(name: str) -> tuple[str, ...]:
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key")


def _openssl(directory: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)
