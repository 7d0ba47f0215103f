"""What is said about fields is said about fields that there are."""

from __future__ import annotations

from localplane.apimachinery.api_types import META_TYPES, TypeTable, openapi_name
from localplane.apis.descriptions import descriptions
from localplane.apis.table import DIRECTORY

TABLE = TypeTable(DIRECTORY, META_TYPES)
DECLARED = [declared for package in sorted(TABLE.packages) for declared in TABLE.types(package)]
FIELDS = {f"{declared.package}.{declared.name}": {field.name for field in declared.fields} for declared in DECLARED}


def test_fields_that_are_described_are_there() -> None:
    for declared in DECLARED:
        assert {*declared.descriptions()} - {""} <= FIELDS[f"{declared.package}.{declared.name}"], declared.name


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
