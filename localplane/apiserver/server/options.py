"""What a user may set about the server: plain data, checked with sentences. Fields that are flags say so themselves."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.times import parse_duration
from localplane.apiserver.endpoints.enablement import Enablement

from .flags import Flag, LibraryFlag, are_addresses, is_address, is_file, is_not_negative

LOOPBACK = ("127.0.0.1", "::1")
_LOG_FORMATS = ("json", "legacy")


class InvalidOptions(Exception):
    """`problems` has one sentence for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def _alone(address: str) -> tuple[str, ...]:
    return (address,)


def _is_log_format(text: str) -> str:
    return "" if text in _LOG_FORMATS else f' "{text}" is none of {", ".join(_LOG_FORMATS)}'


def _are_no_names(names: tuple[str, ...]) -> str:
    wrong = next(
        (name for name in names if not _is_address(name) and dns1123_subdomain(name.lower().removeprefix("*."))), None
    )
    return "" if wrong is None else f" {wrong!r} is neither a name of a host nor an IP address"


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


@dataclass(frozen=True, slots=True, kw_only=True)
class TLSOptions:
    """Certificate and key are either both given, or made and kept in `directory`.

    `client_ca` is whose client certificates are believed, beside those of the authority that is made with generated
    files. `names` are served by a generated certificate in addition to the addresses that are listened on, such as a
    service's (`NAME.NAMESPACE.svc`). With a certificate and a directory both, an authority for clients and an
    administrator's certificate are made there all the same.
    """

    enabled: bool = True
    certificate: Annotated[
        Path | None,
        Flag(
            "--tls-cert-file",
            "Serve this certificate instead of one of its own. Needs --tls-private-key-file.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    key: Annotated[
        Path | None,
        Flag(
            "--tls-private-key-file",
            "The key of --tls-cert-file.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    client_ca: Annotated[
        Path | None,
        Flag(
            "--client-ca-file",
            "Believe client certificates of these authorities too: CN is the user, O are the groups.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    directory: Path | None = None
    names: Annotated[
        tuple[str, ...],
        Flag(
            "--tls-san",
            "Names and addresses that its own certificate is for too, beside where it listens. May be repeated.",
            metavar="NAME|IP",
            check=_are_no_names,
            shows_default=False,
        ),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHeaderOptions:
    """A proxy that says in headers whom it speaks for, such as an aggregator: believed if its certificate is of
    `client_ca`, which signs nobody else's, and has one of the names; without any, it may have any. Without a
    `client_ca` there is no such proxy."""

    client_ca: Annotated[
        Path | None,
        LibraryFlag(
            "--requestheader-client-ca-file",
            "believe an aggregator whose certificate is of this authority: pki/front-proxy-ca.crt of `kctl up`",
            metavar="PATH",
        ),
    ] = None
    allowed_names: Annotated[
        tuple[str, ...],
        LibraryFlag(
            "--requestheader-allowed-names",
            "the names that its certificate may have, with commas between them; default: any",
            metavar="NAMES",
            read=_names,
        ),
    ] = ()
    username_headers: tuple[str, ...] = ("X-Remote-User",)
    uid_headers: tuple[str, ...] = ("X-Remote-Uid",)
    group_headers: tuple[str, ...] = ("X-Remote-Group",)
    extra_header_prefixes: tuple[str, ...] = ("X-Remote-Extra-",)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenWebhookOptions:
    """Somebody who is asked whose a token is. `config` is a kubeconfig whose server is the URL that is asked."""

    config: Annotated[
        Path | None,
        Flag(
            "--authentication-token-webhook-config-file",
            "Ask the webhook of this kubeconfig whose a bearer token is.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    version: str = "v1"
    remembered: timedelta = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class OIDCOptions:
    """Somebody whose ID tokens are believed, as kube-apiserver's --oidc flags have it."""

    issuer_url: Annotated[
        str,
        Flag("--oidc-issuer-url", "Believe ID tokens of this OpenID provider.", metavar="URL", shows_default=False),
    ] = ""
    client_id: Annotated[
        str,
        Flag("--oidc-client-id", "For whom its tokens must be meant.", metavar="ID", shows_default=False),
    ] = ""
    ca_file: Annotated[
        Path | None,
        Flag(
            "--oidc-ca-file",
            "Authorities of the provider. Default: the system's.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    username_claim: Annotated[str, Flag("--oidc-username-claim", "The claim that is the user's name.")] = "sub"
    username_prefix: Annotated[
        str,
        Flag(
            "--oidc-username-prefix",
            "What stands before names. Default: the URL and #, but for the claim email; - is none.",
            shows_default=False,
        ),
    ] = ""
    groups_claim: Annotated[
        str, Flag("--oidc-groups-claim", "The claim that has the user's groups.", shows_default=False)
    ] = ""
    groups_prefix: Annotated[str, Flag("--oidc-groups-prefix", "What stands before groups.", shows_default=False)] = ""
    required_claims: tuple[tuple[str, str], ...] = ()
    signing_algorithms: tuple[str, ...] = ("RS256",)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationOptions:
    """`token_file` has lines of `token,user,uid,"group1,group2"`, as kube-apiserver's --token-auth-file."""

    token_file: Annotated[
        Path | None,
        Flag(
            "--token-auth-file",
            'Believe the tokens in this file: lines of token,user,uid,"group1,group2".',
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    anonymous: bool = True
    request_header: RequestHeaderOptions = field(default_factory=RequestHeaderOptions)
    webhook: TokenWebhookOptions = field(default_factory=TokenWebhookOptions)
    oidc: OIDCOptions = field(default_factory=OIDCOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """Without a policy nothing is recorded; `-` as the log is standard output, which is never moved aside.
    Kubernetes: apiserver/pkg/server/options/audit.go."""

    policy: Annotated[
        Path | None,
        Flag(
            "--audit-policy-file",
            "Which requests are recorded in the audit log, and how much of them: a Policy of audit.k8s.io/v1.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    log: Annotated[
        Path | None,
        Flag(
            "--audit-log-path",
            "Where the audit log is written; - is standard output.",
            metavar="FILE",
            shows_default=False,
        ),
    ] = None
    log_format: Annotated[
        str,
        Flag(
            "--audit-log-format",
            "json writes each event as a line of JSON, legacy as one of text.",
            metavar="json|legacy",
            check=_is_log_format,
        ),
    ] = "json"
    log_max_age: Annotated[
        int,
        Flag(
            "--audit-log-maxage",
            "How many days old audit logs are kept; 0 is for ever.",
            metavar="DAYS",
            check=is_not_negative,
        ),
    ] = 0
    log_max_backups: Annotated[
        int,
        Flag(
            "--audit-log-maxbackup",
            "How many old audit logs are kept; 0 is all.",
            metavar="N",
            check=is_not_negative,
        ),
    ] = 10
    log_max_megabytes: Annotated[
        int,
        Flag(
            "--audit-log-maxsize",
            "How many megabytes an audit log may have before it is moved aside; 0 is 100.",
            metavar="N",
            check=is_not_negative,
        ),
    ] = 100

    def problems(self) -> Iterator[str]:
        """What the flags say that makes no sense together."""
        if self.log is not None and self.policy is None:
            yield "--audit-log-path needs an --audit-policy-file: without one nothing is recorded"
        if self.policy is not None and self.log is None:
            yield "--audit-policy-file needs an --audit-log-path: without one nothing is written"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Defaults for a control plane on a developer's machine: reachable from it, and from nowhere else."""

    addresses: Annotated[
        tuple[str, ...],
        Flag(
            "--bind-address",
            "Where it listens. Default: 127.0.0.1 and ::1, so only from here.",
            metavar="IP",
            words=str,
            read=_alone,
            check=are_addresses,
            shows_default=False,
        ),
    ] = LOOPBACK
    port: Annotated[int, LibraryFlag("--port", "default: %(default)s; 0 takes a free one")] = 6443
    allow_remote: Annotated[bool, Flag("--allow-remote", "Accept a --bind-address that other machines can reach.")] = (
        False
    )
    enablement: Enablement = field(default_factory=Enablement)
    advertise_address: Annotated[
        str,
        Flag(
            "--advertise-address",
            "The address that the cluster's own endpoints tell. Default: one by which others reach this machine.",
            metavar="IP",
            check=is_address,
            shows_default=False,
        ),
    ] = ""
    tls: TLSOptions = field(default_factory=TLSOptions)
    authentication: AuthenticationOptions = field(default_factory=AuthenticationOptions)
    audit: AuditOptions = field(default_factory=AuditOptions)
    max_requests_in_flight: Annotated[
        int,
        Flag(
            "--max-requests-inflight",
            "How many reading requests it answers at a time; 0 is any number.",
            metavar="N",
            check=is_not_negative,
        ),
    ] = 400
    max_mutating_requests_in_flight: Annotated[
        int,
        Flag(
            "--max-mutating-requests-inflight",
            "How many writing requests it answers at a time; 0 is any number.",
            metavar="N",
            check=is_not_negative,
        ),
    ] = 200
    request_timeout: timedelta = timedelta(seconds=60)
    shutdown_delay: Annotated[
        timedelta,
        Flag(
            "--shutdown-delay-duration",
            "How long it goes on serving when it is told to stop, while /readyz says so to those who send it clients.",
            metavar="DURATION",
            words=str,
            default="0s",
            read=parse_duration,
        ),
    ] = timedelta(0)
    shutdown_timeout: timedelta = timedelta(seconds=60)

    def check(self) -> None:
        """Raises InvalidOptions with everything that is wrong."""
        problems = [*self._address_problems(), *self._tls_problems(), *self._number_problems()]
        authentication = self.authentication
        files = (
            authentication.token_file,
            self.audit.policy,
            authentication.request_header.client_ca,
            authentication.webhook.config,
            authentication.oidc.ca_file,
        )
        problems += [f"{path} is no file" for path in files if path is not None and not path.is_file()]
        if self.audit.log is not None and self.audit.policy is None:
            problems.append("an audit log needs an audit policy: without one nothing is recorded")
        problems += _oidc_problems(authentication.oidc)
        if problems:
            raise InvalidOptions(problems)

    @property
    def remote_addresses(self) -> tuple[str, ...]:
        """Those that other machines can reach."""
        return tuple(address for address in self.addresses if not _is_loopback(address))

    def _address_problems(self) -> Iterator[str]:
        if not self.addresses:
            yield "the server needs an address to listen on"
        for address in self.addresses:
            if not _is_address(address):
                yield f"{address!r} is no IP address"
        remote = [address for address in self.remote_addresses if _is_address(address)]
        if remote and not self.allow_remote:
            where = ", ".join(remote)
            yield f"listening on {where} lets other machines in: allow it explicitly, or listen on {LOOPBACK[0]}"
        if remote and not self.tls.enabled:
            yield "plain HTTP is served on loopback addresses only"
        if not 0 <= self.port <= 65535:
            yield f"port {self.port} is not between 0 and 65535"

    def _tls_problems(self) -> Iterator[str]:
        tls = self.tls
        if not tls.enabled:
            if self.authentication.request_header.client_ca is not None:
                yield "a front proxy proves itself by its certificate, but TLS is switched off"
            if tls.certificate or tls.key or tls.client_ca:
                yield "certificates were given, but TLS is switched off"
            return
        if (tls.certificate is None) != (tls.key is None):
            yield "a serving certificate and its key are given together, or not at all"
        if tls.certificate is None and tls.directory is None:
            yield "TLS needs a certificate, or a directory in which one can be made"
        for path in (tls.certificate, tls.key, tls.client_ca):
            if path is not None and not path.is_file():
                yield f"{path} is no file"

    def _number_problems(self) -> Iterator[str]:
        if self.max_requests_in_flight < 0 or self.max_mutating_requests_in_flight < 0:
            yield "the limits of requests in flight can't be negative; 0 means none"
        if self.request_timeout <= timedelta(0):
            yield "the request timeout must be longer than nothing"
        if self.shutdown_delay < timedelta(0) or self.shutdown_timeout < timedelta(0):
            yield "the shutdown delay and timeout can't be negative"


def _oidc_problems(oidc: OIDCOptions) -> Iterator[str]:
    if bool(oidc.issuer_url) != bool(oidc.client_id):
        yield "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set"
    if oidc.issuer_url and not oidc.issuer_url.startswith("https://"):
        yield f"oidc-issuer-url {oidc.issuer_url!r} must use the https scheme"


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_loopback(text: str) -> bool:
    return _is_address(text) and ipaddress.ip_address(text).is_loopback
