"""One context of a kubeconfig, with what the command line says instead, as a ClientConfig.

Kubernetes: DirectClientConfig in client-go/tools/clientcmd/client_config.go.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Mapping

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, Final, TypeVar
from localplane.apimachinery.records import field, record, replace
from localplane.client.errors import ConfigError, EmptyConfig, InvalidConfig
from localplane.client.urls import server_url, split

from .model import ClientConfig, Cluster, Context, ExecClusterInfo, Impersonation, Kubeconfig, User, merged
from .validation import NO_CONFIGURATION, cluster_problems, user_problems

if TYPE_CHECKING:
    from datetime import timedelta


DEFAULT_CLUSTER: Final = Cluster(server="http://localhost:8080")
"""Where kubectl looks when nothing says where."""

_EXEC_EXTENSION = "client.authentication.k8s.io/exec"
_Entry = TypeVar("_Entry", Cluster, User, Context)


@record
class Overrides:
    """What is given beside the file: names of entries, and fields that replace those of the entries.

    `cluster_defaults` count where the file says nothing.
    """

    context_name: str = ""
    context: Context = field(default_factory=Context)
    cluster: Cluster = field(default_factory=Cluster)
    user: User = field(default_factory=User)
    cluster_defaults: Cluster = field(default_factory=Cluster)
    timeout: timedelta | None = None


@record
class Namespace:
    """`explicit` when it was asked for, not merely configured."""

    name: str
    explicit: bool


def resolve(config: Kubeconfig, overrides: Overrides | None = None) -> ClientConfig:
    """Raises EmptyConfig if nothing at all is configured, ConfigError with all that is wrong otherwise."""
    overrides = overrides or Overrides()
    context = _context(config, overrides)
    cluster = _cluster(config, context, overrides)
    user = _user(config, context, overrides)
    _check(context, cluster, user, missing=_missing_context(config, overrides))
    server = cluster.server if "://" in cluster.server else f"http://{cluster.server}"
    found = ClientConfig(
        server=_without_query(server),
        proxy_url=cluster.proxy_url,
        disable_compression=cluster.disable_compression,
        impersonate=_impersonation(user),
        timeout=overrides.timeout,
    )
    # Credentials never travel in the clear.
    return _with_secrets(found, cluster, user) if server.startswith("https://") else found


def namespace(config: Kubeconfig, overrides: Overrides | None = None) -> Namespace:
    """Raises ConfigError, unless a namespace was asked for: then nothing else is looked at."""
    overrides = overrides or Overrides()
    if overrides.context.namespace:
        return Namespace(overrides.context.namespace, explicit=True)
    _confirm_usable(config, overrides)
    return Namespace(_context(config, overrides).namespace or "default", explicit=False)


def _confirm_usable(config: Kubeconfig, overrides: Overrides) -> None:
    """What is wrong with the entries that would be used. Names that don't exist count as empty entries here.

    Kubernetes: DirectClientConfig.ConfirmUsable.
    """
    if missing := _missing_context(config, overrides):
        known = (missing, sorted(config.contexts))
        raise InvalidConfig([f"context was not found for specified context: {missing}"], mistyped=known)
    context = _context(config, overrides)
    user = User() if overrides.context.user not in ("", *config.users) else _user(config, context, overrides)
    problems = user_problems(context.user, user)
    if overrides.context.cluster not in ("", *config.clusters):
        problems += cluster_problems(context.cluster, Cluster())
    elif (cluster := _cluster(config, context, overrides)) != Cluster():
        problems += cluster_problems(context.cluster, cluster)
    if problems:
        raise InvalidConfig(list(dict.fromkeys(problems)))


def _context(config: Kubeconfig, overrides: Overrides) -> Context:
    name = overrides.context_name or config.current_context
    if overrides.context_name and name not in config.contexts:
        raise ConfigError(f'context "{name}" does not exist', mistyped=(name, sorted(config.contexts)))
    return merged(config.contexts.get(name, Context()), overrides.context)


def _cluster(config: Kubeconfig, context: Context, overrides: Overrides) -> Cluster:
    found = _entry(config.clusters, context.cluster, "cluster", required=bool(overrides.context.cluster))
    given = overrides.cluster
    cluster = merged(merged(overrides.cluster_defaults, found or Cluster()), given)
    if given.insecure_skip_tls_verify or given.certificate_authority or given.certificate_authority_data:
        # The three are one decision: half of the file's would contradict the caller's.
        cluster = replace(
            cluster,
            insecure_skip_tls_verify=given.insecure_skip_tls_verify,
            certificate_authority=given.certificate_authority,
            certificate_authority_data=given.certificate_authority_data,
        )
    if given.tls_server_name or given.server:
        cluster = replace(cluster, tls_server_name=given.tls_server_name)
    return cluster


def _user(config: Kubeconfig, context: Context, overrides: Overrides) -> User:
    found = _entry(config.users, context.user, "auth info", required=bool(overrides.context.user))
    given = overrides.user
    user = merged(found or User(), given)
    if given.client_key or given.client_key_data:
        user = replace(user, client_key=given.client_key, client_key_data=given.client_key_data)
    if given.client_certificate or given.client_certificate_data:
        user = replace(
            user,
            client_certificate=given.client_certificate,
            client_certificate_data=given.client_certificate_data,
        )
    return user


def _entry(entries: Mapping[str, _Entry], name: str, what: str, *, required: bool) -> _Entry | None:
    if required and name not in entries:
        raise ConfigError(f'{what} "{name}" does not exist', mistyped=(name, sorted(entries)))
    return entries.get(name)


def _missing_context(config: Kubeconfig, overrides: Overrides) -> str:
    name = overrides.context_name or config.current_context
    return name if name not in config.contexts else ""


def _check(context: Context, cluster: Cluster, user: User, *, missing: str) -> None:
    problems = [f"context was not found for specified context: {missing}"] if missing else []
    problems += user_problems(context.user, user)
    if cluster == Cluster() and not problems:
        raise EmptyConfig(f"invalid configuration: {NO_CONFIGURATION}")
    problems += (
        ["cluster has no server defined"] if cluster == Cluster() else cluster_problems(context.cluster, cluster)
    )
    if problems:
        raise InvalidConfig(list(dict.fromkeys(problems)))


def _without_query(server: str) -> str:
    if server_url(server) is not None:
        return server.rstrip("/")
    parts = split(server)
    return parts._replace(query="", fragment="").geturl().rstrip("/")


def _impersonation(user: User) -> Impersonation | None:
    if not user.impersonate:
        return None
    return Impersonation(user.impersonate, user.impersonate_uid, user.impersonate_groups, user.impersonate_extra)


def _with_secrets(found: ClientConfig, cluster: Cluster, user: User) -> ClientConfig:
    if user.auth_provider is not None:
        user = replace(user, token=token_of(user.auth_provider))
    return replace(
        found,
        certificate_authority=cluster.certificate_authority,
        certificate_authority_data=cluster.certificate_authority_data,
        insecure_skip_tls_verify=cluster.insecure_skip_tls_verify,
        tls_server_name=cluster.tls_server_name,
        client_certificate=user.client_certificate,
        client_certificate_data=user.client_certificate_data,
        client_key=user.client_key,
        client_key_data=user.client_key_data,
        token=user.token,
        token_file=user.token_file,
        username=user.username,
        password=user.password,
        exec=user.exec,
        exec_cluster=None if user.exec is None else ExecClusterInfo(_cluster_info(cluster)),
    )


def _cluster_info(cluster: Cluster) -> dict[str, Any]:
    info: dict[str, Any] = {"server": cluster.server}
    if cluster.tls_server_name:
        info["tls-server-name"] = cluster.tls_server_name
    if cluster.insecure_skip_tls_verify:
        info["insecure-skip-tls-verify"] = True
    if cluster.certificate_authority_data:
        info["certificate-authority-data"] = base64.b64encode(cluster.certificate_authority_data).decode()
    if cluster.proxy_url:
        info["proxy-url"] = cluster.proxy_url
    if cluster.disable_compression:
        info["disable-compression"] = True
    info["config"] = cluster.extensions.get(_EXEC_EXTENSION)
    return info


# The configuration that a pod finds in itself.

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


# `auth-provider`, which came before credential plugins: what is left of it.
#
# Of OpenID Connect an id-token that is still good is used; fetching a new one is for a credential plugin. The providers
# of clouds are gone from Kubernetes, too. Kubernetes: client-go/plugin/pkg/client/auth.

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
