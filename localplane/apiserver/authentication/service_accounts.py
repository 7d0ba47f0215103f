"""The names service accounts have as users. Kubernetes: authentication/serviceaccount."""

from __future__ import annotations

from localplane.apimachinery.names import dns1123_label, dns1123_subdomain

_PREFIX = "system:serviceaccount:"
_ALL = "system:serviceaccounts"


def username(namespace: str, name: str) -> str:
    return f"{_PREFIX}{namespace}:{name}"


def split_username(user: str) -> tuple[str, str] | None:
    """Namespace and name of the service account, or None if the user is none."""
    if not user.startswith(_PREFIX):
        return None
    namespace, separator, name = user.removeprefix(_PREFIX).partition(":")
    if not separator or dns1123_label(namespace) or dns1123_subdomain(name):
        return None
    return namespace, name


def groups_of(namespace: str) -> tuple[str, str]:
    return _ALL, f"{_ALL}:{namespace}"
