"""From --enable-admission-plugins and --disable-admission-plugins to plugins in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from localplane.apiserver.admission import Plugin

from .always import AlwaysAdmit, AlwaysDeny
from .certificates import CertificateApproval, CertificateSigning, CertificateSubjectRestriction
from .claim_resize import PersistentVolumeClaimResize
from .default_classes import DefaultIngressClass, DefaultStorageClass
from .external_ips import DenyServiceExternalIPs
from .namespaces import NamespaceAutoProvision, NamespaceExists, NamespaceLifecycle
from .nodes.node_restriction import NodeRestriction
from .nodes.node_taint import TaintNodesByCondition
from .owner_references import OwnerReferencesPermissionEnforcement
from .pod_security import PodSecurity
from .pods.always_pull_images import AlwaysPullImages
from .pods.anti_affinity import LimitPodHardAntiAffinityTopology
from .pods.default_toleration_seconds import DefaultTolerationSeconds
from .pods.extended_resource_toleration import ExtendedResourceToleration
from .pods.limit_ranger import LimitRanger
from .pods.pod_node_selector import PodNodeSelector
from .pods.pod_resize import PodResizeValidator
from .pods.pod_toleration_restriction import PodTolerationRestriction
from .pods.pod_topology_labels import PodTopologyLabels
from .pods.priority import Priority
from .pods.runtime_class import RuntimeClass
from .pods.service_account import ServiceAccount
from .policies import MutatingAdmissionPolicy, ValidatingAdmissionPolicy
from .resource_quota import ResourceQuota
from .storage_protection import StorageObjectInUseProtection
from .webhooks import MutatingAdmissionWebhook, ValidatingAdmissionWebhook

PLUGINS: Final[tuple[Callable[[], Plugin], ...]] = (
    AlwaysAdmit,
    NamespaceAutoProvision,
    NamespaceLifecycle,
    NamespaceExists,
    LimitPodHardAntiAffinityTopology,
    LimitRanger,
    ServiceAccount,
    NodeRestriction,
    TaintNodesByCondition,
    AlwaysPullImages,
    PodSecurity,
    PodNodeSelector,
    Priority,
    DefaultTolerationSeconds,
    PodTolerationRestriction,
    ExtendedResourceToleration,
    DefaultStorageClass,
    StorageObjectInUseProtection,
    OwnerReferencesPermissionEnforcement,
    PersistentVolumeClaimResize,
    RuntimeClass,
    CertificateApproval,
    CertificateSigning,
    CertificateSubjectRestriction,
    DefaultIngressClass,
    DenyServiceExternalIPs,
    PodTopologyLabels,
    PodResizeValidator,
    MutatingAdmissionPolicy,
    MutatingAdmissionWebhook,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionWebhook,
    ResourceQuota,
    AlwaysDeny,
)
"""In the order in which they are asked. Kubernetes: AllOrderedPlugins."""

_OFF: Final = frozenset(
    {
        "AlwaysAdmit",
        "AlwaysDeny",
        "AlwaysPullImages",
        "DenyServiceExternalIPs",
        "ExtendedResourceToleration",
        "LimitPodHardAntiAffinityTopology",
        "NamespaceAutoProvision",
        "NamespaceExists",
        "OwnerReferencesPermissionEnforcement",
        "PodNodeSelector",
        "PodTolerationRestriction",
    }
)
"""Those that must be asked for. Kubernetes: DefaultOffAdmissionPlugins, without NodeRestriction, which is on in every
cluster that kubeadm makes: it goes with the Node authorizer."""

_NOT_HERE: Final = frozenset(
    {
        "ClusterTrustBundleAttest",
        "EventRateLimit",
        "ImagePolicyWebhook",
        "NodeDeclaredFeatureValidator",
        "PodGroupProtection",
    }
)
"""Kubernetes' own that this server does not have. Whoever copies its flags may disable them, which is true anyway;
enabling one would promise what nobody does."""


class UnknownPlugin(ValueError):
    pass


def plugin_names() -> tuple[str, ...]:
    return tuple(plugin().name for plugin in PLUGINS)


def select_plugins(*, enabled: Sequence[str] = (), disabled: Sequence[str] = ()) -> list[Plugin]:
    """Those that are on by default, more and less. What is both enabled and disabled is a contradiction."""
    made = [plugin() for plugin in PLUGINS]
    known = {plugin.name for plugin in made}
    for name in (*enabled, *disabled):
        if name not in known | _NOT_HERE:
            raise UnknownPlugin(f"there is no admission plugin {name!r}; those there are: {', '.join(sorted(known))}")
    for name in enabled:
        if name in _NOT_HERE:
            raise UnknownPlugin(f"the admission plugin {name} is not part of this server: it can't be enabled")
    both = sorted(set(enabled) & set(disabled))
    if both:
        raise ValueError(f"{', '.join(both)} in enable-admission-plugins and disable-admission-plugins overlapped")
    on = (known - _OFF | set(enabled)) - set(disabled)
    return [plugin for plugin in made if plugin.name in on]
