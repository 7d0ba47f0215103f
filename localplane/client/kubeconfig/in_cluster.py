"""The configuration that a pod finds in itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from localplane.client.errors import ConfigError

from .connection import ClientConfig

SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def in_cluster_config(
    *, environment: Mapping[str, str] | None = None, directory: Path = SERVICE_ACCOUNT
) -> ClientConfig:
    """Raises ConfigError outside of a cluster."""
    environment = os.environ if environment is None else environment
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "")
    token = directory / "token"
    if not (host and port and token.is_file()):
        raise ConfigError(
            "unable to load in-cluster configuration, "
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined"
        )
    authority = directory / "ca.crt"
    return ClientConfig(
        server=f"https://{f'[{host}]' if ':' in host else host}:{port}",
        certificate_authority=str(authority) if authority.is_file() else "",
        token_file=str(token),
    )
