"""From the text of one kubeconfig to its model. Keys that nobody knows are ignored, as Kubernetes ignores them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from localplane.client.errors import ConfigError

from .model import Cluster, Context, EnvironmentVariable, ExecConfig, Kubeconfig, User
from .plain import parse_plain

T = TypeVar("T")

_BETA = ("client.authentication.k8s.io/v1alpha1", "client.authentication.k8s.io/v1beta1")


def parse(text: bytes, *, origin: Path | None = None) -> Kubeconfig:
    """YAML or JSON. Raises ConfigError, with the place of what is wrong."""
    config = _Reader(_document(text), "config")
    version, kind = config.text("apiVersion") or "v1", config.text("kind") or "Config"
    if (version, kind) != ("v1", "Config"):
        raise ConfigError(f'no kind "{kind}" is registered for version "{version}"')
    return Kubeconfig(
        clusters=config.named("clusters", "cluster", lambda entry: _cluster(entry, origin)),
        users=config.named("users", "user", lambda entry: _user(entry, origin)),
        contexts=config.named("contexts", "context", lambda entry: _context(entry, origin)),
        current_context=config.text("current-context"),
        extensions=config.extensions(),
    )


def _document(text: bytes) -> Any:
    if (plain := parse_plain(text)) is not None:
        return plain
    from localplane.apimachinery.serializers.errors import SerializationError
    from localplane.apimachinery.serializers.yaml import parse_yaml

    try:
        return parse_yaml(text).value
    except SerializationError as error:
        raise ConfigError(str(error)) from error


def _cluster(entry: _Reader, origin: Path | None) -> Cluster:
    return Cluster(
        server=entry.text("server"),
        tls_server_name=entry.text("tls-server-name"),
        insecure_skip_tls_verify=entry.flag("insecure-skip-tls-verify"),
        certificate_authority=entry.text("certificate-authority"),
        certificate_authority_data=entry.data("certificate-authority-data"),
        proxy_url=entry.text("proxy-url"),
        disable_compression=entry.flag("disable-compression"),
        extensions=entry.extensions(),
        origin=origin,
    )


def _user(entry: _Reader, origin: Path | None) -> User:
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
        origin=origin,
    )


def _extra(entry: _Reader | None) -> dict[str, tuple[str, ...]]:
    return {} if entry is None else {key: entry.texts(key) for key in entry.value}


def _exec(entry: _Reader) -> ExecConfig:
    version = entry.text("apiVersion")
    return ExecConfig(
        command=entry.text("command"),
        args=entry.texts("args"),
        env=tuple(EnvironmentVariable(item.text("name"), item.text("value")) for item in entry.children("env")),
        api_version=version,
        install_hint=entry.text("installHint"),
        provide_cluster_info=entry.flag("provideClusterInfo"),
        # Older versions of the protocol had no such field, and their plugins may ask for a password.
        interactive_mode=entry.text("interactiveMode") or ("IfAvailable" if version in _BETA else ""),
    )


def _context(entry: _Reader, origin: Path | None) -> Context:
    return Context(
        cluster=entry.text("cluster"),
        user=entry.text("user"),
        namespace=entry.text("namespace"),
        extensions=entry.extensions(),
        origin=origin,
    )


class _Reader:
    """A dictionary and where it stands, for errors that say so. An absent dictionary is an empty one."""

    def __init__(self, value: Any, path: str) -> None:
        if value is not None and not isinstance(value, dict):
            raise ConfigError(f"{path}: expected a map, found {_name(value)}")
        self.value: Mapping[str, Any] = value or {}
        self._path = path

    def text(self, key: str) -> str:
        return self._typed(key, str, "text") or ""

    def flag(self, key: str) -> bool:
        return self._typed(key, bool, "true or false") or False

    def texts(self, key: str) -> tuple[str, ...]:
        items = self._typed(key, list, "a list") or []
        for index, item in enumerate(items):
            if not isinstance(item, str):
                raise ConfigError(f"{self._path}.{key}[{index}]: expected text, found {_name(item)}")
        return tuple(items)

    def data(self, key: str) -> bytes:
        try:
            return base64.b64decode("".join(self.text(key).split()), validate=True)
        except (binascii.Error, ValueError) as error:
            raise ConfigError(f"{self._path}.{key}: illegal base64 data: {error}") from error

    def child(self, key: str) -> _Reader | None:
        return None if self.value.get(key) is None else _Reader(self.value[key], f"{self._path}.{key}")

    def children(self, key: str) -> list[_Reader]:
        items = self._typed(key, list, "a list") or []
        return [_Reader(item, f"{self._path}.{key}[{index}]") for index, item in enumerate(items)]

    def named(self, key: str, field: str, build: Callable[[_Reader], T]) -> dict[str, T]:
        """A list of {name, field} as a dictionary."""
        found: dict[str, T] = {}
        for item in self.children(key):
            name = item.text("name")
            if name in found:
                raise ConfigError(f'{self._path}.{key}: duplicate name "{name}" in list')
            found[name] = build(_Reader(item.value.get(field), f"{item._path}.{field}"))  # noqa: SLF001 - our own kind
        return found

    def extensions(self) -> dict[str, Any]:
        return {item.text("name"): item.value.get("extension") for item in self.children("extensions")}

    def _typed(self, key: str, kind: type[T], expected: str) -> T | None:
        value = self.value.get(key)
        if value is not None and not isinstance(value, kind):
            raise ConfigError(f"{self._path}.{key}: expected {expected}, found {_name(value)}")
        return value


def _name(value: object) -> str:
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "a map"
