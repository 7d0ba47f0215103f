"""What is wrong with a configuration, in Kubernetes' words. Kubernetes: client-go/tools/clientcmd/validation.go."""

from __future__ import annotations

from localplane.apimachinery.golang.text import go_quote
from localplane.client.urls import split

from .model import Cluster, ExecConfig, User

NO_CONFIGURATION = "no configuration has been provided, try setting KUBERNETES_MASTER environment variable"
_MODES = ("Never", "IfAvailable", "Always")


def cluster_problems(name: str, cluster: Cluster) -> list[str]:
    problems = []
    if not cluster.server:
        problems.append(
            f"no server found for cluster {go_quote(name)}" if name else "default cluster has no server defined"
        )
    if cluster.proxy_url and (why := _proxy_problem(cluster.proxy_url)):
        problems.append(f"invalid 'proxy-url' {go_quote(cluster.proxy_url)} for cluster {go_quote(name)}: {why}")
    if cluster.certificate_authority and cluster.certificate_authority_data:
        problems.append(
            f"certificate-authority-data and certificate-authority are both specified for {name}. "
            "certificate-authority-data will override."
        )
    return problems + _unreadable("certificate-authority", cluster.certificate_authority, name)


def _proxy_problem(text: str) -> str:
    """Empty for a proxy that Kubernetes would take."""
    try:
        scheme = split(text).scheme
    except ValueError as error:
        return str(error)
    if scheme in ("http", "https", "socks5"):
        return ""
    if not scheme and ":" in text.partition("/")[0]:
        return f"could not parse: {text}"
    return f"unsupported scheme {go_quote(scheme)}, must be http, https, or socks5"


def user_problems(name: str, user: User) -> list[str]:
    methods = ["token"] if user.token else []
    if user.username or user.password:
        methods.append("basicAuth")
    problems = _certificate_problems(name, user)
    if user.exec is not None:
        problems += _exec_problems(name, user, user.exec)
    if len(methods) > 1:
        listed = " ".join(methods)
        problems.append(f"more than one authentication method found for {name}; found [{listed}], only one is allowed")
    extra = user.impersonate_uid or user.impersonate_groups or user.impersonate_extra
    if extra and not user.impersonate:
        problems.append(f"requesting uid, groups or user-extra for {name} without impersonating a user")
    return problems


def _certificate_problems(name: str, user: User) -> list[str]:
    if not (user.client_certificate or user.client_certificate_data):
        return []
    problems = []
    if user.client_certificate and user.client_certificate_data:
        problems.append(
            f"client-cert-data and client-cert are both specified for {name}. client-cert-data will override."
        )
    if user.client_key and user.client_key_data:
        problems.append(f"client-key-data and client-key are both specified for {name}; client-key-data will override")
    if not (user.client_key or user.client_key_data):
        problems.append(
            f"client-key-data or client-key must be specified for {name} to use the clientCert authentication method."
        )
    problems += _unreadable("client-cert", user.client_certificate, name)
    return problems + _unreadable("client-key", user.client_key, name)


def _exec_problems(name: str, user: User, plugin: ExecConfig) -> list[str]:
    purpose = f"must be specified for {name} to use exec authentication plugin"
    problems = []
    if user.auth_provider is not None:
        problems.append(f"authProvider cannot be provided in combination with an exec plugin for {name}")
    if not plugin.command:
        problems.append(f"command {purpose}")
    if not plugin.api_version:
        problems.append(f"apiVersion {purpose}")
    problems += [f"env variable name {purpose}" for variable in plugin.env if not variable.name]
    if not plugin.interactive_mode:
        problems.append(f"interactiveMode {purpose}")
    elif plugin.interactive_mode not in _MODES:
        problems.append(f"invalid interactiveMode for {name}: {go_quote(plugin.interactive_mode)}")
    return problems


def _unreadable(what: str, path: str, name: str) -> list[str]:
    if not path:
        return []
    try:
        with open(path, "rb"):
            return []
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return [f"unable to read {what} {path} for {name} due to open {path}: {why}"]
