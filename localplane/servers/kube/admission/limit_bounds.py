"""One amount against one bound of a LimitRange: what is wrong with it, or nothing.

Kubernetes: minConstraint, maxConstraint, maxRequestConstraint and limitRequestRatioConstraint in
plugin/pkg/admission/limitranger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from localplane.apimachinery.quantity import ZERO, Quantity

Amounts = Mapping[str, Quantity]
_MOST_IN_THOUSANDTHS: Final = (2**63 - 1) // 1000


def under_minimum(kind: str, name: str, bound: Quantity, requests: Amounts, limits: Amounts) -> str:
    request, limit = requests.get(name), limits.get(name)
    asked, allowed, least = _comparable(request, limit, bound)
    opening = f"minimum {name} usage per {kind} is {bound}"
    if request is None:
        return f"{opening}.  No request is specified"
    if asked < least:
        return f"{opening}, but request is {request}"
    if limit is not None and allowed < least:
        return f"{opening}, but limit is {limit}"
    return ""


def beyond_maximum(kind: str, name: str, bound: Quantity, requests: Amounts, limits: Amounts) -> str:
    request, limit = requests.get(name), limits.get(name)
    asked, allowed, most = _comparable(request, limit, bound)
    opening = f"maximum {name} usage per {kind} is {bound}"
    if limit is None:
        return f"{opening}.  No limit is specified"
    if allowed > most:
        return f"{opening}, but limit is {limit}"
    if request is not None and asked > most:
        return f"{opening}, but request is {request}"
    return ""


def beyond_requested_maximum(kind: str, name: str, bound: Quantity, requests: Amounts, _: Amounts) -> str:
    """For what has requests only."""
    request = requests.get(name)
    asked, _ignored, most = _comparable(request, None, bound)
    opening = f"maximum {name} usage per {kind} is {bound}"
    if request is None:
        return f"{opening}.  No request is specified"
    return f"{opening}, but request is {request}" if asked > most else ""


def beyond_ratio(kind: str, name: str, bound: Quantity, requests: Amounts, limits: Amounts) -> str:
    asked, allowed, _ = _comparable(requests.get(name), limits.get(name), bound)
    opening = f"{name} max limit to request ratio per {kind} is {bound}, but"
    if name not in requests or asked == 0:
        return f"{opening} no request is specified or request is 0"
    if name not in limits or allowed == 0:
        return f"{opening} no limit is specified or limit is 0"
    ratio = allowed / asked
    in_thousandths = bound.value() <= _MOST_IN_THOUSANDTHS
    found, most = (ratio * 1000, bound.milli_value()) if in_thousandths else (ratio, bound.value())
    return f"{opening} provided ratio is {ratio:f}" if found > most else ""


def _comparable(request: Quantity | None, limit: Quantity | None, bound: Quantity) -> tuple[int, int, int]:
    """In thousandths, unless one of them is too large for that."""
    amounts = (request or ZERO, limit or ZERO, bound)
    if all(amount.value() <= _MOST_IN_THOUSANDTHS for amount in amounts):
        asked, allowed, bounded = (amount.milli_value() for amount in amounts)
    else:
        asked, allowed, bounded = (amount.value() for amount in amounts)
    return asked, allowed, bounded
