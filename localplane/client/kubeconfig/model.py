"""What a kubeconfig says. Empty fields were not given; secrets stay out of what is printed."""

from __future__ import annotations

from collections.abc import Mapping

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, TypeVar
from localplane.apimachinery.records import field, names_of, record, replace

if TYPE_CHECKING:
    from datetime import timedelta


@record
class Cluster:
    server: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority: str = ""
    certificate_authority_data: bytes = b""
    proxy_url: str = ""
    disable_compression: bool = False
    extensions: Mapping[str, Any] = field(default_factory=dict)


@record
class EnvironmentVariable:
    name: str
    value: str = ""


@record
class PluginPolicy:
    """Which credential plugins may run: `kind` is AllowAll, DenyAll or Allowlist; empty is AllowAll."""

    kind: str = ""
    allowed: tuple[str, ...] | None = None


@record
class ExecConfig:
    """How to run a credential plugin. `interactive_mode` is Never, IfAvailable or Always."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[EnvironmentVariable, ...] = field(default=(), repr=False)
    api_version: str = ""
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""
    policy: PluginPolicy | None = None
    stdin_user: str = ""
    """Who reads standard input himself, so that a plugin can't have it."""


@record
class User:
    client_certificate: str = ""
    client_certificate_data: bytes = b""
    client_key: str = ""
    client_key_data: bytes = field(default=b"", repr=False)
    token: str = field(default="", repr=False)
    token_file: str = ""
    impersonate: str = ""
    impersonate_uid: str = ""
    impersonate_groups: tuple[str, ...] = ()
    impersonate_extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    username: str = ""
    password: str = field(default="", repr=False)
    auth_provider: Mapping[str, Any] | None = field(default=None, repr=False)
    exec: ExecConfig | None = None
    extensions: Mapping[str, Any] = field(default_factory=dict)


@record
class Context:
    cluster: str = ""
    user: str = ""
    namespace: str = ""
    extensions: Mapping[str, Any] = field(default_factory=dict)


@record
class Kubeconfig:
    """What stands in kubeconfig files, merged: `load` reads them, `resolve` makes a ClientConfig of one context."""

    clusters: Mapping[str, Cluster] = field(default_factory=dict)
    users: Mapping[str, User] = field(default_factory=dict)
    contexts: Mapping[str, Context] = field(default_factory=dict)
    current_context: str = ""
    extensions: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return self == Kubeconfig()


T = TypeVar("T", Cluster, User, Context)


def merged(base: T, over: T) -> T:
    """`base` with every field that `over` gives."""
    given = {name: value for name in names_of(over) if (value := getattr(over, name))}
    return replace(base, **given)


# Where a server is and who we are there: all that a transport has to know.


@record
class Impersonation:
    user: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@record
class ExecClusterInfo:
    """What a credential plugin may be told about the cluster, in the protocol's own form."""

    cluster: Mapping[str, Any]


@record
class ClientConfig:
    """`server` is a URL. Data goes before files. No timeout means to wait for ever."""

    server: str
    certificate_authority: str = ""
    certificate_authority_data: bytes = b""
    insecure_skip_tls_verify: bool = False
    tls_server_name: str = ""
    client_certificate: str = ""
    client_certificate_data: bytes = b""
    client_key: str = ""
    client_key_data: bytes = field(default=b"", repr=False)
    token: str = field(default="", repr=False)
    token_file: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    exec: ExecConfig | None = None
    exec_cluster: ExecClusterInfo | None = None
    impersonate: Impersonation | None = None
    proxy_url: str = ""
    disable_compression: bool = False
    timeout: timedelta | None = None
