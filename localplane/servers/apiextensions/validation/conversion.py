"""How objects come from one version to another. Kubernetes: validateCustomResourceConversion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.names import dns1035_label
from localplane.catalog.validation.values import repeated
from localplane.catalog.validation.webhooks import webhook_service_errors, webhook_url_errors

from .demands import REVIEW_VERSIONS, SchemaDemands, ca_bundle_errors, client_config, review_versions

_STRATEGIES: Final = ("None", "Webhook")
_NOT_WEBHOOK: Final = "should not be set when strategy is not set to Webhook"


def conversion_errors(conversion: Mapping[str, Any], path: Path, demands: SchemaDemands) -> Iterator[FieldError]:
    strategy = conversion.get("strategy", "")
    if not strategy:
        yield required(path / "strategy")
    elif strategy not in _STRATEGIES:
        yield not_supported(path / "strategy", strategy, _STRATEGIES)
    config, versions = client_config(conversion), review_versions(conversion)
    if strategy == "Webhook":
        yield from _client_errors(config, path / "webhookClientConfig", demands)
        yield from _review_version_errors(versions, path / "conversionReviewVersions", demands)
        return
    if config is not None:
        yield forbidden(path / "webhookClientConfig", _NOT_WEBHOOK)
    if versions:
        yield forbidden(path / "conversionReviewVersions", _NOT_WEBHOOK)


def _client_errors(config: Mapping[str, Any] | None, path: Path, demands: SchemaDemands) -> Iterator[FieldError]:
    if config is None:
        yield required(path, "required when strategy is set to Webhook")
        return
    if ("url" in config) == ("service" in config):
        yield required(path, "exactly one of url or service is required")
    elif "url" in config:
        yield from webhook_url_errors(config["url"], path / "url")
    else:
        yield from webhook_service_errors(config["service"], path / "service")
    if config.get("caBundle") and demands.valid_ca_bundle:
        yield from ca_bundle_errors(config["caBundle"], path / "caBundle")


def _review_version_errors(versions: Sequence[str], path: Path, demands: SchemaDemands) -> Iterator[FieldError]:
    if not versions:
        yield required(path)
        return
    for number, (version, is_repeated) in enumerate(zip(versions, repeated(versions), strict=True)):
        if is_repeated:
            yield invalid(path[number], version, "duplicate version")
            continue
        yield from (invalid(path[number], version, problem) for problem in dns1035_label(version))
    if demands.recognized_review_version and not any(version in REVIEW_VERSIONS for version in versions):
        yield invalid(path, list(versions), f"must include at least one of {', '.join(REVIEW_VERSIONS)}")
