"""An APIService that another server answers for, read once."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Trust:
    """How a server is verified. Without an authority the system's count."""

    server_name: str
    authority: bytes
    insecure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    name: str
    group: str
    version: str
    group_priority: int
    version_priority: int
    namespace: str
    service: str
    port: int
    trust: Trust
    available: bool

    @property
    def path(self) -> str:
        """Where its discovery is, there as here."""
        return f"/apis/{self.group}/{self.version}"

    @property
    def checked(self) -> Remote:
        """All of it that has a say in whether it is available."""
        return replace(self, available=False)


def remote_of(obj: Mapping[str, Any]) -> Remote | None:
    """None for what is served here, and for the core group, which can't be anywhere else."""
    spec = obj.get("spec") or {}
    service = spec.get("service")
    if service is None or not spec.get("group") or not spec.get("version"):
        return None
    namespace, name = service.get("namespace", ""), service.get("name", "")
    return Remote(
        name=obj["metadata"]["name"],
        group=spec["group"],
        version=spec["version"],
        group_priority=spec.get("groupPriorityMinimum", 0),
        version_priority=spec.get("versionPriority", 0),
        namespace=namespace,
        service=name,
        port=service.get("port", 443),
        trust=Trust(
            server_name=f"{name}.{namespace}.svc",
            authority=b64decode(spec.get("caBundle") or ""),
            insecure=spec.get("insecureSkipTLSVerify", False),
        ),
        available=(available_condition(obj) or {}).get("status") == "True",
    )


def available_condition(obj: Mapping[str, Any]) -> dict[str, Any] | None:
    for each in (obj.get("status") or {}).get("conditions") or ():
        if each.get("type") == "Available":
            found: dict[str, Any] = each
            return found
    return None
