"""The admission plugins of kube-apiserver, one file each, and which of them are on.

    plugin, selection    what a plugin is; all of them, in order
    pods/, nodes/        those that look at pods and at nodes
    pod_security/, resource_quota/   larger ones
    webhooks/, policies/, matching/  what others decide: by HTTP, by expressions; whom they want to see
    namespaces, default_classes, claim_resize, storage_protection, external_ips, certificates, owner_references, always
                         the others

`PLUGINS` is their order, which matters: what one fills in, the next one sees. `select_plugins` reads the two flags:
plugins of Kubernetes' that are not here may be disabled, but not enabled. They ask for other objects through the Lookup
that they are initialised with: the first one asked about a creation waits for what was written, the others don't.
Kubernetes: pkg/kubeapiserver/options/plugins.go, plugin/pkg/admission.
"""

from .selection import UnknownPlugin, plugin_names, select_plugins

__all__ = ["UnknownPlugin", "plugin_names", "select_plugins"]
