"""PodSecurity: what the levels forbid, and what labels mean."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import Forbidden, Invalid
from localplane.servers.kube.admission.pod_security import PodSecurity
from localplane.servers.kube.admission.pod_security.checks import violations
from localplane.servers.kube.admission.pod_security.levels import LevelVersion, policy_of
from tests.unit.servers.kube.admission.asking import admitted, asked, named, pod

LABEL = "pod-security.kubernetes.io/"
SAFE: dict[str, Any] = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def told(level: str, *, minor: int | None = None, annotations: dict[str, str] | None = None, **spec: Any) -> str:
    spec.setdefault("containers", [{"name": "c"}])
    found = violations(LevelVersion(level, minor), {"annotations": annotations or {}}, spec)
    return ", ".join(map(str, found))


def container(name: str = "c", **context: Any) -> dict[str, Any]:
    return {"name": name, "securityContext": context}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, ""),
        ({"hostNetwork": True, "hostIPC": True}, "host namespaces (hostNetwork=true, hostIPC=true)"),
        ({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, 'hostPath volumes (volume "v")'),
        (
            {"containers": [container("a", privileged=True), container("b", privileged=True)]},
            'privileged (containers "a", "b" must not set securityContext.privileged=true)',
        ),
        (
            {"containers": [container(capabilities={"add": ["NET_ADMIN", "CHOWN"]})]},
            'non-default capabilities (container "c" must not include "NET_ADMIN" in securityContext.capabilities.add)',
        ),
        (
            {"initContainers": [{"name": "i", "ports": [{"hostPort": 80}, {"hostPort": 8080}]}]},
            'hostPort (container "i" uses hostPorts 80, 8080)',
        ),
        (
            {"containers": [{"name": "c", "livenessProbe": {"httpGet": {"host": "example.com"}}}]},
            'probe or lifecycle host (container "c" uses probe or lifecycle host "example.com")',
        ),
        (
            {"containers": [container(procMount="Unmasked")]},
            'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
        ),
        ({"containers": [container(procMount="Unmasked")], "hostUsers": False}, ""),
        (
            {"securityContext": {"seLinuxOptions": {"type": "spc_t", "user": "u"}}},
            'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
        ),
        (
            {"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
            'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
        ),
        (
            {"securityContext": {"sysctls": [{"name": "kernel.msgmax"}, {"name": "net.ipv4.tcp_rmem"}]}},
            "forbidden sysctls (kernel.msgmax)",
        ),
        (
            {
                "securityContext": {"windowsOptions": {"hostProcess": True}},
                "containers": [container(windowsOptions={"hostProcess": True})],
            },
            'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
        ),
        (
            {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}},
            'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
        ),
    ],
)
def test_the_baseline_forbids_what_reaches_beyond_the_pod(spec: dict[str, Any], message: str) -> None:
    assert told("baseline", **spec) == message
    assert told("privileged", **spec) == ""


def test_a_profile_in_an_annotation_counts_like_one_in_a_field() -> None:
    annotations = {"container.apparmor.security.beta.kubernetes.io/c": "unconfined"}
    assert told("baseline", annotations=annotations) == (
        "forbidden AppArmor profile (annotation must not set AppArmor profile type to "
        '"container.apparmor.security.beta.kubernetes.io/c="unconfined"")'
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"containers": [container(**SAFE)]}, ""),
        (
            {"containers": [container(**SAFE | {"capabilities": {"drop": ["ALL"], "add": ["SYS_TIME"]}})]},
            'unrestricted capabilities (container "c" must not include "SYS_TIME" in securityContext.capabilities.add)',
        ),
        (
            {"containers": [container(**SAFE | {"runAsUser": 0})], "securityContext": {"runAsUser": 0}},
            'runAsUser=0 (pod and container "c" must not set runAsUser=0)',
        ),
        (
            {"containers": [container(**SAFE | {"runAsNonRoot": False})]},
            'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
        ),
        (
            {"containers": [container(**SAFE)], "volumes": [{"name": "a", "nfs": {}}, {"name": "b", "emptyDir": {}}]},
            'restricted volume types (volume "a" uses restricted volume type "nfs")',
        ),
    ],
)
def test_the_restricted_level_wants_more(spec: dict[str, Any], message: str) -> None:
    assert told("restricted", **spec) == message


def test_a_pod_speaks_for_its_containers_where_it_may() -> None:
    own = {name: value for name, value in SAFE.items() if name in ("allowPrivilegeEscalation", "capabilities")}
    pod_context = {"runAsNonRoot": True, "seccompProfile": {"type": "Localhost"}}
    assert told("restricted", containers=[container(**own)], securityContext=pod_context) == ""


@pytest.mark.parametrize(
    ("minor", "message"),
    [
        (7, 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)'),
        (
            31,
            'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or',
        ),
    ],
)
def test_a_level_means_what_it_meant_in_its_version(minor: int, message: str) -> None:
    assert message in told("restricted", minor=minor)
    assert ("drop=" in told("restricted", minor=minor)) == (minor > 22)


def test_windows_pods_need_not_say_what_has_no_meaning_there() -> None:
    assert told("restricted", os={"name": "windows"}, securityContext={"runAsNonRoot": True}) == ""


@pytest.mark.parametrize(
    ("labels", "enforce", "warn"),
    [
        ({}, "privileged:latest", "privileged:latest"),
        ({"enforce": "baseline"}, "baseline:latest", "baseline:latest"),
        ({"enforce": "restricted", "enforce-version": "v1.25"}, "restricted:v1.25", "restricted:v1.25"),
        ({"enforce": "restricted", "warn": "privileged"}, "restricted:latest", "privileged:latest"),
        ({"enforce": "strict", "warn": "strict"}, "restricted:latest", "privileged:latest"),
    ],
)
def test_labels_say_what_is_enforced_and_what_is_warned_of(labels: dict[str, str], enforce: str, warn: str) -> None:
    policy = policy_of({f"{LABEL}{name}": value for name, value in labels.items()})
    assert (str(policy.enforce), str(policy.warn)) == (enforce, warn)


async def test_a_pod_that_violates_its_namespaces_level_is_refused() -> None:
    namespace = named("ns", metadata={"labels": {f"{LABEL}enforce": "baseline"}})
    with pytest.raises(Forbidden, match="violates PodSecurity"):
        await admitted(PodSecurity(), asked("pods", pod(hostPID=True)), namespaces=[namespace])


async def test_an_old_pod_may_change_anything_but_its_images() -> None:
    namespace = named("ns", metadata={"labels": {f"{LABEL}enforce": "baseline"}})
    old = pod(hostPID=True)
    labelled = pod(hostPID=True, metadata={"labels": {"a": "b"}})
    await admitted(PodSecurity(), asked("pods", labelled, old), namespaces=[namespace])
    other = pod(hostPID=True, containers=[{"name": "c", "image": "other"}])
    with pytest.raises(Forbidden):
        await admitted(PodSecurity(), asked("pods", other, old), namespaces=[namespace])


async def test_a_template_is_only_warned_of() -> None:
    namespace = named("ns", metadata={"labels": {f"{LABEL}enforce": "baseline"}})
    deployment = named("d", namespace="ns", spec={"template": pod(hostPID=True)})
    attributes = asked("deployments.apps", deployment)
    await admitted(PodSecurity(), attributes, namespaces=[namespace])
    assert attributes.warnings == ['would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)']


async def test_labels_that_mean_nothing_are_refused_but_not_held_against_old_ones() -> None:
    bad = named("ns", metadata={"labels": {f"{LABEL}enforce": "strict"}})
    with pytest.raises(Invalid, match="must be one of privileged, baseline, restricted"):
        await admitted(PodSecurity(), asked("namespaces", bad))
    await admitted(PodSecurity(), asked("namespaces", bad | {"spec": {}}, bad))


async def test_raising_a_level_warns_of_the_pods_that_are_there() -> None:
    old, new = named("ns"), named("ns", metadata={"labels": {f"{LABEL}enforce": "baseline"}})
    attributes = asked("namespaces", new, old)
    pods = [pod(f"p{number}", hostPID=True) for number in range(3)]
    await admitted(PodSecurity(), attributes, pods=pods)
    assert attributes.warnings == [
        'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
        "p0 (and 2 other pods): host namespaces",
    ]
