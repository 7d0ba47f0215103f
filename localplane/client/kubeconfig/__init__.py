"""Kubeconfig files: read, merged as kubectl merges them, checked, and resolved into what a transport needs.

    config = load()                                   $KUBECONFIG or ~/.kube/config
    client_config = resolve(config, Overrides(context_name="staging"))

The command line and library users call it. Only `editing` writes a file, and nobody imports it but who edits; nothing
here opens a connection or imports HTTP.
Kubernetes: client-go/tools/clientcmd.
"""

from .connection import ClientConfig, ExecClusterInfo, Impersonation
from .in_cluster import in_cluster_config, in_cluster_namespace, is_in_cluster
from .loading import default_paths, load, load_file
from .model import Cluster, Context, ExecConfig, Kubeconfig, User
from .resolving import DEFAULT_CLUSTER, Namespace, Overrides, namespace, resolve

__all__ = [
    "DEFAULT_CLUSTER",
    "ClientConfig",
    "Cluster",
    "Context",
    "ExecClusterInfo",
    "ExecConfig",
    "Impersonation",
    "Kubeconfig",
    "Namespace",
    "Overrides",
    "User",
    "default_paths",
    "in_cluster_config",
    "in_cluster_namespace",
    "is_in_cluster",
    "load",
    "load_file",
    "namespace",
    "resolve",
]
