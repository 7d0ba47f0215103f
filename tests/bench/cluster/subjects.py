"""What is written: a ConfigMap of about 1 KB and a Deployment of about 4 KB, as people have them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import orjson

from localplane.apimachinery.objects import JSONObject
from tests.bench.http.subjects import request

NAMESPACE = "written"
MANAGER = "bench"

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_TURN = b'"turn":"%d"'


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind that is written. Every change changes the text `turn`, of which there is one in each object; `strategic`
    is what else a strategic merge patch says, so that there is a list to merge."""

    name: str
    collection: str
    make: Callable[[str, int], JSONObject]
    change: Callable[[int], JSONObject]
    strategic: Callable[[int], JSONObject]

    def path(self, name: str, query: str = "") -> str:
        return f"{self.collection}/{name}" + (f"?{query}" if query else "")

    def creation(self, name: str) -> bytes:
        return request("POST", self.collection, orjson.dumps(self.make(name, 0)))

    def put(self, name: str, answer: bytes, turn: int) -> bytes:
        """What was answered last, changed and sent back whole, as clients do."""
        return request("PUT", self.path(name), answer.replace(_TURN % turn, _TURN % (turn + 1)))

    def merge_patch(self, name: str, turn: int) -> bytes:
        return self._patch(name, self.change(turn + 1), "application/merge-patch+json")

    def strategic_patch(self, name: str, turn: int) -> bytes:
        return self._patch(name, self.strategic(turn + 1), "application/strategic-merge-patch+json")

    def application(self, name: str, turn: int) -> bytes:
        return self._patch(name, self.make(name, turn), "application/apply-patch+yaml", f"fieldManager={MANAGER}")

    def _patch(self, name: str, body: JSONObject, content_type: str, query: str = "") -> bytes:
        return request("PATCH", self.path(name, query), orjson.dumps(body), content_type=content_type)


def is_at(answer: bytes, turn: int) -> bool:
    return _TURN % turn in answer


def namespace() -> bytes:
    body = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": NAMESPACE}}
    return request("POST", "/api/v1/namespaces", orjson.dumps(body))


def _config_map(name: str, turn: int) -> JSONObject:
    filling = "".join(random.Random(name).choices(_LETTERS, k=820))
    return {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": {"app": "bench"}},
        "data": {"turn": str(turn), "filling": filling},
    }


def _deployment(name: str, turn: int) -> JSONObject:
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "bench", "tier": "backend"}
    return {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "labels": labels,
            "annotations": {"example.com/owner": "us"},
        },
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": labels},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {
                "metadata": {"labels": labels, "annotations": {"turn": str(turn), "prometheus.io/scrape": "true"}},
                "spec": _pod_spec(labels),
            },
        },
    }


def _pod_spec(labels: dict[str, str]) -> JSONObject:
    near = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    return {
        "serviceAccountName": "bench",
        "terminationGracePeriodSeconds": 45,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000, "fsGroup": 2000},
        "affinity": {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": near}]
            }
        },
        "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "bench", "effect": "NoSchedule"}],
        "initContainers": [
            {
                "name": "migrate",
                "image": "registry.example.com/bench/migrate:1.4.2",
                "args": ["--wait", "--timeout=60s"],
            }
        ],
        "containers": [_server(), _proxy()],
        "volumes": [
            {"name": "config", "configMap": {"name": "bench-config", "items": [{"key": "a", "path": "a.yaml"}]}},
            {"name": "tls", "secret": {"secretName": "bench-tls"}},
            {"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}},
        ],
    }


def _server() -> JSONObject:
    given = {f"SETTING_{number:02}": f"https://service-{number:02}.example.com:8443/api" for number in range(12)}
    return {
        "name": "server",
        "image": "registry.example.com/bench/server:2.18.0",
        "args": ["--listen=:8080", "--config=/etc/bench/a.yaml", "--log-format=json"],
        "ports": [
            {"name": "http", "containerPort": 8080},
            {"name": "metrics", "containerPort": 9090},
        ],
        "env": [
            *({"name": name, "value": value} for name, value in given.items()),
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "bench-database", "key": "password"}}},
        ],
        "resources": {
            "requests": {"cpu": "250m", "memory": "256Mi"},
            "limits": {"cpu": "1", "memory": "512Mi"},
        },
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "initialDelaySeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 5, "failureThreshold": 2},
        "volumeMounts": [
            {"name": "config", "mountPath": "/etc/bench", "readOnly": True},
            {"name": "tls", "mountPath": "/etc/tls", "readOnly": True},
            {"name": "cache", "mountPath": "/var/cache/bench"},
        ],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


def _proxy() -> JSONObject:
    return {
        "name": "proxy",
        "image": "registry.example.com/bench/proxy:0.9.7",
        "ports": [{"name": "https", "containerPort": 8443}],
        "env": [{"name": "UPSTREAM", "value": "127.0.0.1:8080"}],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
        "volumeMounts": [{"name": "tls", "mountPath": "/etc/tls", "readOnly": True}],
    }


def _new_data(turn: int) -> JSONObject:
    return {"data": {"turn": str(turn)}}


def _new_template(turn: int) -> JSONObject:
    return {"spec": {"template": {"metadata": {"annotations": {"turn": str(turn)}}}}}


def _new_image(turn: int) -> JSONObject:
    patch = _new_template(turn)
    patch["spec"]["template"]["spec"] = {
        "containers": [{"name": "server", "image": f"registry.example.com/bench/server:2.18.{turn}"}]
    }
    return patch


SUBJECTS = (
    Subject("configmap", f"/api/v1/namespaces/{NAMESPACE}/configmaps", _config_map, _new_data, _new_data),
    Subject("deployment", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments", _deployment, _new_template, _new_image),
)
