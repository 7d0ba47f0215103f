"""Credentials from a program, by the protocol client.authentication.k8s.io.

The program gets an ExecCredential in $KUBERNETES_EXEC_INFO and prints one with a token, a certificate or both. What it
said is kept until it expires or the server refuses it. Kubernetes: client-go/plugin/pkg/client/auth/exec.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from localplane.apimachinery.golang.sources import EXEC_PLUGIN_SCHEME
from localplane.apimachinery.serializers import errors, yaml
from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.client.errors import ConfigError, CredentialsError
from localplane.client.kubeconfig.model import ExecClusterInfo, ExecConfig

from .credentials import ClientCertificate
from .plugin_policy import check
from .tls import check_pair

VERSIONS: Final = ("client.authentication.k8s.io/v1beta1", "client.authentication.k8s.io/v1")

_HELP = """

It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins"""


@dataclass(frozen=True, slots=True)
class _Issued:
    authorization: str = field(repr=False)
    certificate: ClientCertificate | None
    expires: datetime | None

    @property
    def expired(self) -> bool:
        return self.expires is not None and datetime.now(UTC) > self.expires


class ExecPlugin:
    def __init__(self, config: ExecConfig, cluster: ExecClusterInfo | None = None) -> None:
        if config.api_version not in VERSIONS:
            raise CredentialsError(f'exec plugin: invalid apiVersion "{config.api_version}"')
        self._config = config
        self._cluster = cluster if config.provide_cluster_info else None
        self._issued: _Issued | None = None
        self._running = asyncio.Lock()

    async def authorization(self) -> str:
        return (await self._current()).authorization

    async def certificate(self) -> ClientCertificate | None:
        return (await self._current()).certificate

    def rejected(self, authorization: str) -> None:
        if self._issued is not None and self._issued.authorization == authorization:
            self._issued = None

    async def _current(self) -> _Issued:
        async with self._running:  # requests that come together share one run
            if self._issued is None or self._issued.expired:
                try:
                    self._issued = _issued(await self._run(), self._config.api_version)
                except CredentialsError as error:
                    raise CredentialsError(f"getting credentials: {error}") from error
            return self._issued

    async def _run(self) -> bytes:
        interactive = _interactive(self._config)
        check(self._config.policy, self._config.command)
        try:
            process = await asyncio.create_subprocess_exec(
                self._program(),
                *self._config.args,
                stdin=None if interactive else DEVNULL,
                stdout=PIPE,
                env=self._environment(interactive=interactive),
            )
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise CredentialsError(f"exec: fork/exec {self._config.command}: {why}") from error
        try:
            output, _ = await process.communicate()
        except asyncio.CancelledError:
            if process.returncode is None:
                process.kill()
            await process.wait()
            raise
        if process.returncode:
            name = self._config.command
            raise CredentialsError(f"exec: executable {name} failed with exit code {process.returncode}")
        return output

    def _program(self) -> str:
        """A name is looked for on the PATH, and its absence is explained; a path is taken as it is."""
        name = self._config.command
        if os.sep in name:
            return name
        command = shutil.which(name)
        if command is None:
            hint = f"\n\n{self._config.install_hint}" if self._config.install_hint else ""
            raise CredentialsError(f"exec: executable {name} not found{_HELP}{hint}")
        return command

    def _environment(self, *, interactive: bool) -> dict[str, str]:
        spec: dict[str, Any] = {} if self._cluster is None else {"cluster": self._cluster.cluster}
        spec["interactive"] = interactive
        info = {"kind": "ExecCredential", "apiVersion": self._config.api_version, "spec": spec}
        configured = {variable.name: variable.value for variable in self._config.env}
        return {**os.environ, **configured, "KUBERNETES_EXEC_INFO": json.dumps(info, separators=(",", ":")) + "\n"}


def _interactive(config: ExecConfig) -> bool:
    """Whether the plugin gets our standard input. Kubernetes: client-go/plugin/pkg/client/auth/exec, isInteractive."""
    if config.interactive_mode == "Never":
        return False
    terminal = sys.stdin is not None and sys.stdin.isatty()
    if config.interactive_mode == "Always":
        refused = "exec plugin cannot support interactive mode: standard input is"
        if not terminal:
            raise CredentialsError(f"{refused} not a terminal")
        if config.stdin_user:
            raise CredentialsError(f"{refused} unavailable: used by {config.stdin_user}")
    return terminal and not config.stdin_user


def _issued(output: bytes, version: str) -> _Issued:
    document = _decoded(output)
    if document.get("apiVersion") != version:
        returned = document.get("apiVersion")
        raise CredentialsError(
            f"exec plugin is configured to use API version {version}, plugin returned version {returned}"
        )
    status = document.get("status")
    if not isinstance(status, dict):
        raise CredentialsError("exec plugin didn't return a status field")
    return _from_status(status)


def _decoded(output: bytes) -> dict[str, Any]:
    try:
        document = yaml.parse_yaml(output).value
    except errors.SerializationError as error:
        raise CredentialsError(f"decoding stdout: {error}") from error
    if not isinstance(document, dict):
        what = {str: "string", list: "array", bool: "bool", type(None): "null"}.get(type(document), "number")
        raise CredentialsError(
            f"decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal {what} into Go "
            r'value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; '
            r'Kind string "json:\"kind,omitempty\"" }'
        )
    # Who leaves out the kind means the one that is asked for. Kubernetes: the JSON serializer's gvkWithDefaults.
    version, kind = document.get("apiVersion") or "", document.get("kind") or "ExecCredential"
    if version not in VERSIONS or kind != "ExecCredential":
        raise CredentialsError(
            f'decoding stdout: no kind "{kind}" is registered for version "{version}" in scheme "{EXEC_PLUGIN_SCHEME}"'
        )
    return document


def _from_status(status: Mapping[str, Any]) -> _Issued:
    token, chain, key = (str(status.get(name) or "") for name in ("token", "clientCertificateData", "clientKeyData"))
    if not (token or chain or key):
        raise CredentialsError("exec plugin didn't return a token or cert/key pair")
    if bool(chain) != bool(key):
        raise CredentialsError("exec plugin returned only certificate or key, not both")
    expiry = status.get("expirationTimestamp")
    try:
        expires = parse_time(str(expiry)) if expiry else None
    except InvalidTime as error:
        raise CredentialsError(f"decoding stdout: {error}") from error
    certificate = ClientCertificate(chain.encode(), key.encode()) if chain else None
    if certificate is not None:
        try:
            check_pair(certificate.chain, certificate.key)
        except ConfigError as error:
            raise CredentialsError(f"failed parsing client key/certificate: {error}") from error
    return _Issued(f"Bearer {token}" if token else "", certificate, expires)
