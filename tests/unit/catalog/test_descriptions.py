"""What is said about fields is said about fields that there are."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import orjson
import pytest

from localplane.catalog.descriptions import _read, descriptions
from localplane.catalog.schemas import openapi_name

SCHEMAS = files("localplane.catalog") / "data" / "schemas"


def _fields() -> dict[str, set[str]]:
    """Of each type of the tables."""
    found: dict[str, set[str]] = {}
    for file in SCHEMAS.iterdir():
        package = file.name.removesuffix(".json").replace("_", "/", 1)
        types: dict[str, dict[str, Any]] = orjson.loads(file.read_bytes())
        found |= {f"{package}.{name}": {*facts.get("f", ())} for name, facts in types.items()}
    return found


FIELDS = _fields()
DESCRIBED = _read()


@pytest.mark.parametrize("name", [name for name in DESCRIBED if not name.startswith("@")])
def test_a_type_that_is_described_has_those_fields(name: str) -> None:
    assert {*DESCRIBED[name][1]} - {""} - FIELDS[name] == set()


def test_what_types_inherit_is_described_for_one_of_them_at_least() -> None:
    for name in (one for one in DESCRIBED if one.startswith("@") and one != "@kind"):
        heirs = [one for one, (parent, _) in DESCRIBED.items() if parent == name]
        assert {*DESCRIBED[name][1]} - {""} <= {field for heir in heirs for field in FIELDS[heir]}, name


def test_descriptions_are_sentences() -> None:
    for name, words in descriptions().items():
        for field, text in words.items():
            assert text[-1:] == ".", (name, field, text)
            assert len(text) <= 240, (name, field, len(text))


def test_most_of_what_people_look_up_is_described() -> None:
    found = descriptions()
    assert sum(len({*words} - {""}) for words in found.values()) > 800
    kinds = (
        "core/v1.PodSpec",
        "core/v1.Container",
        "core/v1.ServiceSpec",
        "apps/v1.DeploymentSpec",
        "batch/v1.CronJobSpec",
    )
    for name in kinds:
        assert FIELDS[name] <= {*found[openapi_name(name)]}, name
