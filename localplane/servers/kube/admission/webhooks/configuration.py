"""A webhook as it is configured, compiled."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.servers.kube.admission.matching.criteria import Criteria

if TYPE_CHECKING:
    from localplane.catalog.admissionregistration.compiler import Compiled


_TIMEOUT_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class Webhook:
    """`uid` tells it from all others. `service` and `url` are where it is; exactly one of them is there."""

    uid: str
    name: str
    criteria: Criteria
    conditions: tuple[Compiled, ...]
    review_versions: Sequence[str]
    timeout: timedelta
    side_effects: str
    ignores_failure: bool
    is_reinvoked: bool
    url: str
    service: Mapping[str, Any] | None
    authorities: bytes


def webhooks_of(configuration: JSONObject) -> tuple[Webhook, ...]:
    """In the order in which they are listed."""
    owner, seen = configuration["metadata"].get("name", ""), dict[str, int]()
    made = []
    for declared in configuration.get("webhooks") or ():
        name = declared.get("name", "")
        made.append(_webhook(declared, f"{owner}/{name}/{seen.get(name, 0)}"))
        seen[name] = seen.get(name, 0) + 1
    return tuple(made)


def _webhook(declared: JSONObject, uid: str) -> Webhook:
    client: JSONObject = declared.get("clientConfig") or {}
    return Webhook(
        uid=uid,
        name=declared.get("name", ""),
        criteria=Criteria.of_webhook(declared),
        conditions=_conditions(declared.get("matchConditions") or ()),
        review_versions=declared.get("admissionReviewVersions") or (),
        timeout=timedelta(seconds=declared.get("timeoutSeconds") or _TIMEOUT_SECONDS),
        side_effects=declared.get("sideEffects") or "",
        ignores_failure=declared.get("failurePolicy") == "Ignore",
        is_reinvoked=declared.get("reinvocationPolicy") == "IfNeeded",
        url=client.get("url") or "",
        service=client.get("service"),
        authorities=_authorities(client.get("caBundle") or ""),
    )


def _conditions(declared: Sequence[JSONObject]) -> tuple[Compiled, ...]:
    if not declared:
        return ()
    from localplane.catalog.admissionregistration.compiler import ExpressionCompiler
    from localplane.servers.kube.admission.matching.conditions import compiled_conditions

    return compiled_conditions(declared, ExpressionCompiler())


def _authorities(bundle: str) -> bytes:
    try:
        decoded = base64.b64decode(bundle)
    except binascii.Error:
        return b""
    return decoded if decoded.strip() else b""
