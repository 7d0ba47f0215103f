"""What goes with what: namespaces with their content, owners with their dependents."""

from __future__ import annotations

import json
import time

import pytest

from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.kubectl.reading import deleted
from tests.e2e.up.machine import until


def test_a_namespace_goes_with_all_that_is_in_it(kubectl: Kubectl) -> None:
    kubectl.ok("create", "deployment", "web", "--image=nginx")
    kubectl.ok("expose", "deployment", "web", "--port=80")
    kubectl.ok("run", "pod", "--image=nginx")
    kubectl.ok("create", "quota", "q", "--hard=secrets=100")
    for number in range(20):
        kubectl.ok("create", "configmap", f"c-{number}", "--from-literal=a=1")
    kubectl.ok("create", "secret", "generic", "s", "--from-literal=a=1")
    outcome = kubectl("delete", "namespace", kubectl.namespace)
    assert outcome.stdout == f'namespace "{kubectl.namespace}" deleted\n'
    gone = kubectl("get", "namespace", kubectl.namespace)
    assert gone.stderr == f'Error from server (NotFound): namespaces "{kubectl.namespace}" not found\n'
    left = "pods,deployments,services,configmaps,secrets,serviceaccounts,quota"
    assert kubectl("get", left).stderr == f"No resources found in {kubectl.namespace} namespace.\n"


def test_a_namespace_waits_for_finalizers_and_says_for_which(kubectl: Kubectl) -> None:
    kubectl.ok("create", "-f", "-", stdin=json.dumps(_config_map("held", finalizers=["example.com/hold"])))
    kubectl("delete", "namespace", kubectl.namespace, "--wait=false")
    where = ("get", "namespace", kubectl.namespace, "-o")
    remaining = '{.status.conditions[?(@.type=="NamespaceFinalizersRemaining")].message}'
    until(lambda: kubectl(*where, f"jsonpath={remaining}").stdout, within=60)
    assert kubectl.ok(*where, f"jsonpath={{.status.phase}} {remaining}") == (
        "Terminating Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    )
    refused = kubectl("create", "configmap", "late")
    assert refused.stderr == (
        'error: failed to create configmap: configmaps "late" is forbidden: unable to create new content in namespace '
        f"{kubectl.namespace} because it is being terminated\n"
    )
    kubectl.ok("patch", "configmap", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    assert kubectl("wait", f"namespace/{kubectl.namespace}", "--for=delete", "--timeout=15s").code == 0


@pytest.mark.parametrize("cascade", ["background", "foreground"])
def test_dependents_go_with_their_owner(kubectl: Kubectl, cascade: str) -> None:
    _family(kubectl)
    told = deleted(kubectl.ok("delete", "configmap", "owner", f"--cascade={cascade}"))
    assert told == 'configmap "owner" deleted\n'
    until(lambda: _names(kubectl) == set(), within=60)


def test_foreground_leaves_the_owner_until_its_dependents_are_gone(kubectl: Kubectl) -> None:
    _family(kubectl, finalizers=["example.com/hold"])
    kubectl.ok("delete", "configmap", "owner", "--cascade=foreground", "--wait=false")
    until(
        lambda: kubectl("get", "configmap", "child", "-o", "jsonpath={.metadata.deletionTimestamp}").stdout, within=60
    )
    finalizers = ("get", "configmap", "owner", "-o", "jsonpath={.metadata.finalizers}")
    assert kubectl.ok(*finalizers) == '["foregroundDeletion"]'
    kubectl.ok("patch", "configmap", "child", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    until(lambda: _names(kubectl) == set(), within=60)


def test_orphans_stay_and_forget_their_owner(kubectl: Kubectl) -> None:
    _family(kubectl)
    kubectl.ok("delete", "configmap", "owner", "--cascade=orphan")
    until(lambda: _names(kubectl) == {"child", "grandchild"}, within=60)
    assert kubectl.ok("get", "configmap", "child", "-o", "jsonpath={.metadata.ownerReferences}") == ""
    kept = kubectl("get", "configmap", "grandchild", "-o", "jsonpath={.metadata.ownerReferences[0].name}").stdout
    assert kept == "child"


def test_a_whole_selection_goes_at_once(kubectl: Kubectl) -> None:
    for name in ("a", "b", "c"):
        kubectl.ok("create", "configmap", name)
        kubectl.ok("label", "configmap", name, f"keep={str(name == 'c').lower()}")
    told = deleted(kubectl.ok("delete", "configmaps", "-l", "keep=false"))
    assert told == 'configmap "a" deleted\nconfigmap "b" deleted\n'
    assert _names(kubectl) == {"c"}


def test_a_pod_that_nobody_runs_goes_at_once(kubectl: Kubectl) -> None:
    kubectl.ok("run", "web", "--image=nginx")
    begun = time.monotonic()
    assert deleted(kubectl.ok("delete", "pod", "web")) == 'pod "web" deleted\n'
    assert time.monotonic() - begun < 25.0  # not after the grace of half a minute that a kubelet would give it
    assert kubectl("get", "pods").stderr == f"No resources found in {kubectl.namespace} namespace.\n"


def _family(kubectl: Kubectl, *, finalizers: list[str] | None = None) -> None:
    """An owner, its child, and the child's child; the child may be held."""
    kubectl.ok("create", "configmap", "owner")
    kubectl.ok(
        "create", "-f", "-", stdin=json.dumps(_config_map("child", finalizers, owned_by=_owner(kubectl, "owner")))
    )
    kubectl.ok("create", "-f", "-", stdin=json.dumps(_config_map("grandchild", owned_by=_owner(kubectl, "child"))))


def _owner(kubectl: Kubectl, name: str) -> dict[str, object]:
    uid = kubectl("get", "configmap", name, "-o", "jsonpath={.metadata.uid}").stdout
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid, "blockOwnerDeletion": True}


def _config_map(
    name: str, finalizers: list[str] | None = None, *, owned_by: dict[str, object] | None = None
) -> dict[str, object]:
    metadata = {
        "name": name,
        "finalizers": finalizers or [],
        "ownerReferences": [owned_by] if owned_by else [],
    }
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def _names(kubectl: Kubectl) -> set[str]:
    names = kubectl("get", "configmaps", "-o", "jsonpath={.items[*].metadata.name}").stdout.split()
    return {*names} - {"kube-root-ca.crt"}
