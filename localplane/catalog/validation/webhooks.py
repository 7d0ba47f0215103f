"""Where a webhook is called: at a URL, or at a Service.

Kubernetes: apiserver/pkg/util/webhook, ValidateWebhookURL and ValidateWebhookService.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.names import dns1123_subdomain

from .urls import InvalidURL, parse_url

_FORM = "; desired format: https://host[/path]"


def webhook_url_errors(text: str, path: Path) -> Iterator[FieldError]:
    try:
        url = parse_url(text)
    except InvalidURL as error:
        yield required(path, f"url must be a valid URL: {error}{_FORM}")
        return
    if url.scheme != "https":
        yield invalid(path, url.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    if not url.host:
        yield invalid(path, url.host, f"host must be specified{_FORM}")
    if url.user is not None:
        yield invalid(path, url.user, "user information is not permitted in the URL")
    if url.fragment:
        yield invalid(path, url.fragment, "fragments are not permitted in the URL")
    if url.query:
        yield invalid(path, url.query, "query parameters are not permitted in the URL")


def webhook_service_errors(service: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    """A missing name is reported as a missing namespace and the other way round: Kubernetes hands them over so."""
    if not service.get("namespace"):
        yield required(path / "name")
    if not service.get("name"):
        yield required(path / "namespace")
    port = service.get("port") or 0
    if not 1 <= port <= 65535:
        yield invalid(path / "port", port, "port is not valid: must be between 1 and 65535, inclusive")
    yield from _path_errors(service.get("path") or "", path / "path")


def _path_errors(text: str, path: Path) -> Iterator[FieldError]:
    if text in ("", "/"):
        return
    if text == "//":
        yield invalid(path, text, "segment[0] may not be empty")
        return
    if not text.startswith("/"):
        yield invalid(path, text, "must start with a '/'")
    for index, step in enumerate(text[1:].removesuffix("/").split("/")):
        if not step:
            yield invalid(path, text, f"segment[{index}] may not be empty")
            continue
        for problem in dns1123_subdomain(step):
            yield invalid(path, text, f"segment[{index}]: {problem}")
