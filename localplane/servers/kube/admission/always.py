"""AlwaysAdmit and AlwaysDeny: for trying things out. Kubernetes: plugin/pkg/admission/admit and deny."""

from __future__ import annotations

from localplane.apiserver.admission import Attributes, Operation

from .plugin import refused


class AlwaysAdmit:
    name = "AlwaysAdmit"
    operations = ()


class AlwaysDeny:
    name = "AlwaysDeny"
    operations = tuple(Operation)

    async def admit(self, attributes: Attributes) -> None:
        raise refused(attributes, "admission control is denying all modifications")

    async def validate(self, attributes: Attributes) -> None:
        raise refused(attributes, "admission control is denying all modifications")
