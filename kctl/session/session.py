"""One command's surroundings: which cluster and namespace, the client, what can be read and written.

Everything is made when it is first asked for: `kctl config view` opens no connection, `kctl version --client` reads no
kubeconfig. Verbs get a Session and never look at os.environ or sys themselves.

A transport that adds headers to whatever goes through it.

Asking who somebody is, where the kubeconfig does not say. Kubernetes: client-go/tools/clientcmd/auth_loaders.go.
"""

from __future__ import annotations

import datetime as dt
import fnmatch
import getpass
import os
import pathlib
import sys
from collections.abc import Callable

from kctl import program
from kctl.command_line import colours as command_line_colours
from kctl.command_line import klog
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.printers import table
from kctl.printers.painting import choice
from kctl.printers.terminal import Painted, harmless, shown
from kctl.session import discovery as session_discovery
from kctl.session import looking_back, wire_log
from kctl.session.versions import platform
from localplane.apimachinery import records, times
from localplane.apimachinery.golang import sources
from localplane.apimachinery.light_typing import Any, TextIO
from localplane.client import errors
from localplane.client import kubeconfig as client_kubeconfig
from localplane.client.rest import client as rest_client
from localplane.client.transport import aiohttp_transport, blocking_transport, driver, headers, interface

_BAD_TIMEOUT = (
    "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding "
    "time unit (e.g. 1s | 2m | 3h)"
)
_LOG_REQUESTS = 6


class Session:
    """`command` is the verb with its parents: `kctl create configmap`. `concurrent` verbs run in an event loop."""

    def __init__(self, flags: FlagSet, *, command: str, concurrent: bool = False) -> None:
        self.command = command
        self.flags = flags
        self.warnings = 0
        self.plugin_policy: client_kubeconfig.PluginPolicy | None = None
        """Which credential plugins may run, if the user has said so."""
        self.take_warning: Callable[[str], None] | None = None
        """Where warnings go while stderr is a screen that somebody else draws on."""
        self._concurrent = concurrent
        self._at = ""
        self._id = _random_uuid()
        self._warned: set[str] = set()
        self._painter: choice.Painter | None = None
        self._paints: bool | None = None
        self._login: tuple[str, str] | None = None
        self._kubeconfig: client_kubeconfig.Kubeconfig | None = None
        self._overrides: client_kubeconfig.Overrides | None = None
        self._client: rest_client.Client | None = None
        self._discovery: session_discovery.CachedDiscovery | None = None

    # What a person sees.

    def write(self, text: str) -> None:
        """To stdout, for people. What a server says can't drive a terminal, not even through a pipe and a pager."""
        if isinstance(text, Painted):
            sys.stdout.write(text)
            return
        text = shown(text, sys.stdout)
        sys.stdout.write(self._painted(text) if self.paints else text)

    def write_object(self, text: str) -> None:
        """To stdout, for programs: what an object contains, to the letter, unless it is a terminal that reads it."""
        text = harmless(text) if self.is_terminal else text
        sys.stdout.write(self._painted(text) if self.paints else text)

    def columns(self, write: Callable[[str], object] | None = None) -> table.TabWriter:
        """For a table; in colour, if that is wanted. `write` is another way to stdout."""
        painter = choice.table_painter(self.flags, lambda cell: shown(cell, sys.stdout)) if self.paints else None
        return table.TabWriter(write or self.write, painter=painter)

    @property
    def paints(self) -> bool:
        """Whether what goes to stdout is coloured."""
        if self._paints is None:
            self._paints = self.colours(sys.stdout)
            if self._paints:
                self._painter = choice.painter_for(self.command, self.flags)
        return self._paints

    def _painted(self, text: str) -> str:
        return self._painter.paint(text) if self._painter is not None else text

    def flush(self) -> None:
        """For verbs that go on for a while: what was written is to be seen now."""
        sys.stdout.flush()

    def say(self, text: str) -> None:
        """To stderr."""
        sys.stderr.write(shown(text, sys.stderr))

    def warn(self, text: str) -> None:
        """`Warning: ` on stderr, the same one only once."""
        if text not in self._warned:
            self._warned.add(text)
            if self.take_warning is not None:
                self.take_warning(text)
                return
            loud, plain = ("\x1b[33;1m", "\x1b[0m") if self._warns_in_colour() else ("", "")
            sys.stderr.write(f"{loud}Warning:{plain} {shown(text, sys.stderr)}\n")

    def _warns_in_colour(self) -> bool:
        return command_line_colours.allowed(self.flags.text("color"), sys.stderr, of_kubectl=True)

    def colours(self, stream: TextIO) -> bool:
        """Whether what is written there may be coloured."""
        return command_line_colours.allowed(self.flags.text("color"), stream)

    @property
    def is_terminal(self) -> bool:
        return sys.stdout.isatty()

    # Where we are.

    @property
    def kubeconfig_path(self) -> pathlib.Path | None:
        """What --kubeconfig says."""
        explicit = self.flags.text("kubeconfig")
        if not explicit:
            return None
        return pathlib.Path(explicit)

    @property
    def kubeconfig(self) -> client_kubeconfig.Kubeconfig:
        """All files merged. Raises ConfigError."""
        if self._kubeconfig is None:
            explicit = self.kubeconfig_path
            self._kubeconfig = client_kubeconfig.load(explicit, warn=self.log_warning)
            if self.logs(_LOG_REQUESTS, sources.CONFIG_LOADED):
                for path in client_kubeconfig.default_paths() if explicit is None else (explicit,):
                    if path.exists():
                        self.log(_LOG_REQUESTS, sources.CONFIG_LOADED, f"Config loaded from file:  {path}")
        return self._kubeconfig

    @property
    def overrides(self) -> client_kubeconfig.Overrides:
        """What the command line says instead of the kubeconfig."""
        if self._overrides is None:
            self._overrides = _overrides(self.flags)
        return self._overrides

    @property
    def client_config(self) -> client_kubeconfig.ClientConfig:
        if self._is_in_cluster():
            return client_kubeconfig.in_cluster_config()
        try:
            config = client_kubeconfig.resolve(self.kubeconfig, self.overrides)
        except errors.EmptyConfig as error:
            raise KctlError(str(error)) from error
        if not _is_identified(config):
            config = self._introduced(config)
        if config.exec is None:
            return config
        reader = "stdin resource manifest reader" if self._reads_stdin() else ""
        plugin = records.replace(config.exec, policy=self.plugin_policy, stdin_user=reader)
        return records.replace(config, exec=plugin)

    def _reads_stdin(self) -> bool:
        """Whether what is to be done comes from there: `-f -`, and variables for `set env`."""
        flags = self.flags
        named = flags.known("filename") and flags.kind("filename") != "text" and "-" in flags.texts("filename")
        return named or (self.command.endswith(" set env") and "-" in flags.arguments)

    def _introduced(self, config: client_kubeconfig.ClientConfig) -> client_kubeconfig.ClientConfig:
        """Whoever says nothing about himself is asked. Kubernetes: clientcmd, PromptingAuthLoader."""
        if self._login is None:
            self._login = ask()
        user, password = self._login
        return records.replace(config, username=user, password=password)

    @property
    def namespace(self) -> str:
        return self._namespace().name

    @property
    def namespace_is_explicit(self) -> bool:
        """Whether -n was given, so that objects from files must not say otherwise."""
        return self._namespace().explicit

    def _namespace(self) -> client_kubeconfig.Namespace:
        if not self.overrides.context.namespace and self._is_in_cluster():
            return client_kubeconfig.Namespace(client_kubeconfig.in_cluster_namespace(), explicit=False)
        return client_kubeconfig.namespace(self.kubeconfig, self.overrides)

    def _is_in_cluster(self) -> bool:
        """Only where nothing else is configured."""
        if not os.environ.get("KUBERNETES_SERVICE_HOST"):
            return False
        return (
            client_kubeconfig.is_in_cluster()
            and self.kubeconfig.is_empty
            and self.overrides.cluster == client_kubeconfig.Cluster()
        )

    # Whom we talk to.

    @property
    def client(self) -> rest_client.Client:
        if self._client is None:
            self._client = self._connect()
        return self._client

    @property
    def discovery(self) -> session_discovery.CachedDiscovery:
        if self._discovery is None:
            self._discovery = session_discovery.CachedDiscovery(self)
        return self._discovery

    @property
    def is_concurrent(self) -> bool:
        """Whether there is an event loop."""
        return self._concurrent

    @property
    def request_headers(self) -> list[tuple[str, str]]:
        """What every request of this command says about it. Kubernetes: cli-runtime, command_headers.go."""
        return [("Kubectl-Command", self.command), ("Kubectl-Session", self._id)]

    @property
    def cache_directory(self) -> str:
        """No Path: every command reads a file in it, and importing pathlib takes longer than that."""
        if chosen := self.flags.text("cache-dir") or os.environ.get("KUBECACHEDIR", ""):
            return chosen
        return f"{os.environ.get('HOME') or os.path.expanduser('~')}/.kube/cache"  # noqa: PTH111 - as above

    def field_manager(self, verb: str) -> str:
        """Who changes made by this verb belong to, unless --field-manager says otherwise."""
        return f"{program.KUBECTL}-{verb}"

    def another(self) -> Session:
        """For another thread of the same command: it has connections of its own, and warns of nothing twice."""
        sibling = Session(self.flags, command=self.command)
        sibling._warned = self._warned
        sibling.plugin_policy = self.plugin_policy
        return sibling

    def with_kubeconfig(self, path: pathlib.Path) -> Session:
        """For the same command on what another kubeconfig says, and no context but its own."""
        sibling = Session(self.flags, command=self.command)
        sibling._kubeconfig = client_kubeconfig.load(path, warn=self.log_warning)
        sibling._overrides = client_kubeconfig.Overrides()
        return sibling

    def look_back(self, at: str) -> None:
        """From now on objects and lists are those of another time: a revision, a time, or how long ago."""
        self._at = at
        self._client = None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _connect(self) -> rest_client.Client:
        config = self.client_config
        if self._concurrent:
            transport: interface.Transport = WithHeaders(
                aiohttp_transport.HTTPTransport(config, agent=user_agent()), self.request_headers
            )
            return rest_client.Client(self._told(transport, config), warn=self._hear, timeout=config.timeout)
        transport = blocking_transport.BlockingTransport(config, agent=user_agent(), extra=self.request_headers)
        return rest_client.Client(self._told(transport, config), warn=self._hear, sleep=driver.sleep)

    def _told(self, transport: interface.Transport, config: client_kubeconfig.ClientConfig) -> interface.Transport:
        """One that tells the log of everything that goes through it, if somebody listens."""
        if self._at:
            transport = looking_back.LookingBack(transport, self._at)
        level = next((level for level in range(10, _LOG_REQUESTS - 1, -1) if self.logs(level, sources.REQUEST)), 0)
        if not level:
            return transport
        fixed = [("User-Agent", user_agent())]
        if config.token or config.token_file or config.exec is not None:
            fixed.append(("Authorization", "Bearer"))
        elif config.username:
            fixed.append(("Authorization", "Basic"))
        return wire_log.WireLog(transport, server=config.server, level=level, log=self._log, fixed=fixed)

    def _hear(self, warning: headers.ServerWarning) -> None:
        self.warnings += 1
        self.warn(harmless(warning.text))

    def log_warning(self, text: str, *, place: str = sources.CONFIG_WARNING) -> None:
        """What kubectl logs and does not say: with time and place before it."""
        self._log(place, text, letter="W")

    def log_error(self, text: str, *, place: str) -> None:
        self._log(place, text, letter="E")

    def logs(self, level: int, file: str) -> bool:
        """Whether -v, or --vmodule for that file of kubectl's, asks for so much."""
        name = file.partition(".")[0]
        for pattern, chosen in self.flags.levels("vmodule"):
            if fnmatch.fnmatchcase(name, pattern):
                return int(chosen) >= level
        return self.flags.number("v") >= level

    def log(self, level: int, place: str, text: str) -> None:
        """A line of kubectl's log, if it was asked for. `place` is where kubectl says it."""
        if self.logs(level, place):
            self._log(place, text)

    def _log(self, place: str, text: str, letter: str = "I") -> None:
        sys.stderr.write(shown(klog.line(place, text, letter=letter), sys.stderr))


def _is_identified(config: client_kubeconfig.ClientConfig) -> bool:
    """Only a server with TLS is told anything. Kubernetes: canIdentifyUser."""
    certificate = config.client_certificate or config.client_certificate_data
    known = config.token or config.token_file or config.username or config.exec is not None or certificate
    return bool(known) or not config.server.startswith("https://")


def user_agent() -> str:
    """The first word is whom changes belong to that name no manager: kubectl, whatever we are called."""
    return f"{program.KUBECTL}/{program.kubectl_version()} ({platform()}) kubernetes/{program.KUBERNETES}"


def _random_uuid() -> str:
    text = os.urandom(16).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def _overrides(flags: FlagSet) -> client_kubeconfig.Overrides:
    return client_kubeconfig.Overrides(
        context_name=flags.text("context"),
        context=client_kubeconfig.Context(
            cluster=flags.text("cluster"), user=_user(flags), namespace=flags.text("namespace")
        ),
        cluster=client_kubeconfig.Cluster(
            server=flags.text("server"),
            tls_server_name=flags.text("tls-server-name"),
            insecure_skip_tls_verify=flags.is_on("insecure-skip-tls-verify"),
            certificate_authority=flags.text("certificate-authority"),
            disable_compression=flags.is_on("disable-compression"),
            proxy_url=flags.text("proxy-url"),
        ),
        user=client_kubeconfig.User(
            client_certificate=flags.text("client-certificate"),
            client_key=flags.text("client-key"),
            token=flags.text("token"),
            username=flags.text("username"),
            password=flags.text("password"),
            impersonate=flags.text("as"),
            impersonate_uid=flags.text("as-uid"),
            impersonate_groups=tuple(flags.texts("as-group")),
            impersonate_extra=_extra(flags.texts("as-user-extra")),
        ),
        cluster_defaults=client_kubeconfig.Cluster(
            server=os.environ.get("KUBERNETES_MASTER") or client_kubeconfig.DEFAULT_CLUSTER.server
        ),
        timeout=_timeout(flags.text("request-timeout")),
    )


def _user(flags: FlagSet) -> str:
    """--user, unless the verb has another flag of that name (`kctl create rolebinding --user`)."""
    return flags.text("user") if flags.kind("user") == "text" else ""


def _extra(pairs: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise KctlError(f"invalid --as-user-extra {pair}: expected key=value")
        found[key] = (*found.get(key, ()), value)
    return found


_MOST_DIGITS = 18
"""Of a number of seconds: more is no number for Go."""


def _timeout(text: str) -> Any:
    """A timedelta; None for zero and less. What is finer than a microsecond is one: it is over before a request goes
    out."""
    if text in ("", "0"):
        return None
    try:
        is_seconds = text.isdecimal() and len(text) <= _MOST_DIGITS
        nanoseconds = min(int(text) * 10**9, 2**63 - 1) if is_seconds else times.duration_nanoseconds(text)
    except times.InvalidDuration:
        raise KctlError(_BAD_TIMEOUT) from None
    return dt.timedelta(microseconds=max(1, nanoseconds // 1_000)) if nanoseconds > 0 else None


class WithHeaders:
    def __init__(self, transport: interface.Transport, extra: interface.Pairs) -> None:
        self._transport = transport
        self._extra = extra

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: interface.Pairs = (),
        headers: interface.Pairs = (),
        body: bytes | None = None,
    ) -> interface.Response:
        return await self._transport.request(method, path, query=query, headers=[*headers, *self._extra], body=body)

    async def close(self) -> None:
        await self._transport.close()


def ask() -> tuple[str, str]:
    """Name and password. A password is only taken from a terminal, where it is not shown."""
    _prompt("Username")
    name = _word()
    _prompt("Password")
    if sys.stdin is None or not sys.stdin.isatty():
        raise KctlError("error reading input for Password")
    return name, getpass.getpass("", stream=sys.stderr)


def _prompt(what: str) -> None:
    sys.stdout.write(f"Please enter {what}: ")
    sys.stdout.flush()


def _word() -> str:
    while sys.stdin is not None and (line := sys.stdin.readline()):
        if words := line.split():
            return words[0]
    raise KctlError("EOF")
