"""From what was said on kube-apiserver's command line to the options of a cluster without controllers.

What has no effect here becomes a note, and what can't be had is refused: nothing is passed over in silence.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.times import InvalidDuration, parse_duration
from localplane.apiserver.server.flags import is_file, listed, with_values
from localplane.compose.options import AuthorizationMode, ClusterOptions

from . import feature_gates
from .command_line import UsageError
from .flags import ServerFlag
from .runtime_config import InvalidVersion, RuntimeConfig, runtime_config

_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_NODE_RESTRICTION: Final = "NodeRestriction"
_NOT_NEGATIVE: Final = (
    "audit-log-maxage",
    "audit-log-maxbackup",
    "audit-log-maxsize",
    "max-mutating-requests-inflight",
    "max-requests-inflight",
)
_REVIEW_VERSIONS: Final = ("v1beta1", "v1")
_DEFAULTS: Final[Mapping[str, Any]] = {
    "server.addresses": ("127.0.0.1",),
    "server.audit.log_max_backups": 0,
    "server.allow_remote": True,
    "server.authentication.webhook.version": "v1beta1",
    "authorization.modes": (AuthorizationMode.ALWAYS_ALLOW,),
    "authorization.webhook_version": "v1beta1",
    "controllers": ("none",),
    "nodes": 0,
    "name": "kube-apiserver",
    "administrator": False,
    "identity_in_store": False,
}
"""Where kube-apiserver's default is not ours. It listens on all addresses by default; this one only on loopback."""


class Refused(Exception):
    """One sentence for each problem."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")


@dataclass(frozen=True, slots=True)
class Translation:
    """`certificates` is the directory in which a serving certificate is to be made, if nobody brings one."""

    options: ClusterOptions
    notes: list[str] = field(default_factory=list)
    verbosity: int = 0
    certificates: Path | None = None


def translated(said: Mapping[str, list[str]], flags: Mapping[str, ServerFlag]) -> Translation:
    """Raises UsageError for what can't be read, and Refused for what can't be had."""
    values: dict[str, Any] = dict(_DEFAULTS)
    for name, words in said.items():
        if name in _TO:
            path, read = _TO[name]
            values[path] = _read(name, words, read)
    problems = [*_refused(said, flags), *_values_problems(said, values)]
    if problems:
        raise Refused(problems)
    enablement = _enablement(said)
    values["server.enablement"] = enablement.enablement
    notes = [*_notes(said, flags), *(f"--runtime-config: {note}" for note in enablement.notes)]
    _leave_out_node_restriction(values)
    if values.get("server.audit.log") is not None and values.get("server.audit.policy") is None:
        notes.append("--audit-log-path has no effect: without --audit-policy-file no events are recorded")
        values["server.audit.log"] = None
    certificates = _serving_certificate(said, values)
    if AuthorizationMode.ALWAYS_ALLOW in values["authorization.modes"]:
        if values.get("server.authentication.anonymous", "anonymous-auth" not in said):
            notes.append("--anonymous-auth is switched off, because everything is allowed: --authorization-mode")
        values["server.authentication.anonymous"] = False
    options = with_values(ClusterOptions(), {tuple(path.split(".")): value for path, value in values.items()})
    problems = [*options.authorization.problems(), *_file_problems(said)]
    if problems:
        raise Refused(problems)
    return Translation(options, notes, _read("v", said["v"], _integer) if "v" in said else 0, certificates)


# --- how words are read: pflag's kinds, and its words for what can't be read ---


def _read(name: str, words: list[str], read: Callable[[list[str]], Any]) -> Any:
    try:
        return read(words)
    except ValueError as error:
        raise UsageError(f'invalid argument {go_quote(words[-1])} for "--{name}" flag: {error}') from error


def _text(words: list[str]) -> str:
    return words[-1]


def _path(words: list[str]) -> Path | None:
    return Path(words[-1]) if words[-1] else None


def _paths(words: list[str]) -> tuple[Path, ...]:
    return tuple(map(Path, words))


def _integer(words: list[str]) -> int:
    try:
        return int(words[-1], 0)
    except ValueError:
        raise ValueError(f"strconv.ParseInt: parsing {go_quote(words[-1])}: invalid syntax") from None


def _boolean(words: list[str]) -> bool:
    if words[-1] not in _TRUE | _FALSE:
        raise ValueError(f"strconv.ParseBool: parsing {go_quote(words[-1])}: invalid syntax")
    return words[-1] in _TRUE


def _duration(words: list[str]) -> timedelta:
    try:
        return parse_duration(words[-1])
    except InvalidDuration as error:
        raise ValueError(str(error)) from error


def _address(words: list[str]) -> str:
    try:
        return str(ipaddress.ip_address(words[-1].strip())) if words[-1] else ""
    except ValueError:
        raise ValueError(f"failed to parse IP: {go_quote(words[-1])}") from None


def _addresses(words: list[str]) -> tuple[str, ...]:
    return (_address(words) or "127.0.0.1",)


def _strings(words: list[str]) -> tuple[str, ...]:
    return listed(words)


def _claims(words: list[str]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for word in listed(words):
        name, separator, value = word.partition("=")
        if not separator:
            raise ValueError(f"malformed pair, expect string=string: {word}")
        pairs.append((name, value))
    return tuple(pairs)


def _modes(words: list[str]) -> tuple[AuthorizationMode | str, ...]:
    known = {str(mode): mode for mode in AuthorizationMode}
    return tuple(known.get(word, word) for word in listed(words))


def _ranges(words: list[str]) -> str:
    return words[-1].split(",")[0].strip() or ClusterOptions().service_cluster_ip_range


def _ports(words: list[str]) -> range:
    """`30000-32767`, or `30000+100`."""
    low, separator, high = words[-1].partition("-" if "-" in words[-1] else "+")
    try:
        first = int(low)
        last = first if not separator else int(high) if "-" in words[-1] else first + int(high)
    except ValueError:
        raise ValueError(f"unable to parse port range: {words[-1]}") from None
    if not 0 < first <= last <= 65535:
        raise ValueError(f"the port range cannot be greater than 65535 or end before it begins: {words[-1]}")
    return range(first, last + 1)


def _prefix(words: list[str]) -> str:
    return "/" + words[-1].strip("/")


_TO: Final[Mapping[str, tuple[str, Callable[[list[str]], Any]]]] = {
    "advertise-address": ("server.advertise_address", _address),
    "anonymous-auth": ("server.authentication.anonymous", _boolean),
    "api-audiences": ("service_accounts.audiences", _strings),
    "audit-log-format": ("server.audit.log_format", _text),
    "audit-log-maxage": ("server.audit.log_max_age", _integer),
    "audit-log-maxbackup": ("server.audit.log_max_backups", _integer),
    "audit-log-maxsize": ("server.audit.log_max_megabytes", _integer),
    "audit-log-path": ("server.audit.log", _path),
    "audit-policy-file": ("server.audit.policy", _path),
    "authentication-token-webhook-cache-ttl": ("server.authentication.webhook.remembered", _duration),
    "authentication-token-webhook-config-file": ("server.authentication.webhook.config", _path),
    "authentication-token-webhook-version": ("server.authentication.webhook.version", _text),
    "authorization-mode": ("authorization.modes", _modes),
    "authorization-webhook-cache-authorized-ttl": ("authorization.authorized_remembered", _duration),
    "authorization-webhook-cache-unauthorized-ttl": ("authorization.unauthorized_remembered", _duration),
    "authorization-webhook-config-file": ("authorization.webhook_config", _path),
    "authorization-webhook-version": ("authorization.webhook_version", _text),
    "bind-address": ("server.addresses", _addresses),
    "client-ca-file": ("server.tls.client_ca", _path),
    "disable-admission-plugins": ("disabled_admission_plugins", _strings),
    "enable-admission-plugins": ("enabled_admission_plugins", _strings),
    "encryption-provider-config": ("storage.encryption", _path),
    "etcd-cafile": ("storage.etcd_cafile", _path),
    "etcd-certfile": ("storage.etcd_certfile", _path),
    "etcd-compaction-interval": ("storage.compaction_interval", _duration),
    "etcd-keyfile": ("storage.etcd_keyfile", _path),
    "etcd-prefix": ("storage.etcd_prefix", _prefix),
    "etcd-servers": ("storage.etcd_servers", _strings),
    "max-mutating-requests-inflight": ("server.max_mutating_requests_in_flight", _integer),
    "max-requests-inflight": ("server.max_requests_in_flight", _integer),
    "oidc-ca-file": ("server.authentication.oidc.ca_file", _path),
    "oidc-client-id": ("server.authentication.oidc.client_id", _text),
    "oidc-groups-claim": ("server.authentication.oidc.groups_claim", _text),
    "oidc-groups-prefix": ("server.authentication.oidc.groups_prefix", _text),
    "oidc-issuer-url": ("server.authentication.oidc.issuer_url", _text),
    "oidc-required-claim": ("server.authentication.oidc.required_claims", _claims),
    "oidc-signing-algs": ("server.authentication.oidc.signing_algorithms", _strings),
    "oidc-username-claim": ("server.authentication.oidc.username_claim", _text),
    "oidc-username-prefix": ("server.authentication.oidc.username_prefix", _text),
    "request-timeout": ("server.request_timeout", _duration),
    "requestheader-allowed-names": ("server.authentication.request_header.allowed_names", _strings),
    "requestheader-client-ca-file": ("server.authentication.request_header.client_ca", _path),
    "requestheader-extra-headers-prefix": (
        "server.authentication.request_header.extra_header_prefixes",
        _strings,
    ),
    "requestheader-group-headers": ("server.authentication.request_header.group_headers", _strings),
    "requestheader-uid-headers": ("server.authentication.request_header.uid_headers", _strings),
    "requestheader-username-headers": ("server.authentication.request_header.username_headers", _strings),
    "secure-port": ("server.port", _integer),
    "service-account-issuer": ("service_accounts.issuers", tuple),
    "service-account-jwks-uri": ("service_accounts.jwks_uri", _text),
    "service-account-key-file": ("service_accounts.key_files", _paths),
    "service-account-max-token-expiration": ("service_accounts.longest_token", _duration),
    "service-account-signing-key-file": ("service_accounts.signing_key", _path),
    "service-cluster-ip-range": ("service_cluster_ip_range", _ranges),
    "service-node-port-range": ("service_node_ports", _ports),
    "shutdown-delay-duration": ("server.shutdown_delay", _duration),
    "tls-cert-file": ("server.tls.certificate", _path),
    "tls-private-key-file": ("server.tls.key", _path),
    "token-auth-file": ("server.authentication.token_file", _path),
}
"""Where in the options a flag's value goes, and how it is read."""

_FILES: Final = tuple(name for name, (_, read) in _TO.items() if read in (_path, _paths) and name != "audit-log-path")


# --- what is wrong, and what is to be said ---


def _refused(said: Mapping[str, list[str]], flags: Mapping[str, ServerFlag]) -> Iterator[str]:
    for name in said:
        if flags[name].is_refused:
            yield f"--{name} is not supported by this server: {flags[name].text}"
    if not any(map(listed, said.get("etcd-servers", ()))):
        yield "--etcd-servers must be specified"


def _values_problems(said: Mapping[str, list[str]], values: Mapping[str, Any]) -> Iterator[str]:
    """In the words of kube-apiserver's own validation, where it has some."""
    port = values.get("server.port", 6443)
    if not 1 <= port <= 65535:
        yield f"--secure-port {port} must be between 1 and 65535, inclusive. It cannot be turned off with 0"
    modes = values["authorization.modes"]
    if not modes:
        yield "at least one authorization-mode must be passed"
    for mode in modes:
        if not isinstance(mode, AuthorizationMode):
            reason = "is not supported by this server" if mode == "ABAC" else "is not a valid mode"
            yield f"authorization-mode {go_quote(mode)} {reason}"
    if len(set(modes)) != len(modes):
        listing = " ".join(f'"{mode}"' for mode in modes)
        yield f"authorization-mode [{listing}] has mode specified more than once"
    for name in ("authentication-token-webhook-version", "authorization-webhook-version"):
        if name in said and said[name][-1] not in _REVIEW_VERSIONS:
            yield f"--{name} {go_quote(said[name][-1])} is not one of v1beta1, v1"
    if values.get("server.audit.log_format", "json") not in ("json", "legacy"):
        yield f'invalid audit log format {values["server.audit.log_format"]}, allowed formats are "legacy,json"'
    for name in _NOT_NEGATIVE:
        if name in said and int(said[name][-1], 0) < 0:
            yield f"--{name} can not be negative value"
    yield from _network_problems(values)
    yield from _issuer_problems(values)


def _network_problems(values: Mapping[str, Any]) -> Iterator[str]:
    text = values.get("service_cluster_ip_range")
    if text is None:
        return
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        yield f"service-cluster-ip-range {go_quote(text)} is not a valid cidr"
        return
    if network.num_addresses < 8:
        yield f"specified --service-cluster-ip-range {text} must contain at least 8 addresses"


def _issuer_problems(values: Mapping[str, Any]) -> Iterator[str]:
    for issuer in values.get("service_accounts.issuers", ()):
        if not issuer:
            yield "service-account-issuer should not be an empty string"
    issuers = values.get("service_accounts.issuers", ())
    if len(set(issuers)) != len(issuers):
        yield "service-account-issuer is specified twice with the same value"


def _file_problems(said: Mapping[str, list[str]]) -> Iterator[str]:
    for name in _FILES:
        for word in said.get(name, ()):
            if word and is_file(Path(word)):
                yield f"--{name}: open {word}: no such file or directory"


def _serving_certificate(said: Mapping[str, list[str]], values: dict[str, Any]) -> Path | None:
    """What --cert-dir has, unless it is named; the directory itself if it is to be made there."""
    certificate, key = values.get("server.tls.certificate"), values.get("server.tls.key")
    if (certificate is None) != (key is None):
        raise Refused(["--tls-cert-file and --tls-private-key-file must be specified together"])
    if certificate is not None or not said.get("cert-dir", [""])[-1]:
        return None
    directory = Path(said["cert-dir"][-1])
    values["server.tls.certificate"] = directory / "apiserver.crt"
    values["server.tls.key"] = directory / "apiserver.key"
    there = [path.is_file() for path in (values["server.tls.certificate"], values["server.tls.key"])]
    return None if all(there) else directory


def _leave_out_node_restriction(values: dict[str, Any]) -> None:
    """It is on by default here, and must be asked for in kube-apiserver."""
    enabled = values.get("enabled_admission_plugins", ())
    disabled = values.get("disabled_admission_plugins", ())
    if _NODE_RESTRICTION not in (*enabled, *disabled):
        values["disabled_admission_plugins"] = (*disabled, _NODE_RESTRICTION)


def _enablement(said: Mapping[str, list[str]]) -> RuntimeConfig:
    """Raises Refused for versions that there are not."""
    try:
        return runtime_config(said.get("runtime-config", ()))
    except InvalidVersion as error:
        raise Refused([f"--runtime-config: {error}"]) from error


def _notes(said: Mapping[str, list[str]], flags: Mapping[str, ServerFlag]) -> Iterator[str]:
    """Raises UsageError for features that there are not."""
    for name in said:
        if not flags[name].has_effect:
            yield f"--{name} has no effect: {flags[name].text}"
    if not _read("allow-privileged", said.get("allow-privileged", ["false"]), _boolean):
        yield "--allow-privileged is not set: pods may have privileged containers all the same"
    if len(listed(said.get("service-cluster-ip-range", [""])[-1])) > 1:
        yield "--service-cluster-ip-range: only the first range is used"
    try:
        for sentence in feature_gates.notes_on(said.get("feature-gates", ())):
            yield f"--feature-gates: {sentence}"
    except feature_gates.InvalidGate as error:
        raise UsageError(
            f'invalid argument {go_quote(",".join(said["feature-gates"]))} for "--feature-gates" flag: {error}'
        ) from error
