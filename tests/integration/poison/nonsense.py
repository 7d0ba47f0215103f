"""Objects of the right types that no validation would have let in, for those who read them inside of the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.storage.keys import DEFAULT_ROOT
from tests.integration.poison.poisons import NAMESPACE, Poison


@dataclass(frozen=True, slots=True)
class Nonsense:
    form: str
    prefix: str
    fields: JSONObject

    def poison(self, definition: Definition) -> Poison:
        place = f"{NAMESPACE}/" if definition.namespaced else ""
        metadata: JSONObject = {"name": self.form, "uid": f"uid-of-{self.form}", **self.fields.get("metadata", {})}
        if definition.namespaced:
            metadata["namespace"] = NAMESPACE
        kind = {"apiVersion": str(definition.converter.storage_version), "kind": definition.kind.kind}
        value = orjson.dumps({**kind, **self.fields, "metadata": metadata})
        return Poison(self.form, f"{DEFAULT_ROOT}{self.prefix}{place}{self.form}", value, is_unreadable=False)


def _definition(form: str, *, metadata: JSONObject | None = None, **spec: Any) -> Nonsense:
    """One that looks as if it had been served before."""
    names = {"plural": "widgets", "kind": "Widget", "singular": "widget", "listKind": "WidgetList"}
    status = {
        "acceptedNames": names,
        "conditions": [{"type": each, "status": "True", "reason": "x"} for each in ("NamesAccepted", "Established")],
        "storedVersions": ["v1"],
    }
    whole = {"group": "nonsense.example.com", "scope": "Namespaced", "names": names, "versions": [_version({})], **spec}
    fields = {"metadata": metadata or {}, "spec": whole, "status": status}
    return Nonsense(form, "/apiextensions.k8s.io/customresourcedefinitions/", fields)


def _version(schema: JSONObject, **more: Any) -> JSONObject:
    return {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **more}


_SELECTOR = {"matchExpressions": [{"key": "", "operator": "Nope"}]}

NONSENSE = (
    _definition("no-versions", versions=[]),
    _definition("no-storage-version", versions=[_version({}, storage=False)]),
    _definition("no-schema", versions=[{"name": "v1", "served": True, "storage": True}]),
    _definition("bad-pattern", versions=[_version({"type": "object", "properties": {"a": {"pattern": "(("}}})]),
    _definition("bad-type", versions=[_version({"type": "nothing"})]),
    _definition("bad-rule", versions=[_version({"type": "object", "x-kubernetes-validations": [{"rule": "(("}]})]),
    _definition("bad-column", versions=[_version({}, additionalPrinterColumns=[{"name": "a", "jsonPath": "{{["}])]),
    _definition("bad-scale", versions=[_version({}, subresources={"scale": {}})]),
    _definition("bad-names", names={}),
    _definition("builtin-group", group="apps"),
    _definition("no-webhook", conversion={"strategy": "Webhook"}),
    _definition("odd-webhook", conversion={"strategy": "Webhook", "webhook": {"clientConfig": {"url": "::"}}}),
    _definition(
        "on-its-way-out",
        metadata={
            "deletionTimestamp": "2026-01-01T00:00:00Z",
            "finalizers": ["customresourcecleanup.apiextensions.k8s.io"],
        },
        versions=[],
    ),
    Nonsense("no-service", "/apiregistration.k8s.io/apiservices/", {"spec": {"service": {}}}),
    Nonsense("no-cidr", "/servicecidrs/", {"spec": {"cidrs": ["nonsense", "10.0.0.0/99", ""]}}),
    Nonsense("no-address", "/services/specs/", {"spec": {"clusterIPs": ["nonsense"], "ports": [{}]}}),
    Nonsense("no-ip", "/ipaddresses/", {"spec": {}}),
    Nonsense("no-selector", "/clusterroles/", {"aggregationRule": {"clusterRoleSelectors": [_SELECTOR]}}),
    Nonsense("no-verbs", "/clusterroles/", {"rules": [{}]}),
    Nonsense("no-subject", "/clusterrolebindings/", {"roleRef": {}, "subjects": [{}, {"kind": "Nobody"}]}),
    Nonsense("no-role", "/rolebindings/", {"subjects": [{"kind": "ServiceAccount"}]}),
    Nonsense("no-quota", "/resourcequotas/", {"spec": {"hard": {"": "1"}, "scopes": ["Nope"]}}),
    Nonsense("no-scope", "/resourcequotas/", {"spec": {"hard": {"pods": "1"}, "scopeSelector": _SELECTOR}}),
    Nonsense("no-limit", "/limitranges/", {"spec": {"limits": [{}]}}),
    Nonsense("no-value", "/priorityclasses/", {"globalDefault": True}),
    Nonsense("no-provisioner", "/storageclasses/", {"metadata": {"annotations": {"a": "b"}}}),
    Nonsense("no-account", "/secrets/", {"type": "kubernetes.io/service-account-token"}),
    Nonsense("no-secrets", "/serviceaccounts/", {"secrets": [{}], "imagePullSecrets": [{}]}),
    Nonsense("no-phase", "/namespaces/", {"spec": {"finalizers": ["", "nobody"]}, "status": {"phase": "Nope"}}),
    Nonsense("gone-namespace", "/namespaces/", {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
    Nonsense(
        "no-owner", "/configmaps/", {"metadata": {"ownerReferences": [{}, {"uid": ""}, {"uid": "x", "kind": "?"}]}}
    ),
    Nonsense("no-uid", "/configmaps/", {"metadata": {"uid": ""}}),
    Nonsense(
        "no-job", "/jobs/", {"spec": {"ttlSecondsAfterFinished": 0}, "status": {"conditions": [{"type": "Complete"}]}}
    ),
    Nonsense("no-hook", "/validatingwebhookconfigurations/", {"webhooks": [{}, {"rules": [{}]}]}),
    Nonsense("no-mutating-hook", "/mutatingwebhookconfigurations/", {"webhooks": [{}, {"rules": [{}]}]}),
    Nonsense("no-policy", "/validatingadmissionpolicies/", {"spec": {"validations": [{"expression": "(("}]}}),
    Nonsense("no-mutating-policy", "/mutatingadmissionpolicies/", {"spec": {"mutations": [{}]}}),
    Nonsense("no-binding", "/validatingadmissionpolicybindings/", {"spec": {"policyName": "nobody"}}),
    Nonsense("no-mutating-binding", "/mutatingadmissionpolicybindings/", {"spec": {"matchResources": {}}}),
)
