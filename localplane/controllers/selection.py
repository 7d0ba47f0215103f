"""Which controllers there are, and which of them somebody wants: the --controllers flag.

`*` is all of them, `name` one more, `-name` one less, and what is said first about a name counts. `none` is ours: no
controller at all. Kubernetes: controller-manager/app, IsControllerEnabled, and controller-manager/options/generic.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from localplane.apimachinery.golang.text import go_quote
from localplane.client import GroupVersionResource

from .context import ControllerSpec, Wake


def _wake(resource: str, *ignoring: str) -> Wake:
    """`group/version/resource`, or `version/resource` of the core group."""
    group_version, _, plural = resource.rpartition("/")
    group, _, version = group_version.rpartition("/")
    return Wake(GroupVersionResource(group, version, plural), frozenset(ignoring))


_NODES: Final = _wake("v1/nodes")
_PODS: Final = _wake("v1/pods")
_CLAIMS: Final = _wake("v1/persistentvolumeclaims")
_VOLUMES: Final = _wake("v1/persistentvolumes")
_SERVICES: Final = _wake("v1/services", "default/kubernetes")
_ENDPOINTS: Final = _wake("v1/endpoints", "default/kubernetes")
_SIGNING_REQUESTS: Final = _wake("certificates.k8s.io/v1/certificatesigningrequests")

CONTROLLERS: Final = (
    ControllerSpec("serviceaccount-token-controller", ("serviceaccount-token",), "identity.service_accounts.tokens"),
    ControllerSpec("endpoints-controller", ("endpoint",), "networking.endpoints", (_SERVICES, _ENDPOINTS)),
    ControllerSpec("endpointslice-controller", ("endpointslice",), "networking.endpoint_slices", (_SERVICES,)),
    ControllerSpec(
        "endpointslice-mirroring-controller",
        ("endpointslicemirroring",),
        "networking.endpoint_slice_mirroring",
        (_ENDPOINTS,),
    ),
    ControllerSpec(
        "replicationcontroller-controller",
        ("replicationcontroller",),
        "workloads.replication_controllers",
        (_wake("v1/replicationcontrollers"),),
    ),
    ControllerSpec("pod-garbage-collector-controller", ("podgc",), "objects.pod_garbage_collector", (_PODS,)),
    ControllerSpec("resourcequota-controller", ("resourcequota",), "objects.resource_quota"),
    ControllerSpec("namespace-controller", ("namespace",), "objects.namespace"),
    ControllerSpec("serviceaccount-controller", ("serviceaccount",), "identity.service_accounts.accounts"),
    ControllerSpec("garbage-collector-controller", ("garbagecollector",), "objects.garbage_collector"),
    ControllerSpec("daemonset-controller", ("daemonset",), "workloads.daemon_sets", (_wake("apps/v1/daemonsets"),)),
    # Pods of a job that is gone need it too: they can't go before it lets them.
    ControllerSpec("job-controller", ("job",), "workloads.jobs", (_wake("batch/v1/jobs"), _PODS)),
    ControllerSpec("deployment-controller", ("deployment",), "workloads.deployments", (_wake("apps/v1/deployments"),)),
    ControllerSpec("replicaset-controller", ("replicaset",), "workloads.replica_sets", (_wake("apps/v1/replicasets"),)),
    ControllerSpec(
        "horizontal-pod-autoscaler-controller",
        ("horizontalpodautoscaling",),
        "workloads.horizontal_pod_autoscalers",
        (_wake("autoscaling/v2/horizontalpodautoscalers"),),
    ),
    ControllerSpec(
        "disruption-controller", ("disruption",), "workloads.disruption", (_wake("policy/v1/poddisruptionbudgets"),)
    ),
    ControllerSpec(
        "statefulset-controller", ("statefulset",), "workloads.stateful_sets", (_wake("apps/v1/statefulsets"),)
    ),
    ControllerSpec("cronjob-controller", ("cronjob",), "workloads.cron_jobs", (_wake("batch/v1/cronjobs"),)),
    ControllerSpec(
        "certificatesigningrequest-signing-controller",
        ("csrsigning",),
        "identity.certificates.signer",
        (_SIGNING_REQUESTS,),
    ),
    ControllerSpec(
        "certificatesigningrequest-approving-controller",
        ("csrapproving",),
        "identity.certificates.approver",
        (_SIGNING_REQUESTS,),
    ),
    ControllerSpec(
        "certificatesigningrequest-cleaner-controller",
        ("csrcleaner",),
        "identity.certificates.cleaner",
        (_SIGNING_REQUESTS,),
    ),
    ControllerSpec(
        "podcertificaterequest-cleaner-controller",
        (),
        "identity.certificates.pod_requests",
        (_wake("certificates.k8s.io/v1/podcertificaterequests"),),
    ),
    ControllerSpec("ttl-controller", ("ttl",), "nodes.node_ttl", (_NODES,)),
    ControllerSpec("node-ipam-controller", ("nodeipam",), "nodes.node_ipam", (_NODES,)),
    ControllerSpec("node-lifecycle-controller", ("nodelifecycle",), "nodes.node_lifecycle", (_NODES,)),
    ControllerSpec("taint-eviction-controller", (), "nodes.taint_eviction", (_PODS,)),
    ControllerSpec(
        "persistentvolume-binder-controller", ("persistentvolume-binder",), "volumes.binder", (_CLAIMS, _VOLUMES)
    ),
    ControllerSpec(
        "persistentvolume-expander-controller", ("persistentvolume-expander",), "volumes.expander", (_CLAIMS,)
    ),
    ControllerSpec(
        "clusterrole-aggregation-controller", ("clusterrole-aggregation",), "identity.cluster_role_aggregation"
    ),
    ControllerSpec(
        "persistentvolumeclaim-protection-controller", ("pvc-protection",), "volumes.claim_protection", (_CLAIMS,)
    ),
    ControllerSpec(
        "persistentvolume-protection-controller", ("pv-protection",), "volumes.volume_protection", (_VOLUMES,)
    ),
    ControllerSpec(
        "ttl-after-finished-controller",
        ("ttl-after-finished",),
        "workloads.ttl_after_finished",
        (_wake("batch/v1/jobs"),),
    ),
    ControllerSpec("root-ca-certificate-publisher-controller", ("root-ca-cert-publisher",), "identity.root_ca"),
    ControllerSpec(
        "kube-apiserver-serving-clustertrustbundle-publisher-controller",
        (),
        "identity.certificates.trust_bundles",
        (_PODS,),
    ),
    ControllerSpec("ephemeral-volume-controller", ("ephemeral-volume",), "volumes.ephemeral", (_PODS,)),
    ControllerSpec(
        "resourceclaim-controller",
        ("resource-claim-controller",),
        "objects.resource_claims",
        (_PODS, _wake("resource.k8s.io/v1/resourceclaims")),
    ),
    ControllerSpec(
        "legacy-serviceaccount-token-cleaner-controller",
        ("legacy-service-account-token-cleaner",),
        "identity.service_accounts.legacy_tokens",
    ),
    ControllerSpec(
        "validatingadmissionpolicy-status-controller",
        (),
        "objects.validating_admission_policy_status",
        (_wake("admissionregistration.k8s.io/v1/validatingadmissionpolicies"),),
    ),
    ControllerSpec(
        "volumeattributesclass-protection-controller",
        (),
        "volumes.attributes_class_protection",
        (_wake("storage.k8s.io/v1/volumeattributesclasses"),),
    ),
    ControllerSpec(
        "service-cidr-controller",
        (),
        "networking.service_cidrs",
        (_wake("networking.k8s.io/v1/servicecidrs", "kubernetes"), _SERVICES),
    ),
    ControllerSpec(
        "service-lb-controller", ("service",), "networking.service_load_balancers", (_SERVICES,), by_default=False
    ),
)
"""In the order of cmd/kube-controller-manager; the last is cloud-controller-manager's."""

NONE: Final = "none"


class UnknownController(ValueError):
    """Says all that were unknown, in Kubernetes' words, and those that are known."""

    def __init__(self, unknown: Sequence[str], known: Sequence[str]) -> None:
        said = ", ".join(f"{go_quote(name)} is not in the list of known controllers" for name in unknown)
        super().__init__(f"{said}; known are: {', '.join(known)}")
        self.unknown = tuple(unknown)
        self.known = tuple(known)


def select(patterns: Sequence[str]) -> tuple[ControllerSpec, ...]:
    """Raises UnknownController. No patterns, no controllers."""
    names = {alias: spec.name for spec in CONTROLLERS for alias in (spec.name, *spec.aliases)}
    wanted = [pattern for pattern in patterns if pattern not in ("*", NONE)]
    if unknown := [name for pattern in wanted if (name := pattern.removeprefix("-")) not in names]:
        raise UnknownController(unknown, [spec.name for spec in CONTROLLERS])
    if NONE in patterns:
        return ()
    said: dict[str, bool] = {}
    for pattern in wanted:
        said.setdefault(names[pattern.removeprefix("-")], not pattern.startswith("-"))
    return tuple(spec for spec in CONTROLLERS if said.get(spec.name, "*" in patterns and spec.by_default))
