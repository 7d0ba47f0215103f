"""What a server proves itself with, and what proves others to it: certificates, tokens, the administrator's own."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from localplane.apiserver.authentication import (
    AnonymousAuthenticator,
    Authenticator,
    BearerTokenAuthenticator,
    CertificateVerifier,
    ClientCertificateAuthenticator,
    RequestHeaderAuthenticator,
    StaticTokenAuthenticator,
    TokenAuthenticator,
    TokenUnion,
    read_token_file,
    standard_authenticator,
)
from localplane.apiserver.authentication.request_header import ProxyHeaders
from localplane.apiserver.request import User
from localplane.apiserver.server.certificates.self_signed import ADMIN_GROUP, ADMIN_NAME, PREVIOUS
from localplane.apiserver.server.config import ServerConfig, configure
from localplane.apiserver.server.options import AuthenticationOptions, ServerOptions
from localplane.files import write_atomically

from .kubeconfig import KubeconfigEntry

_TOKEN_FILE: Final = "admin.token"  # noqa: S105 - the name of a file
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32,128}")
"""Half of one, or what a damaged disk made of it, must not let anybody in."""


_ADMIN: Final = User(ADMIN_NAME, groups=(ADMIN_GROUP,))


@dataclass(frozen=True, slots=True)
class ServerCredentials:
    """`admin_token` is empty where all certificates are somebody else's: then there is no administrator of ours. With
    `are_passing`, the certificates are another server's, which lives longer: the administrator of this one has a token
    and nothing else. `earlier_token` was the administrator's before the keys were renewed, while both are believed."""

    config: ServerConfig
    admin_token: str
    authentication: AuthenticationOptions
    are_passing: bool = False
    earlier_token: str = ""

    @classmethod
    def in_directory(cls, directory: Path, options: ServerOptions, *, administrator: bool = False) -> ServerCredentials:
        """Made there where nobody brings his own, or where there is to be an `administrator` all the same. Raises
        InvalidOptions or UnusableCertificate."""
        config = configure(_with_certificates_in(options, directory, administrator=administrator))
        if config.generated is None:
            return cls(config, "", options.authentication)
        keys = config.generated.authority.parent
        earlier = _known_token(keys / PREVIOUS / _TOKEN_FILE) or ""
        return cls(config, admin_token(keys), options.authentication, earlier_token=earlier)

    def for_branch(self) -> ServerCredentials:
        """The same certificates, and a token of its own."""
        config = replace(self.config, watches_loop=False)
        return replace(self, config=config, admin_token=secrets.token_urlsafe(32), earlier_token="", are_passing=True)

    def kubeconfig_in(self, directory: Path) -> Path:
        """Several whose credentials are passing share a directory."""
        return directory / (f"kubeconfig-{secrets.token_hex(8)}" if self.are_passing else "kubeconfig")

    def admin_entry(self, name: str, url: str) -> KubeconfigEntry:
        """What lets the administrator in, at this address."""
        if self.are_passing:
            return KubeconfigEntry(name=name, url=url, authority=self.config.authority, token=self.admin_token)
        entry = KubeconfigEntry.of_admin(name, url, self.config.generated, self.admin_token)
        return replace(entry, authority=self.config.authority) if self.config.generated else entry

    def tokens(self, *others: TokenAuthenticator, audiences: tuple[str, ...] = ()) -> TokenUnion:
        """Those of the token file, of the others, and the administrator's. `audiences` are for whom those are meant
        that do not say it."""
        token_file = self.authentication.token_file
        known = [StaticTokenAuthenticator(read_token_file(token_file))] if token_file else []
        own = {token: _ADMIN for token in (self.admin_token, self.earlier_token) if token}
        admin = [StaticTokenAuthenticator(own)] if own else []
        return TokenUnion(*known, *others, *admin, audiences=audiences)

    def authenticator(self, tokens: TokenUnion) -> Authenticator:
        """A front proxy and a client are believed by different authorities: neither's word counts as the other's."""
        authenticators: list[Authenticator] = []
        proxy = self.authentication.request_header
        if proxy.client_ca is not None:
            verifier = CertificateVerifier(proxy.client_ca)
            headers = ProxyHeaders(
                user=_lower(proxy.username_headers),
                uid=_lower(proxy.uid_headers),
                group=_lower(proxy.group_headers),
                extra_prefix=_lower(proxy.extra_header_prefixes),
            )
            authenticators.append(
                RequestHeaderAuthenticator(verifier, allowed_names=proxy.allowed_names, headers=headers)
            )
        if self.config.tls is not None and (client_ca := self.config.tls.files.client_ca) is not None:
            authenticators.append(ClientCertificateAuthenticator(CertificateVerifier(client_ca)))
        anonymous = AnonymousAuthenticator() if self.authentication.anonymous else None
        return standard_authenticator(*authenticators, BearerTokenAuthenticator(tokens), anonymous=anonymous)


def _with_certificates_in(server: ServerOptions, directory: Path, *, administrator: bool) -> ServerOptions:
    if not server.tls.enabled or server.tls.directory is not None:
        return server
    if server.tls.certificate is not None and not administrator:
        return server
    return replace(server, tls=replace(server.tls, directory=directory))


def _lower(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def admin_token(directory: Path) -> str:
    """For clients that can't use a certificate: 256 random bits that only their owner can read, made once and kept
    beside the keys."""
    path = directory / _TOKEN_FILE
    if known := _known_token(path):
        return known
    token = secrets.token_urlsafe(32)
    write_atomically(path, token.encode("ascii"))
    return token


def _known_token(path: Path) -> str | None:
    if path.is_file() and _TOKEN.fullmatch(known := path.read_text("latin-1").strip()):
        return known
    return None
