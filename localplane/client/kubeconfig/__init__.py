"""Kubeconfig files: read, merged as kubectl merges them, checked, and resolved into what a transport needs.

    config = load()                                   $KUBECONFIG or ~/.kube/config
    client_config = resolve(config, Overrides(context_name="staging"))


    model           what a kubeconfig says, and ClientConfig
    loader          which files, and how they are merged
    decoder         from a file's text to the model
    plain           the YAML that most files are written in, without a library
    fields          the fields by their names in the file, and what they must be
    client_config   one context as a ClientConfig; the configuration that a pod finds
    validation      what is wrong with an entry
    edits           changes to the files

The command line and library users call it. Only `edits` writes a file, and nobody imports it but who edits; nothing
here opens a connection or imports HTTP.
Kubernetes: client-go/tools/clientcmd.
"""

from .client_config import (
    DEFAULT_CLUSTER,
    Namespace,
    Overrides,
    in_cluster_config,
    in_cluster_namespace,
    is_in_cluster,
    namespace,
    resolve,
)
from .loader import default_paths, load, load_file
from .model import (
    ClientConfig,
    Cluster,
    Context,
    ExecClusterInfo,
    ExecConfig,
    Impersonation,
    Kubeconfig,
    PluginPolicy,
    User,
)

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
    "PluginPolicy",
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
