"""A pod spec from top to bottom, in the order in which Kubernetes goes through it; names and addresses included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    duplicate,
    forbidden,
    invalid,
    required,
    too_long,
)
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.objectmeta import validate_labels
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.addresses import legacy_ip_errors
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    Always,
    Between,
    Each,
    Fields,
    OneOf,
    Optional,
    Present,
    Required,
)

from .annotations import MIRROR
from .containers import (
    Surroundings,
    container_errors,
    ephemeral_container_errors,
    init_container_errors,
    placed_containers,
)
from .environment import file_volume_errors
from .names import invalid_each, label_errors, subdomain_errors, underscored_subdomain
from .resources import overhead_errors, pod_resource_errors
from .scheduling import (
    AFFINITY,
    READINESS_GATES,
    SCHEDULING_GATES,
    preemption_policy_errors,
    spread_errors,
    toleration_errors,
)
from .security import host_process_errors, os_errors, pod_security_context_errors
from .volumes import check_volumes

_SERVERS_MAX, _SEARCHES_MAX, _SEARCH_CHARACTERS_MAX = 3, 32, 2048
_HOSTNAME_MAX = 64


def dns_config_errors(config: JSONObject | None, policy: str, path: Path) -> Iterator[FieldError]:
    """With the policy `None` everything comes from here."""
    if policy == "None":
        if config is None:
            yield required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield required(path / "nameservers", detail)
            return
    if config is None:
        return
    servers = config.get("nameservers") or []
    if len(servers) > _SERVERS_MAX:
        yield invalid(path / "nameservers", servers, f"must not have more than {_SERVERS_MAX} nameservers")
    for index, server in enumerate(servers):
        yield from legacy_ip_errors(server, (path / "nameservers")[index])
    yield from _search_errors(config.get("searches") or [], path / "searches")
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield required((path / "options")[index], "must not be empty")


def _search_errors(searches: list[str], path: Path) -> Iterator[FieldError]:
    if len(searches) > _SEARCHES_MAX:
        yield invalid(path, searches, f"must not have more than {_SEARCHES_MAX} search paths")
    if size(" ".join(searches)) > _SEARCH_CHARACTERS_MAX:
        bound = f"must not have more than {_SEARCH_CHARACTERS_MAX} characters (including spaces) in the search list"
        yield invalid(path, searches, bound)
    for index, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            yield from invalid_each(path[index], domain, underscored_subdomain(domain))


def host_network_errors(spec: JSONObject, path: Path, *, is_pod: bool) -> Iterator[FieldError]:
    """On the host's network a container's port is the host's. A template may leave the host's out."""
    if not spec.get("hostNetwork"):
        return
    for index, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            outer, inner = port.get("hostPort", 0), port.get("containerPort", 0)
            if (is_pod or outer) and outer != inner:
                place = ((path / "containers")[index] / "ports")[number] / "hostPort"
                yield invalid(place, outer, "must match `containerPort` when `hostNetwork` is true")


def host_user_errors(
    spec: JSONObject, containers: Sequence[tuple[Path, JSONObject]], path: Path
) -> Iterator[FieldError]:
    """A user namespace of its own goes with no other namespace of the host."""
    if spec.get("hostUsers") is not False:
        return
    for field, called in {"hostNetwork": "hostNetwork", "hostPID": "HostPID", "hostIPC": "HostIPC"}.items():
        if spec.get(field):
            yield forbidden(path / called, "when `hostUsers` is false")
    for place, container in containers:
        if container.get("volumeDevices"):
            yield forbidden(place / "volumeDevices", "when `hostUsers` is false")


def hostname_override_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    name, place = spec.get("hostnameOverride"), path / "hostnameOverride"
    if name is None:
        return
    if spec.get("setHostnameAsFQDN"):
        yield forbidden(place, "may not be specified when setHostnameAsFQDN is true")
    if spec.get("hostNetwork"):
        yield forbidden(place, "may not be specified when hostNetwork is true")
    if size(name) > _HOSTNAME_MAX:
        yield too_long(place, _HOSTNAME_MAX)
    yield from subdomain_errors(name, place)


def pod_spec_errors(
    spec: JSONObject, metadata: JSONObject | None, path: Path, *, is_pod: bool | None = None
) -> Iterator[FieldError]:
    """`metadata` is the pod's; a template has none, because its pods get other names.

    `is_pod` is whether the spec is a pod's own, and follows from the metadata when it is not said.
    Kubernetes: ValidatePodSpec.
    """
    yield from _GRACE(spec, path)
    yield from _content_errors(spec, metadata, path)
    in_pod = metadata is not None if is_pod is None else is_pod
    yield from host_network_errors(spec, path, is_pod=in_pod)
    yield from _POLICIES(spec, path)
    yield from _placement_errors(spec, path)
    yield from _name_errors(spec, path)
    yield from _limit_errors(spec, path)


def _content_errors(spec: JSONObject, metadata: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """Volumes, claims and containers."""
    checked = check_volumes(spec.get("volumes") or (), (metadata or {}).get("name", ""), path / "volumes")
    yield from checked.errors
    claims = spec.get("resourceClaims") or ()
    yield from _claim_errors(claims, metadata or {}, path / "resourceClaims")
    pod = Surroundings(
        volumes=checked.good,
        claims=frozenset(each["name"] for each in claims if each.get("name")),
        grace=spec.get("terminationGracePeriodSeconds"),
        restart_policy=spec.get("restartPolicy", ""),
        host_users=spec.get("hostUsers") is not False,
    )
    regular, init = spec.get("containers") or (), spec.get("initContainers") or ()
    yield from container_errors(regular, pod, path / "containers")
    yield from init_container_errors(init, regular, pod, path / "initContainers")
    yield from ephemeral_container_errors(spec, pod, path / "ephemeralContainers")
    yield from pod_resource_errors(spec, pod.claims, path / "resources")


def _claim_errors(claims: Sequence[JSONObject], metadata: JSONObject, path: Path) -> Iterator[FieldError]:
    is_static = MIRROR in (metadata.get("annotations") or {})
    names: set[str] = set()
    for index, claim in enumerate(claims):
        if is_static:
            yield forbidden("", "static pods do not support resource claims")
            continue
        place, name = path[index], claim.get("name", "")
        if not name:
            yield required(place / "name")
        elif name in names:
            yield duplicate(place / "name", name)
        else:
            yield from label_errors(name, place / "name")
        names.add(name)
        yield from _claim_source_errors(claim, place)


def _claim_source_errors(claim: JSONObject, path: Path) -> Iterator[FieldError]:
    fields = ("resourceClaimName", "resourceClaimTemplateName")
    given = {field: claim[field] for field in fields if claim.get(field) is not None}
    if len(given) > 1:
        detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        yield invalid(path, internal_form(claim, "core.PodResourceClaim"), detail)
    if not given:
        detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        yield invalid(path, internal_form(claim, "core.PodResourceClaim"), detail)
    for field, name in given.items():
        yield from invalid_each(path / field, name, dns1123_subdomain(name))


def _placement_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """From the DNS policy to the namespaces of the host."""
    containers = placed_containers(spec, path)
    yield from pod_security_context_errors(spec, path / "securityContext")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid(path / "shareProcessNamespace", spec["shareProcessNamespace"], detail)
    yield from _AFFINITY(spec, path)
    yield from dns_config_errors(spec.get("dnsConfig"), spec.get("dnsPolicy", ""), path / "dnsConfig")
    yield from _PLACEMENT(spec, path)
    yield from host_process_errors(spec, containers, path)
    yield from host_user_errors(spec, containers, path)
    yield from hostname_override_errors(spec, path)


def _name_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Names of other objects, and of the pod in its network."""
    account, old_account = spec.get("serviceAccountName", ""), spec.get("serviceAccount", "")
    yield from _ACCOUNT(spec, path)
    if old_account != account:
        detail = f"must be the same as serviceAccountName: {go_quote(account)}"
        yield invalid(path / "deprecatedServiceAccount", old_account, detail)
    yield from _NAMES(spec, path)


def _limit_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Tolerations, priorities, overhead, and what the operating system allows."""
    yield from _LIMITS(spec, path)
    containers = placed_containers(spec, path)
    yield from os_errors(spec, containers, path)
    yield from file_volume_errors(containers, spec.get("volumes") or ())


_GRACE = Fields(terminationGracePeriodSeconds=Present())
_POLICIES = Fields(
    restartPolicy=Required(OneOf("Always", "OnFailure", "Never")),
    dnsPolicy=Required(OneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")),
    nodeSelector=validate_labels,
)
_AFFINITY = Fields(affinity=AFFINITY)
_PLACEMENT = Fields(
    readinessGates=READINESS_GATES, schedulingGates=SCHEDULING_GATES, topologySpreadConstraints=spread_errors
)
_ACCOUNT = Fields(serviceAccountName=Optional(DNS_SUBDOMAIN))
_NAMES = Fields(
    nodeName=Optional(DNS_SUBDOMAIN),
    activeDeadlineSeconds=Between(1, 2**31 - 1),
    hostname=Optional(DNS_LABEL),
    subdomain=Optional(DNS_LABEL),
)
_LIMITS = Fields(
    tolerations=toleration_errors,
    hostAliases=Each(Fields(ip=Always(legacy_ip_errors), hostnames=Each(DNS_SUBDOMAIN))),
    priorityClassName=Optional(DNS_SUBDOMAIN),
    runtimeClassName=DNS_SUBDOMAIN,
    preemptionPolicy=preemption_policy_errors,
    overhead=Optional(overhead_errors),
)
