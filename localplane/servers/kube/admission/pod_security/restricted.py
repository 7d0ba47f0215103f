"""What the restricted level forbids beyond the baseline. Kubernetes: pod-security-admission/policy, check_*.go."""

from __future__ import annotations

from typing import Final

from localplane.servers.kube.admission.pods.pod_references import containers

from .baseline import seccomp
from .violations import Check, JSONObject, Violation, counted, named, names_of, quoted, security_context, setters

_ALLOWED_VOLUMES: Final = frozenset(
    {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
)
_OTHER_VOLUMES: Final = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
)


def unless_windows(check: Check) -> Check:
    """For what has no meaning there."""
    return lambda metadata, pod: None if (pod.get("os") or {}).get("name") == "windows" else check(metadata, pod)


def privilege_escalation(_: JSONObject, pod: JSONObject) -> Violation | None:
    bad = names_of(pod, lambda each: security_context(each).get("allowPrivilegeEscalation") is not False)
    if not bad:
        return None
    detail = f"{named(bad)} must set securityContext.allowPrivilegeEscalation=false"
    return Violation("allowPrivilegeEscalation != false", detail)


def dropped_capabilities(_: JSONObject, pod: JSONObject) -> Violation | None:
    keeping = names_of(pod, lambda each: "ALL" not in (_capabilities(each).get("drop") or ()))
    adding: list[str] = []
    added: set[str] = set()
    for container in containers(pod):
        beyond = set(_capabilities(container).get("add") or ()) - {"NET_BIND_SERVICE"}
        if beyond:
            adding.append(container.get("name", ""))
            added |= beyond
    told = []
    if keeping:
        told.append(f'{named(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        told.append(f"{named(adding)} must not include {quoted(sorted(added))} in securityContext.capabilities.add")
    return Violation("unrestricted capabilities", "; ".join(told)) if told else None


def _capabilities(container: JSONObject) -> JSONObject:
    return security_context(container).get("capabilities") or {}


def volumes(_: JSONObject, pod: JSONObject) -> Violation | None:
    bad = [volume for volume in pod.get("volumes") or () if not _ALLOWED_VOLUMES & volume.keys()]
    if not bad:
        return None
    names = [volume.get("name", "") for volume in bad]
    kinds = sorted({next((kind for kind in _OTHER_VOLUMES if kind in volume), "unknown") for volume in bad})
    use = counted("uses", names, plural="use")
    detail = f"{named(names, word='volume')} {use} {counted('restricted volume type', kinds)} {quoted(kinds)}"
    return Violation("restricted volume types", detail)


def non_root(_: JSONObject, pod: JSONObject) -> Violation | None:
    reason = "runAsNonRoot != true"
    found = setters(pod, lambda context: ["false"] if context.get("runAsNonRoot") is False else [])
    if found.names:
        return Violation(reason, f"{found} must not set securityContext.runAsNonRoot=false")
    if security_context(pod).get("runAsNonRoot"):
        return None
    silent = names_of(pod, lambda each: "runAsNonRoot" not in security_context(each))
    if not silent:
        return None
    return Violation(reason, f"pod or {named(silent)} must set securityContext.runAsNonRoot=true")


def user_not_root(_: JSONObject, pod: JSONObject) -> Violation | None:
    found = setters(pod, lambda context: ["0"] if context.get("runAsUser") == 0 else [])
    return Violation("runAsUser=0", f"{found} must not set runAsUser=0") if found.names else None


def seccomp_set(metadata: JSONObject, pod: JSONObject) -> Violation | None:
    """Not only no bad one: there must be one."""
    bad = seccomp(metadata, pod)
    if bad is not None or "seccompProfile" in security_context(pod):
        return bad
    silent = names_of(pod, lambda each: "seccompProfile" not in security_context(each))
    if not silent:
        return None
    wanted = 'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return Violation("seccompProfile", f"pod or {named(silent)} must set {wanted}")
