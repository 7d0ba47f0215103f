"""MutatingWebhookConfigurations and ValidatingWebhookConfigurations: servers that are asked about a write.

Kubernetes: pkg/registry/admissionregistration/{mutating,validating}webhookconfiguration, and
pkg/apis/admissionregistration (v1/defaults.go, validation).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.validation.selectors import selector_errors

from .configuration import ConfigurationStrategy
from .rules import default_rule
from .webhooks import (
    SELECTORS,
    SIDE_EFFECTS,
    Demands,
    has_known_version,
    review_version_errors,
    webhook_errors,
)

_WEBHOOKS = Path("webhooks")
# Asking a webhook about these could keep a cluster from ever being asked again. Kubernetes:
# pkg/kubeapiserver/admission/exclusion.
_EXCLUDED = {
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
}


class WebhookConfigurationStrategy(ConfigurationStrategy):
    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        webhooks = _webhooks(obj)
        return _errors(webhooks, Demands() if old is None else _demands(webhooks, _webhooks(old)))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_exclusion_warnings(obj))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return [*super().warnings_on_update(request, obj, old), *_exclusion_warnings(obj)]


def _webhooks(obj: JSONObject) -> list[JSONObject]:
    return obj.get("webhooks") or []


def _errors(webhooks: Sequence[Mapping[str, Any]], demands: Demands) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, webhook in enumerate(webhooks):
        path, name = _WEBHOOKS[index], webhook.get("name") or ""
        yield from webhook_errors(webhook, path, demands)
        versions = webhook.get("admissionReviewVersions") or []
        yield from review_version_errors(versions, path / "admissionReviewVersions", demands)
        if demands.unique_names and name:
            if name in seen:
                yield duplicate(path / "name", name)
            seen.add(name)


def _demands(new: Sequence[JSONObject], old: Sequence[JSONObject]) -> Demands:
    """What was wrong before may stay wrong."""
    names = [webhook.get("name") or "" for webhook in old]
    return Demands(
        match_conditions=not same([_conditions(each) for each in new], [_conditions(each) for each in old]),
        no_side_effects=all(webhook.get("sideEffects") in SIDE_EFFECTS for webhook in old),
        known_versions=all(has_known_version(webhook) for webhook in old),
        unique_names=len(set(names)) == len(names),
        label_values=not any(_has_bad_selector(webhook) for webhook in old),
    )


def _conditions(webhook: JSONObject) -> list[JSONObject]:
    return webhook.get("matchConditions") or []


def _has_bad_selector(webhook: JSONObject) -> bool:
    return any(True for name in SELECTORS for _ in selector_errors(webhook.get(name), Path()))


def _exclusion_warnings(obj: JSONObject) -> Iterator[str]:
    for index, webhook in enumerate(_webhooks(obj)):
        for number, rule in enumerate(webhook.get("rules") or ()):
            groups, resources = rule.get("apiGroups") or (), rule.get("resources") or ()
            if "*" in groups or "*" in resources:
                continue
            named = dict.fromkeys((group, each) for group in groups for each in resources if (group, each) in _EXCLUDED)
            for group, resource in named:
                place = (_WEBHOOKS[index] / "rules")[number]
                yield f"{place}: {resource}.{group} is excluded from admission webhooks; this rule will have no effect"


def default_validating_webhooks(obj: JSONObject) -> None:
    for webhook in _webhooks(obj):
        _default_webhook(webhook)


def default_mutating_webhooks(obj: JSONObject) -> None:
    for webhook in _webhooks(obj):
        _default_webhook(webhook)
        if webhook.get("reinvocationPolicy") is None:
            webhook["reinvocationPolicy"] = "Never"


def _default_webhook(webhook: JSONObject) -> None:
    defaults = {"failurePolicy": "Fail", "matchPolicy": "Equivalent", "timeoutSeconds": 10}
    for name, value in (defaults | {selector: {} for selector in SELECTORS}).items():
        if webhook.get(name) is None:
            webhook[name] = value
    for rule in webhook.get("rules") or ():
        default_rule(rule)
    service = (webhook.get("clientConfig") or {}).get("service")
    if service is not None and service.get("port") is None:
        service["port"] = 443


def webhook_configuration_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), len(_webhooks(obj)), age(metadata.get("creationTimestamp"))]


MUTATING_WEBHOOK_CONFIGURATIONS = builtin(
    "admissionregistration.k8s.io/mutatingwebhookconfigurations",
    strategy=WebhookConfigurationStrategy(),
    default=default_mutating_webhooks,
    cells=webhook_configuration_cells,
)

VALIDATING_WEBHOOK_CONFIGURATIONS = builtin(
    "admissionregistration.k8s.io/validatingwebhookconfigurations",
    strategy=WebhookConfigurationStrategy(),
    default=default_validating_webhooks,
    cells=webhook_configuration_cells,
)
