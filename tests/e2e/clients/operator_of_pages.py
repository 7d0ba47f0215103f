"""An operator as one writes it with kopf: every ConfigMap with the label `site` gets a Deployment, and is told so.

It is run by `kopf run`, not imported: a handler is registered by being defined.
"""

from __future__ import annotations

from typing import Any

import kopf
from kubernetes import client, config

SITE = {"site": kopf.PRESENT}
untyped: Any = config


@kopf.on.startup()
def connect(**_: Any) -> None:
    untyped.load_kube_config()


@kopf.on.create("", "v1", "configmaps", labels=SITE)
def deploy(*, name: str, namespace: str | None, patch: kopf.Patch, **_: Any) -> None:
    labels = {"app": name}
    containers = [{"name": "web", "image": "nginx"}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    deployment = {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
    kopf.adopt(deployment)
    apps: Any = client.AppsV1Api()
    apps.create_namespaced_deployment(namespace, deployment)
    patch.metadata.annotations["pages.example.com/deployed"] = "yes"


@kopf.on.update("", "v1", "configmaps", labels=SITE, field="data.replicas")
def scale(*, name: str, namespace: str | None, new: Any, **_: Any) -> None:
    apps: Any = client.AppsV1Api()
    apps.patch_namespaced_deployment_scale(name, namespace, {"spec": {"replicas": int(new)}})


@kopf.on.delete("", "v1", "configmaps", labels=SITE)
def say_goodbye(*, name: str, namespace: str | None, **_: Any) -> None:
    core: Any = client.CoreV1Api()
    core.create_namespaced_config_map(namespace, {"metadata": {"name": f"{name}-was-here"}})
