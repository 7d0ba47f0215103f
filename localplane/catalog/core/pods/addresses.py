"""The addresses in a pod's status. Kubernetes: pkg/apis/core/validation (validatePodIPs, validateHostIPs)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, internal, invalid
from localplane.catalog.validation.addresses import family_of, legacy_ip_errors

JSONObject = Mapping[str, Any]

_STATUS = Path("status")
_ONE_EACH = "may specify no more than one IP for each IP family"


def pod_ip_errors(status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    path, addresses, first = _STATUS / "podIPs", _texts(status, "podIPs"), status.get("podIP", "")
    yield from _each(addresses, path, known=_texts(before, "podIPs"))
    yield from _pair_errors(addresses, path)
    if bool(first) != bool(addresses):
        shown = _shown(addresses) or None
        yield invalid(path, shown, "podIP and podIPs must either both be set or both be unset")
    elif addresses and first != addresses[0]:
        yield invalid(path[0] / "ip", addresses[0], "must be equal to `podIP`")


def host_ip_errors(status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    path, addresses = _STATUS / "hostIPs", _texts(status, "hostIPs")
    if not addresses:
        return
    if status.get("hostIP", "") != addresses[0]:
        yield invalid(path[0] / "ip", addresses[0], "must be equal to `hostIP`")
    yield from _each(addresses, path, known=_texts(before, "hostIPs"))
    yield from _pair_errors(addresses, path)


def _texts(status: JSONObject, field: str) -> list[str]:
    return [each.get("ip") or "" for each in status.get(field) or ()]


def _each(addresses: Sequence[str], path: Path, *, known: Sequence[str]) -> Iterator[FieldError]:
    """What was there before may stay, however it is written."""
    before = frozenset(known)
    for index, address in enumerate(addresses):
        yield from legacy_ip_errors(address, path[index], known=before)


def _pair_errors(addresses: Sequence[str], path: Path) -> Iterator[FieldError]:
    """One of each family, at most."""
    if len(addresses) < 2:
        return
    families = [family_of(address) for address in addresses]
    for index, (family, address) in enumerate(zip(families, addresses, strict=True)):
        if not family:
            why = f"invalid IP[{index}]: {address}"
            yield internal(path, f"failed to check for dual stack with error:{why}")
            break
    if "" in families or len(set(families)) < 2 or len(addresses) > 2:
        yield invalid(path, _shown(addresses), _ONE_EACH)


def _shown(addresses: Sequence[str]) -> list[dict[str, str]]:
    """As Go prints the internal type."""
    return [{"IP": address} for address in addresses]
