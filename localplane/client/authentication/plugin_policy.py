"""Which credential plugins may run. Kubernetes: client-go/plugin/pkg/client/auth/exec, ValidatePluginPolicy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from localplane.apimachinery.golang.text import go_quote
from localplane.client.errors import ConfigError, CredentialsError
from localplane.client.kubeconfig.model import PluginPolicy


def validate(policy: PluginPolicy) -> None:
    """Raises ConfigError: half a policy protects nobody."""
    if policy.kind in ("", "AllowAll", "DenyAll"):
        if policy.allowed is not None:
            raise ConfigError(
                f"misconfigured credential plugin allowlist: plugin policy is {go_quote(policy.kind)} "
                "but allowlist is non-nil"
            )
        return
    if policy.kind != "Allowlist":
        raise ConfigError(f"unknown plugin policy: {go_quote(policy.kind)}")
    if policy.allowed is None:
        raise ConfigError('credential plugin policy set to "Allowlist", but allowlist is unspecified')
    if not policy.allowed:
        raise ConfigError(
            'credential plugin policy set to "Allowlist", but allowlist is empty; use "DenyAll" policy instead'
        )
    for index, command in enumerate(policy.allowed, start=1):
        if not command:
            raise ConfigError(f"misconfigured credential plugin allowlist: empty allowlist entry #{index}")
        if (cleaned := os.path.normpath(command)) != command:
            raise ConfigError(f"non-normalized file path: {go_quote(command)} vs {go_quote(cleaned)}")


def check(policy: PluginPolicy | None, command: str) -> None:
    """Raises CredentialsError if the command may not run."""
    if policy is None or policy.kind in ("", "AllowAll"):
        return
    name = os.path.normpath(command)
    if policy.kind == "DenyAll":
        raise CredentialsError(f'plugin {go_quote(name)} not allowed: policy set to "DenyAll"')
    allowed = policy.allowed or ()
    path = shutil.which(name)
    if name in allowed or path in allowed:
        return
    if path is None:
        missing = f"exec: {go_quote(name)}: executable file not found in $PATH"
        if os.sep in name:
            missing = f"stat {name}: no such file or directory"
        raise CredentialsError(
            f"plugin path {go_quote(name)} cannot be resolved for credential plugin allowlist check: {missing}"
        )
    same = (one for one in allowed if Path(one).name == Path(path).name)
    if path not in [shutil.which(one) for one in same]:
        raise CredentialsError(f"plugin path {go_quote(path)} is not permitted by the credential plugin allowlist")
