"""A certificate authority of the server's own, a certificate for it, and one for its administrator.

Made at the first start and renewed when less than a month is left; `issuing`, and with it `cryptography`, is imported
only then, because it costs more than the rest of a start. A small record beside the files says until when they are
good. Files are written aside and renamed, the record last, so a killed start leaves nothing half made.

While an authority is renewed there are two: the one of before lies in a directory beside, and what clients are told to
trust has both. It signs the server's certificate until it is retired, since it is all that older kubeconfigs know.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import orjson

from localplane.files import write_atomically

ADMIN_NAME = "kubernetes-admin"
ADMIN_GROUP = "system:masters"
ALWAYS_SERVED = ("localhost", "127.0.0.1", "::1")
RECORD: Final = "issued.json"
"""Until when what was issued is good; without it, it is issued again."""
PREVIOUS: Final = "previous"
"""Where the authority of before a renewal lies, as long as it is believed."""

_RENEW_BEFORE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Where everything lies. The authority signs both the server's and the clients' certificates."""

    authority: Path
    authority_key: Path
    server: Path
    server_key: Path
    admin: Path
    admin_key: Path

    @classmethod
    def within(cls, directory: Path) -> CertificateFiles:
        return cls(
            authority=directory / "ca.crt",
            authority_key=directory / "ca.key",
            server=directory / "server.crt",
            server_key=directory / "server.key",
            admin=directory / "admin.crt",
            admin_key=directory / "admin.key",
        )

    @property
    def bundle(self) -> Path:
        """Whom clients should trust: the authority, and the one before it while both are believed."""
        both = self.authority.with_name("ca-bundle.crt")
        return both if both.is_file() else self.authority

    def all_exist(self) -> bool:
        paths = (self.authority, self.authority_key, self.server, self.server_key, self.admin, self.admin_key)
        return all(path.is_file() for path in paths)


@dataclass(frozen=True, slots=True)
class _Record:
    not_after: datetime
    addresses: tuple[str, ...]


def ensure_certificates(
    directory: Path, *, addresses: tuple[str, ...] = (), now: datetime | None = None
) -> CertificateFiles:
    """Make or renew what is missing or soon over; the authority stays as long as it is good, for clients know it.

    `addresses` are served in addition to localhost, 127.0.0.1 and ::1.
    """
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    files = CertificateFiles.within(directory)
    at = now or datetime.now(UTC)
    wanted = tuple(dict.fromkeys((*ALWAYS_SERVED, *addresses)))
    record = _recorded(directory / RECORD)
    if record and files.all_exist() and record.not_after - at > _RENEW_BEFORE and set(wanted) <= set(record.addresses):
        return files
    _issue(files, wanted, at)
    return files


def _issue(files: CertificateFiles, addresses: tuple[str, ...], at: datetime) -> None:
    from .issuer import Authority

    record = files.authority.with_name(RECORD)
    record.unlink(missing_ok=True)
    authority = Authority.load(files.authority, files.authority_key, good_until=at + _RENEW_BEFORE)
    if authority is None:
        authority = Authority.make(at)
        write_atomically(files.authority_key, authority.key_pem)
        write_atomically(files.authority, authority.certificate_pem)
    older = files.authority.with_name(PREVIOUS)
    before = Authority.load(older / "ca.crt", older / "ca.key", good_until=at + _RENEW_BEFORE)
    server = (before or authority).issue_server(addresses, at)
    write_atomically(files.server_key, server.key)
    write_atomically(files.server, server.certificate)
    admin = authority.issue_client(ADMIN_NAME, ADMIN_GROUP, at)
    write_atomically(files.admin_key, admin.key)
    write_atomically(files.admin, admin.certificate)
    good_until = min(authority.not_after, server.not_after, admin.not_after)
    write_atomically(record, orjson.dumps({"notAfter": good_until.isoformat(), "addresses": addresses}))


def _recorded(path: Path) -> _Record | None:
    try:
        document = orjson.loads(path.read_bytes())
        return _Record(datetime.fromisoformat(document["notAfter"]), tuple(document["addresses"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None  # nothing was issued, or nobody can tell for how long: issue again
