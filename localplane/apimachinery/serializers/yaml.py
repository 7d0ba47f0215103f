"""YAML bodies in, read as kubectl and the API server read them."""

from __future__ import annotations

from .parsed import Parsed
from .yaml_builder import Builder
from .yaml_events import events


def parse_yaml(body: bytes | str, *, find_duplicates: bool = False) -> Parsed:
    """The first document of a body as a JSON value; an empty one is None.

    Numbers are what they would be if the document had been JSON. Of a key that comes twice the last counts;
    `find_duplicates` reports the others. Raises YAMLError.
    """
    builder = Builder(events(body), find_duplicates=find_duplicates)
    value = builder.build()
    duplicates = tuple(builder.duplicates)
    if not duplicates:
        return Parsed(value)
    return Parsed(value, duplicates, ("yaml: unmarshal errors:\n  " + "\n  ".join(duplicates),))
