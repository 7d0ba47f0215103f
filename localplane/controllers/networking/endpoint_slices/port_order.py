"""The order in which Kubernetes writes the ports of endpoints: that of a hash of what Go prints for each.

Kubernetes: k8s.io/endpointslice/util, NewPortMapKey; pkg/api/v1/endpoints, SortSubsets; k8s.io/utils/dump, ForHash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject

_FNV_OFFSET: Final = 0x6C62272E07BB014262B821756295C58D
_FNV_PRIME: Final = 0x0000000001000000000000000000013B
_BITS: Final = (1 << 128) - 1


def ordered_slice_ports(ports: Iterable[JSONObject]) -> list[JSONObject]:
    """Those of an EndpointSlice."""
    return sorted(ports, key=lambda port: _hash(_slice_text(port)))


def ordered_ports(ports: Iterable[JSONObject]) -> list[JSONObject]:
    """Those of Endpoints."""
    return sorted(ports, key=lambda port: _hash(_text(port)))


def _text(port: Mapping[str, Any]) -> str:
    return (
        f"(v1.EndpointPort){{Name:(string){port.get('name') or ''} Port:(int32){port.get('port', 0)} "
        f"Protocol:(v1.Protocol){port.get('protocol') or 'TCP'} "
        f"AppProtocol:(*string){port.get('appProtocol', '<nil>')}}}"
    )


def _slice_text(port: Mapping[str, Any]) -> str:
    return (
        f"(v1.EndpointPort){{Name:(*string){port.get('name') or ''} "
        f"Protocol:(*v1.Protocol){port.get('protocol') or 'TCP'} Port:(*int32){port.get('port', 0)} "
        f"AppProtocol:(*string){port.get('appProtocol', '<nil>')}}}"
    )


def _hash(text: str) -> int:
    """FNV-1a of 128 bits."""
    number = _FNV_OFFSET
    for byte in text.encode():
        number = ((number ^ byte) * _FNV_PRIME) & _BITS
    return number
