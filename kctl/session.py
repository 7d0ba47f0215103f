"""One command's surroundings: which cluster and namespace, the client, what can be read and written.

Everything is made when it is first asked for: `kctl config view` opens no connection, `kctl version --client` reads no
kubeconfig. Verbs get a Session and never look at os.environ or sys themselves.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from kctl import __version__
from kctl.errors import KctlError

if TYPE_CHECKING:
    from pathlib import Path

    from kctl.flags import Given
    from kctl.resolve.discovery import CachedDiscovery
    from localplane.client.client import Client
    from localplane.client.kubeconfig.connection import ClientConfig
    from localplane.client.kubeconfig.model import Kubeconfig
    from localplane.client.kubeconfig.resolving import Namespace, Overrides
    from localplane.client.warnings import ServerWarning

_BAD_TIMEOUT = (
    "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding "
    "time unit (e.g. 1s | 2m | 3h)"
)
_LOG_REQUESTS = 6
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "i686": "386"}


class Session:
    """`command` is the verb with its parents: `kctl create configmap`. `concurrent` verbs run in an event loop."""

    def __init__(self, given: Given, *, command: str, concurrent: bool = False) -> None:
        self.command = command
        self.given = given
        self.warnings = 0
        self._concurrent = concurrent
        self._warned: set[str] = set()
        self._kubeconfig: Kubeconfig | None = None
        self._overrides: Overrides | None = None
        self._client: Client | None = None
        self._discovery: CachedDiscovery | None = None

    # What a person sees.

    def write(self, text: str) -> None:
        """To stdout. On a terminal, what an object contains is shown and not obeyed."""
        if self.is_terminal:
            from kctl.printers.terminal import harmless

            text = harmless(text)
        sys.stdout.write(text)

    def flush(self) -> None:
        """For verbs that go on for a while: what was written is to be seen now."""
        sys.stdout.flush()

    def say(self, text: str) -> None:
        """To stderr, as it is."""
        sys.stderr.write(text)

    def warn(self, text: str) -> None:
        """`Warning: ` on stderr, the same one only once."""
        if text not in self._warned:
            self._warned.add(text)
            sys.stderr.write(f"Warning: {text}\n")

    @property
    def is_terminal(self) -> bool:
        return sys.stdout.isatty()

    # Where we are.

    @property
    def kubeconfig_path(self) -> Path | None:
        """What --kubeconfig says."""
        from pathlib import Path

        explicit = self.given.text("kubeconfig")
        return Path(explicit) if explicit else None

    @property
    def kubeconfig(self) -> Kubeconfig:
        """All files merged. Raises ConfigError."""
        if self._kubeconfig is None:
            from localplane.client.kubeconfig import load

            self._kubeconfig = load(self.kubeconfig_path)
        return self._kubeconfig

    @property
    def overrides(self) -> Overrides:
        """What the command line says instead of the kubeconfig."""
        if self._overrides is None:
            self._overrides = _overrides(self.given)
        return self._overrides

    @property
    def client_config(self) -> ClientConfig:
        from localplane.client.errors import EmptyConfig
        from localplane.client.kubeconfig import resolve

        if self._is_in_cluster():
            from localplane.client.kubeconfig import in_cluster_config

            return in_cluster_config()
        try:
            return resolve(self.kubeconfig, self.overrides)
        except EmptyConfig as error:
            raise KctlError(str(error)) from error

    @property
    def namespace(self) -> str:
        return self._namespace().name

    @property
    def namespace_is_explicit(self) -> bool:
        """Whether -n was given, so that objects from files must not say otherwise."""
        return self._namespace().explicit

    def _namespace(self) -> Namespace:
        from localplane.client.kubeconfig import namespace

        return namespace(self.kubeconfig, self.overrides)

    def _is_in_cluster(self) -> bool:
        """Only where nothing else is configured."""
        if not os.environ.get("KUBERNETES_SERVICE_HOST"):
            return False
        from localplane.client.kubeconfig import Cluster

        return self.kubeconfig.is_empty and self.overrides.cluster == Cluster()

    # Whom we talk to.

    @property
    def client(self) -> Client:
        if self._client is None:
            self._client = self._connect()
        return self._client

    @property
    def discovery(self) -> CachedDiscovery:
        if self._discovery is None:
            from kctl.resolve.discovery import CachedDiscovery

            self._discovery = CachedDiscovery(self)
        return self._discovery

    @property
    def cache_directory(self) -> Path:
        from pathlib import Path

        if chosen := self.given.text("cache-dir") or os.environ.get("KUBECACHEDIR", ""):
            return Path(chosen)
        return Path(os.environ.get("HOME") or Path.home(), ".kube", "cache")

    def field_manager(self, verb: str) -> str:
        """Who changes made by this verb belong to, unless --field-manager says otherwise."""
        return f"kctl-{verb}"

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _connect(self) -> Client:
        from localplane.client.client import Client

        config = self.client_config
        extra = [("Kubectl-Command", self.command), ("Kubectl-Session", _random_uuid())]
        if self._concurrent:
            from kctl.headers import WithHeaders
            from localplane.client.http_transport import HTTPTransport

            return Client(
                WithHeaders(HTTPTransport(config, agent=user_agent()), extra), warn=self._hear, timeout=config.timeout
            )
        from localplane.client.blocking_transport import BlockingTransport
        from localplane.client.driving import sleep

        observe = self._log if self.given.number("v") >= _LOG_REQUESTS else None
        transport = BlockingTransport(config, agent=user_agent(), extra=extra, observe=observe)
        return Client(transport, warn=self._hear, sleep=sleep)

    def _hear(self, warning: ServerWarning) -> None:
        self.warnings += 1
        from kctl.printers.terminal import harmless

        self.warn(harmless(warning.text))

    def log_warning(self, text: str) -> None:
        """What kubectl logs and does not say: with time and place before it."""
        self._log(text, letter="W")

    def _log(self, text: str, letter: str = "I") -> None:
        from datetime import datetime

        stamp = datetime.now().astimezone().strftime("%m%d %H:%M:%S.%f")
        sys.stderr.write(f"{letter}{stamp} {os.getpid():7d} session.py:1] {text}\n")


def user_agent() -> str:
    """The first word is whom changes belong to that name no manager."""
    return f"kctl/v{__version__} ({platform()}) kubernetes/1.37"


def platform() -> str:
    """`linux/amd64`, as Go says it."""
    system = os.uname()
    return f"{system.sysname.lower()}/{_ARCHITECTURES.get(system.machine, system.machine)}"


def _random_uuid() -> str:
    text = os.urandom(16).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def _overrides(given: Given) -> Overrides:
    from localplane.client.kubeconfig.model import Cluster, Context, User
    from localplane.client.kubeconfig.resolving import DEFAULT_CLUSTER, Overrides

    return Overrides(
        context_name=given.text("context"),
        context=Context(cluster=given.text("cluster"), user=_user(given), namespace=given.text("namespace")),
        cluster=Cluster(
            server=given.text("server"),
            tls_server_name=given.text("tls-server-name"),
            insecure_skip_tls_verify=given.is_on("insecure-skip-tls-verify"),
            certificate_authority=given.text("certificate-authority"),
            disable_compression=given.is_on("disable-compression"),
            proxy_url=given.text("proxy-url"),
        ),
        user=User(
            client_certificate=given.text("client-certificate"),
            client_key=given.text("client-key"),
            token=given.text("token"),
            username=given.text("username"),
            password=given.text("password"),
            impersonate=given.text("as"),
            impersonate_uid=given.text("as-uid"),
            impersonate_groups=tuple(given.texts("as-group")),
            impersonate_extra=_extra(given.texts("as-user-extra")),
        ),
        cluster_defaults=DEFAULT_CLUSTER,
        timeout=_timeout(given.text("request-timeout")),
    )


def _user(given: Given) -> str:
    """--user, unless the verb has another flag of that name (`kctl create rolebinding --user`)."""
    return given.text("user") if given.kind("user") == "text" else ""


def _extra(pairs: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise KctlError(f"invalid --as-user-extra {pair}: expected key=value")
        found[key] = (*found.get(key, ()), value)
    return found


def _timeout(text: str) -> Any:
    """A timedelta; None for zero."""
    if text in ("", "0"):
        return None
    from datetime import timedelta

    from localplane.apimachinery.times import InvalidDuration, parse_duration

    try:
        limit = timedelta(seconds=int(text)) if text.lstrip("-").isdigit() else parse_duration(text)
    except InvalidDuration:
        raise KctlError(_BAD_TIMEOUT) from None
    return limit or None
