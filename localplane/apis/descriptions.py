"""What the fields of built-in types mean, in our own words, for OpenAPI documents.

Nothing is kept: few ask for documents, and they ask once.
"""

from __future__ import annotations

from collections.abc import Mapping

from localplane.apimachinery.api_types import META_TYPES, TypeTable, openapi_name
from localplane.apis.table import DIRECTORY

Words = dict[str, str]


def descriptions() -> Mapping[str, Words]:
    """By the name that documents have for a type: its fields' descriptions, and its own under the empty name.
    What every kind has is under the empty name, too."""
    table = TypeTable(DIRECTORY, META_TYPES)
    found = {}
    for package in table.packages:
        for declared in table.types(package):
            if words := declared.descriptions():
                found[openapi_name(f"{package}.{declared.name}")] = words
    every_kind = (table.type(f"meta/v1.{name}").descriptions() for name in ("TypeMeta", "PartialObjectMetadata"))
    found[""] = {field: text for words in every_kind for field, text in words.items() if field}
    return found
