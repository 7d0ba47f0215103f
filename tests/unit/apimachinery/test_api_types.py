"""The notation of types, and the tables that are written in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from localplane.apimachinery.api_types import META_TYPES, SCALARS, APIField, TypeTable, openapi_name
from localplane.apimachinery.schema.declarations.tables import LEAVES
from localplane.apis.table import DIRECTORY

EXAMPLE = """\
Pot kind map=atomic # Holds a plant.
  spec PotSpec 1 always required # What is wanted.

PotSpec struct
  plants []Plant 1 always list=map keys=name,kind patch=merge
  inline Glaze 2
  colour # What it looks like.
  labels {}string 3

Glaze struct
  colour string 1 go=Color enum=red,light\\sred default="red" # Its colour.
  layers *int32 2

Plant struct
  name string 1
  notes []string 2 patch=merge list=set
"""


@pytest.fixture
def table(tmp_path: Path) -> TypeTable:
    (tmp_path / "garden_v1.txt").write_text(EXAMPLE)
    return TypeTable(str(tmp_path))


def _field(table: TypeTable, definition: str, name: str) -> APIField:
    return next(field for field in table.type(definition).fields if field.name == name)


def test_a_type_says_what_it_is(table: TypeTable) -> None:
    pot, plant = table.type("garden/v1.Pot"), table.type("garden/v1.Plant")
    assert (pot.is_kind, pot.map_type) == (True, "atomic")
    assert (plant.is_kind, plant.map_type) == (False, "")
    assert table.packages == {"garden/v1"}
    assert [declared.name for declared in table.types("garden/v1")] == ["Pot", "PotSpec", "Glaze", "Plant"]


def test_a_type_that_is_not_there_is_a_key_error(table: TypeTable) -> None:
    for definition in ("garden/v1.Spade", "shed/v1.Pot"):
        assert table.get(definition) is None
        with pytest.raises(KeyError):
            table.type(definition)


def test_types_of_the_same_package_need_not_name_it(table: TypeTable) -> None:
    assert _field(table, "garden/v1.Pot", "spec").type == "garden/v1.PotSpec"
    assert _field(table, "garden/v1.PotSpec", "plants").type == "[]garden/v1.Plant"
    assert _field(table, "garden/v1.PotSpec", "labels").type == "{}string"


def test_what_is_always_written_is_null_if_it_can_be(table: TypeTable) -> None:
    assert _field(table, "garden/v1.Pot", "spec").emit == "always"
    assert _field(table, "garden/v1.PotSpec", "plants").emit == "null"
    assert _field(table, "garden/v1.PotSpec", "labels").emit == ""


def test_inline_fields_stand_where_the_struct_is_embedded(table: TypeTable) -> None:
    fields = table.type("garden/v1.PotSpec").fields
    assert [field.name for field in fields] == ["plants", "colour", "layers", "labels"]
    colour = fields[1]
    assert (colour.path, colour.inline, colour.number, colour.go_name) == ((2,), "Glaze", 1, "Color")


def test_a_description_of_an_inline_field_may_be_another_here(table: TypeTable) -> None:
    assert table.type("garden/v1.Glaze").descriptions() == {"colour": "Its colour."}
    assert table.type("garden/v1.PotSpec").descriptions() == {"colour": "What it looks like."}
    assert table.type("garden/v1.Pot").descriptions() == {"": "Holds a plant.", "spec": "What is wanted."}


def test_a_list_merges_by_the_first_of_its_keys(table: TypeTable) -> None:
    plants, notes = _field(table, "garden/v1.PotSpec", "plants"), _field(table, "garden/v1.Plant", "notes")
    assert (plants.patch_strategies, plants.merge_key, plants.list_keys) == (["merge"], "name", ["name", "kind"])
    assert (notes.patch_strategies, notes.merge_key) == (["merge"], "")
    assert _field(table, "garden/v1.Plant", "name").patch_strategies == ()


@pytest.mark.parametrize("package", sorted(TypeTable(DIRECTORY, META_TYPES).packages))
def test_every_type_that_a_field_has_is_in_the_tables(package: str) -> None:
    table = TypeTable(DIRECTORY, META_TYPES)
    without_fields = {*LEAVES, *(f"apiextensions/v1.{name}" for name in ("JSON", *_ALTERNATIVES))}
    for declared in table.types(package):
        for field in declared.fields:
            kind = field.type
            while kind[:2] in ("[]", "{}"):
                kind = kind[2:]
            version = kind if "/" in package else kind.replace(f"{package}.", f"{package}/v1.")
            known = kind in SCALARS or kind in without_fields or table.get(kind) or table.get(version)
            assert known, f"{package}.{declared.name}.{field.name}: {kind}"


def test_documents_call_types_by_where_they_live() -> None:
    assert openapi_name("core/v1.Pod") == "io.k8s.api.core.v1.Pod"
    assert openapi_name("meta/v1.Time") == "io.k8s.apimachinery.pkg.apis.meta.v1.Time"
    assert openapi_name("resource/v1.DeviceClass") == "io.k8s.api.resource.v1.DeviceClass"
    assert openapi_name("resource.Quantity") == "io.k8s.apimachinery.pkg.api.resource.Quantity"


_ALTERNATIVES = ("JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray")
