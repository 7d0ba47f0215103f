"""Where a server is and who we are there: all that a transport has to know."""

from __future__ import annotations

from collections.abc import Mapping

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any
from localplane.apimachinery.records import field, record

from .model import ExecConfig

if TYPE_CHECKING:
    from datetime import timedelta


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
