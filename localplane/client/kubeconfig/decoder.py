"""From the text of one kubeconfig to its model. Keys that nobody knows are ignored, as Kubernetes ignores them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping

from localplane.apimachinery.light_typing import Any, TypeVar
from localplane.apimachinery.serializers import errors, yaml
from localplane.client.errors import ConfigError

from .fields import checked
from .model import Cluster, Context, EnvironmentVariable, ExecConfig, Kubeconfig, User
from .plain import parse_plain

T = TypeVar("T")


def parse(text: bytes) -> Kubeconfig:
    """YAML or JSON. Raises ConfigError, in the words of Go's decoder."""
    config = _Reader(checked(document(text)))
    return Kubeconfig(
        clusters=config.named("clusters", "cluster", _cluster),
        users=config.named("users", "user", _user),
        contexts=config.named("contexts", "context", _context),
        current_context=config.text("current-context"),
        extensions=config.extensions(),
    )


def document(text: bytes) -> Any:
    """What stands there, whatever it is. Raises ConfigError."""
    if (plain := parse_plain(text)) is not None:
        return plain
    try:
        return yaml.parse_yaml(text).value
    except errors.SerializationError as error:
        raise ConfigError(str(error)) from error


def _cluster(entry: _Reader) -> Cluster:
    return Cluster(
        server=entry.text("server"),
        tls_server_name=entry.text("tls-server-name"),
        insecure_skip_tls_verify=entry.flag("insecure-skip-tls-verify"),
        certificate_authority=entry.text("certificate-authority"),
        certificate_authority_data=entry.data("certificate-authority-data"),
        proxy_url=entry.text("proxy-url"),
        disable_compression=entry.flag("disable-compression"),
        extensions=entry.extensions(),
    )


def _user(entry: _Reader) -> User:
    plugin = entry.child("exec")
    provider = entry.child("auth-provider")
    return User(
        client_certificate=entry.text("client-certificate"),
        client_certificate_data=entry.data("client-certificate-data"),
        client_key=entry.text("client-key"),
        client_key_data=entry.data("client-key-data"),
        token=entry.text("token"),
        token_file=entry.text("tokenFile"),
        impersonate=entry.text("as"),
        impersonate_uid=entry.text("as-uid"),
        impersonate_groups=entry.texts("as-groups"),
        impersonate_extra=_extra(entry.child("as-user-extra")),
        username=entry.text("username"),
        password=entry.text("password"),
        auth_provider=None if provider is None else provider.value,
        exec=None if plugin is None else _exec(plugin),
        extensions=entry.extensions(),
    )


def _extra(entry: _Reader | None) -> dict[str, tuple[str, ...]]:
    return {} if entry is None else {key: entry.texts(key) for key in entry.value}


def _exec(entry: _Reader) -> ExecConfig:
    return ExecConfig(
        command=entry.text("command"),
        args=entry.texts("args"),
        env=tuple(EnvironmentVariable(item.text("name"), item.text("value")) for item in entry.children("env")),
        api_version=entry.text("apiVersion"),
        install_hint=entry.text("installHint"),
        provide_cluster_info=entry.flag("provideClusterInfo"),
        interactive_mode=entry.text("interactiveMode"),
    )


def _context(entry: _Reader) -> Context:
    return Context(
        cluster=entry.text("cluster"),
        user=entry.text("user"),
        namespace=entry.text("namespace"),
        extensions=entry.extensions(),
    )


class _Reader:
    """A dictionary that has been checked. An absent one is empty."""

    def __init__(self, value: Any) -> None:
        self.value: Mapping[str, Any] = value or {}

    def text(self, key: str) -> str:
        return str(self.value.get(key) or "")

    def flag(self, key: str) -> bool:
        return bool(self.value.get(key))

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(item or "" for item in self.value.get(key) or ())

    def data(self, key: str) -> bytes:
        return base64.b64decode("".join(self.text(key).split()))

    def child(self, key: str) -> _Reader | None:
        return None if self.value.get(key) is None else _Reader(self.value[key])

    def children(self, key: str) -> list[_Reader]:
        return [_Reader(item) for item in self.value.get(key) or ()]

    def named(self, key: str, field: str, build: Callable[[_Reader], T]) -> dict[str, T]:
        """A list of {name, field} as a dictionary."""
        return {item.text("name"): build(_Reader(item.value.get(field))) for item in self.children(key)}

    def extensions(self) -> dict[str, Any]:
        return {item.text("name"): item.value.get("extension") for item in self.children("extensions")}
