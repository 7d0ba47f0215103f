"""`auth-provider`, which came before credential plugins: what is left of it.

Of OpenID Connect an id-token that is still good is used; fetching a new one is for a credential plugin. The providers
of clouds are gone from Kubernetes, too. Kubernetes: client-go/plugin/pkg/client/auth.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from typing import Any

from .errors import ConfigError

_DOCUMENTATION = "https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins"
_GKE = "https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke"
_REMOVED = {
    "gcp": ('"gke-gcloud-auth-plugin"', _GKE),
    "azure": ("https://github.com/Azure/kubelogin", _DOCUMENTATION),
}


def token_of(provider: Mapping[str, Any]) -> str:
    """Raises ConfigError, in Kubernetes' words where it has any."""
    name, config = provider.get("name") or "", provider.get("config") or {}
    if name in _REMOVED:
        instead, more = _REMOVED[name]
        raise ConfigError(
            f"The {name} auth plugin has been removed.\n"
            f"Please use the {instead} kubectl/client-go credential plugin instead.\n"
            f"See {more} for further details"
        )
    if name != "oidc":
        raise ConfigError(f'no Auth Provider found for name "{name}"')
    for required in ("idp-issuer-url", "client-id"):
        if not config.get(required):
            raise ConfigError(f"Must provide {required}")
    token = str(config.get("id-token") or "")
    if token and _expires(token) > time.time():
        return token
    if config.get("refresh-token"):
        raise ConfigError(
            "the id-token has expired, and kctl does not ask for new ones: use a credential plugin, "
            f"see {_DOCUMENTATION}"
        )
    raise ConfigError("No valid id-token, and cannot refresh without refresh-token")


def _expires(token: str) -> float:
    """When; 0 for what is no token."""
    try:
        claims = token.split(".")[1]
        return float(json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["exp"])
    except (IndexError, KeyError, TypeError, ValueError):
        return 0.0
