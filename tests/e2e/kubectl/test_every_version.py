"""A short story with every kubectl that is here: all of them take the plane for a cluster."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.examples.kubectl import Kubectl, kubectls
from tests.e2e.kubectl.reading import deleted, table


@pytest.fixture(params=kubectls(), ids=lambda path: path.name)
def any_kubectl(request: pytest.FixtureRequest, kubectl: Kubectl) -> Kubectl:
    program: Path = request.param
    return replace(kubectl, program=program)


def test_a_deployment_lives_from_create_to_delete(any_kubectl: Kubectl) -> None:
    kubectl = any_kubectl
    assert kubectl.ok("create", "deployment", "web", "--image=nginx:1.27") == "deployment.apps/web created\n"
    assert table(kubectl.ok("get", "deployments", "-o", "wide")) == [
        "NAME | READY | UP-TO-DATE | AVAILABLE | AGE | CONTAINERS | IMAGES | SELECTOR",
        "web | 0/1 | 0 | 0 | <age> | nginx | nginx:1.27 | app=web",
    ]
    assert kubectl.ok("label", "deployment", "web", "tier=front") == "deployment.apps/web labeled\n"
    assert kubectl.ok("scale", "deployment", "web", "--replicas=2") == "deployment.apps/web scaled\n"
    assert kubectl.ok("set", "image", "deployment/web", "nginx=nginx:1.28") == "deployment.apps/web image updated\n"
    assert kubectl.ok("edit", "deployment", "web", KUBE_EDITOR="sed -i s/replicas:.2/replicas:\\ 3/") == (
        "deployment.apps/web edited\n"
    )
    assert kubectl.ok("expose", "deployment", "web", "--port=80") == "service/web exposed\n"
    wanted = "{.spec.replicas} {.spec.template.spec.containers[0].image} {.metadata.labels.tier}"
    assert kubectl.ok("get", "deployment", "web", "-o", f"jsonpath={wanted}") == "3 nginx:1.28 front"
    assert "2 desired" not in kubectl.ok("describe", "deployment", "web")
    assert kubectl.ok("get", "all", "-o", "name") == "service/web\ndeployment.apps/web\n"
    assert kubectl.ok("wait", "deployment/web", "--for=jsonpath={.spec.replicas}=3") == (
        "deployment.apps/web condition met\n"
    )
    assert "FIELD: replicas <integer>" in kubectl.ok("explain", "deployment.spec.replicas")
    assert deleted(kubectl.ok("delete", "deployment,service", "web")) == (
        'deployment.apps "web" deleted\nservice "web" deleted\n'
    )


def test_manifests_are_applied_by_client_and_by_server(any_kubectl: Kubectl) -> None:
    kubectl = any_kubectl
    manifest = '{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a"}},"data":{{"x":"{}"}}}}'
    assert kubectl.ok("apply", "-f", "-", stdin=manifest.format(1)) == "configmap/a created\n"
    assert kubectl.ok("apply", "-f", "-", stdin=manifest.format(1)) == "configmap/a unchanged\n"
    assert kubectl("diff", "-f", "-", stdin=manifest.format(2)).code == 1
    assert kubectl.ok("apply", "-f", "-", stdin=manifest.format(2)) == "configmap/a configured\n"
    assert kubectl.ok("apply", "--server-side", "-f", "-", stdin=manifest.format(3)) == (
        "configmap/a serverside-applied\n"
    )
    assert kubectl.ok("get", "configmap", "a", "-o", "jsonpath={.data.x}") == "3"


def test_a_namespace_goes_with_its_content(any_kubectl: Kubectl) -> None:
    kubectl = any_kubectl
    kubectl.ok("create", "configmap", "a")
    assert kubectl("delete", "namespace", kubectl.namespace, "--timeout=30s").stdout == (
        f'namespace "{kubectl.namespace}" deleted\n'
    )
    kubectl.ok("create", "namespace", kubectl.namespace)  # another one, in which there is nothing
    assert kubectl("get", "configmap", "a").stderr == 'Error from server (NotFound): configmaps "a" not found\n'
