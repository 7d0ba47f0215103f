"""The configuration that a pod finds in itself."""

from __future__ import annotations

import os
from collections.abc import Mapping

from localplane.apimachinery.light_typing import Final
from localplane.client.errors import ConfigError

from .connection import ClientConfig

SERVICE_ACCOUNT: Final = "/var/run/secrets/kubernetes.io/serviceaccount"


def is_in_cluster(*, environment: Mapping[str, str] | None = None, directory: str = SERVICE_ACCOUNT) -> bool:
    """Whether there is such a configuration. Kubernetes: inClusterClientConfig.Possible."""
    environment = os.environ if environment is None else environment
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "")
    return bool(host and port) and os.path.isfile(f"{directory}/token")


def in_cluster_namespace(*, environment: Mapping[str, str] | None = None, directory: str = SERVICE_ACCOUNT) -> str:
    """The pod's own. Kubernetes: inClusterClientConfig.Namespace."""
    environment = os.environ if environment is None else environment
    if named := environment.get("POD_NAMESPACE"):
        return named
    try:
        with open(f"{directory}/namespace", encoding="utf-8") as file:
            return file.read().strip() or "default"
    except OSError:
        return "default"


def in_cluster_config(
    *, environment: Mapping[str, str] | None = None, directory: str = SERVICE_ACCOUNT
) -> ClientConfig:
    """Raises ConfigError outside of a cluster."""
    environment = os.environ if environment is None else environment
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "")
    if not is_in_cluster(environment=environment, directory=directory):
        raise ConfigError(
            "unable to load in-cluster configuration, "
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined"
        )
    authority = f"{directory}/ca.crt"
    return ClientConfig(
        server=f"https://{f'[{host}]' if ':' in host else host}:{port}",
        certificate_authority=authority if os.path.isfile(authority) else "",
        token_file=f"{directory}/token",
    )
