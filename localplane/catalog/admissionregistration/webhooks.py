"""One webhook: its name, its rules, where it is called, and how it answers.

Kubernetes: pkg/apis/admissionregistration/validation, validateMutatingWebhook and validateValidatingWebhook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.names import dns1035_label, dns1123_subdomain
from localplane.catalog.validation.rules import Between, Each, Fields, OneOf, Present, Required, Struct
from localplane.catalog.validation.selectors import selector_errors
from localplane.catalog.validation.webhooks import webhook_service_errors, webhook_url_errors

from .expressions import match_condition_errors
from .match_resources import FAILURE_POLICY, MATCH_POLICY
from .rules import RULE

JSONObject = Mapping[str, Any]

SELECTORS = ("namespaceSelector", "objectSelector")
SIDE_EFFECTS = ("None", "NoneOnDryRun")
REINVOCATION_POLICY = OneOf("IfNeeded", "Never")
_REVIEW_VERSIONS = ("v1", "v1beta1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What is asked of webhooks. On update it is less, where the stored ones fell short already."""

    match_conditions: bool = True
    no_side_effects: bool = True
    known_versions: bool = True
    unique_names: bool = True
    label_values: bool = True


def _name_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Kubernetes: util/validation, IsFullyQualifiedName."""
    if problems := dns1123_subdomain(name):
        yield invalid(path, name, ",".join(problems))
    elif name.count(".") < 2:
        yield invalid(path, name, "should be a domain with at least three segments separated by dots")


def _client_errors(client: JSONObject, path: Path) -> Iterator[FieldError]:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from webhook_url_errors(url, path / "url")
    elif service is not None:
        yield from webhook_service_errors(service, path / "service")


def _side_effects(*words: str) -> Fields:
    return Fields(sideEffects=Present(OneOf(*words), detail=f"must specify one of {', '.join(words)}"))


_MATCH = Fields(
    name=Required(_name_errors),
    rules=Each(RULE),
    failurePolicy=FAILURE_POLICY,
    matchPolicy=MATCH_POLICY,
)
_NO_SIDE_EFFECTS = _side_effects(*SIDE_EFFECTS)
_SIDE_EFFECTS = _side_effects(*SIDE_EFFECTS, "Some", "Unknown")
_TIMEOUT = Fields(timeoutSeconds=Between(1, 30, "the timeout value must be between 1 and 30 seconds"))
_CALL = Fields(reinvocationPolicy=REINVOCATION_POLICY, clientConfig=Struct(_client_errors))


def webhook_errors(webhook: JSONObject, path: Path, demands: Demands) -> Iterator[FieldError]:
    yield from _MATCH(webhook, path)
    yield from (_NO_SIDE_EFFECTS if demands.no_side_effects else _SIDE_EFFECTS)(webhook, path)
    yield from _TIMEOUT(webhook, path)
    for name in SELECTORS:
        yield from selector_errors(webhook.get(name), path / name, forgive_values=not demands.label_values)
    yield from _CALL(webhook, path)
    if demands.match_conditions:
        yield from match_condition_errors(webhook.get("matchConditions") or (), path / "matchConditions")


def has_known_version(webhook: JSONObject) -> bool:
    """Whether it takes a version of AdmissionReview that we speak, or names none at all."""
    versions = webhook.get("admissionReviewVersions") or ()
    return not versions or any(version in _REVIEW_VERSIONS for version in versions)


def review_version_errors(versions: Sequence[str], path: Path, demands: Demands) -> Iterator[FieldError]:
    known = ", ".join(_REVIEW_VERSIONS)
    if not versions:
        yield required(path, f"must specify one of {known}")
        return
    seen: set[str] = set()
    for index, version in enumerate(versions):
        if version in seen:
            yield invalid(path[index], version, "duplicate version")
            continue
        seen.add(version)
        yield from (invalid(path[index], version, problem) for problem in dns1035_label(version))
    if demands.known_versions and not seen.intersection(_REVIEW_VERSIONS):
        yield invalid(path, versions, f"must include at least one of {known}")
