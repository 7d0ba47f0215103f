"""The table of the built-in types, for all who ask in this process."""

from __future__ import annotations

import os
from typing import Final

from localplane.apimachinery.api_types import META_TYPES, APIType, TypeTable
from localplane.apis.scheme import is_registered

DIRECTORY: Final = os.path.join(os.path.dirname(__file__), "types")  # noqa: PTH118, PTH120 - as in api_types
TYPES: Final = TypeTable(DIRECTORY, META_TYPES)


def go_package(api_version: str) -> str:
    """Where the types of one of the API's own groups live: `rbac/v1` for rbac.authorization.k8s.io/v1."""
    group, _, version = api_version.rpartition("/")
    return f"{group.partition('.')[0] or 'core'}/{version}"


def registered_type(api_version: str, kind: str) -> APIType | None:
    """The type of a kind that a client has one for."""
    if not is_registered(api_version):
        return None
    declared = TYPES.get(f"{go_package(api_version)}.{kind}")
    return declared if declared is not None and declared.is_kind else None
