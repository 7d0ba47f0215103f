"""Groups, resources, versions and columns that can't be served are refused where they are declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from localplane.library import (
    APIGroup,
    Column,
    DeclarationError,
    PlaneOptions,
    Resource,
    ServerOptions,
    Strategy,
    Subresource,
    Version,
    open_plane,
    run,
)


class Book:
    title: str


class Meta:
    name: str


class BookWithMeta:
    metadata: Meta


def resource(plural: Any = "books", kind: Any = "Book", versions: Any = None, **more: Any) -> Resource:
    return Resource(plural, kind, [Version("v1", Book)] if versions is None else versions, **more)


def unchanged(obj: dict[str, Any]) -> dict[str, Any]:
    return obj


LABEL = "a DNS-1035 label must consist of lower case alphanumeric characters or '-'"
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "plural": (lambda: resource("Foo Bars"), f"Resource('Foo Bars'): plural 'Foo Bars': {LABEL}"),
    "kind": (lambda: resource(kind="My Book"), f"Resource('books'): kind 'My Book', in lower case: {LABEL}"),
    "kind that is a class": (
        lambda: resource(kind=Book),
        "Resource('books'): kind is <class 'tests.unit.server.test_wrong_declarations.Book'>, which is no text",
    ),
    "version": (lambda: Version("version one"), f"Version('version one'): the name 'version one': {LABEL}"),
    "group": (
        lambda: APIGroup("No Dots", [resource()]),
        "APIGroup('No Dots'): its name: a lowercase RFC 1123 subdomain",
    ),
    "group of one resource": (
        lambda: APIGroup("example.com", resource()),  # type: ignore[arg-type]  # what is asked about
        "APIGroup('example.com'): resources is Resource(",
    ),
    "resource twice": (
        lambda: APIGroup("example.com", [resource(), resource(kind="Tome")]),
        "APIGroup('example.com'): the plural books in v1 is declared twice",
    ),
    "kind twice": (
        lambda: APIGroup("example.com", [resource(), resource("tomes")]),
        "APIGroup('example.com'): the kind Book in v1 is declared twice",
    ),
    "preferred": (
        lambda: APIGroup("example.com", [resource()], preferred="v9"),
        "APIGroup('example.com'): preferred is 'v9', which no resource has as a served version",
    ),
    "no versions": (lambda: resource(versions=[]), "Resource('books'): it has no versions"),
    "a version without a list": (
        lambda: resource(versions=Version("v1", Book)),
        "Resource('books'): versions is Version(",
    ),
    "names for versions": (
        lambda: resource(versions=["v1"]),
        "Resource('books'): one of versions is 'v1': it is a Version",
    ),
    "version twice": (
        lambda: resource(versions=[Version("v1"), Version("v1")]),
        "Resource('books'): the version v1 is declared twice",
    ),
    "storage_version": (
        lambda: resource(storage_version="v9"),
        "Resource('books'): storage_version is 'v9', and its versions are v1",
    ),
    "hub": (lambda: resource(hub="v9"), "Resource('books'): hub is 'v9', and its versions are v1"),
    "class for strategy": (
        lambda: resource(strategy=Strategy),
        "Resource('books'): strategy is the class Strategy: give an instance, Strategy()",
    ),
    "no strategy": (
        lambda: resource(status_strategy="none"),
        "Resource('books'): status_strategy is 'none': it is a Strategy",
    ),
    "short names": (
        lambda: resource(short_names="bk"),
        "Resource('books'): short_names is 'bk': it is a list of texts",
    ),
    "short name": (lambda: resource(short_names=["B K"]), f"Resource('books'): short_names 'B K': {LABEL}"),
    "list kind": (
        lambda: resource(list_kind="Book"),
        "Resource('books'): kind and list_kind are both Book",
    ),
    "subresource": (
        lambda: resource(subresources={"scale": Book}),
        "Resource('books'): the subresource 'scale' is <class",
    ),
    "status": (
        lambda: resource(subresources={"status": Subresource(storage=lambda _: None)}),  # type: ignore[arg-type,return-value]  # what is asked about
        "Resource('books'): status is declared by has_status=True",
    ),
    "subresource without storage": (
        lambda: Subresource(storage="memory"),  # type: ignore[arg-type]  # what is asked about
        "Subresource: storage is 'memory': it is a function of a Definition",
    ),
    "schema that is none": (
        lambda: Version("v1", 5),  # type: ignore[arg-type]  # what is asked about
        "Version('v1'): schema is 5, which is no class and no OpenAPI schema",
    ),
    "instance for schema": (
        lambda: Version("v1", Book()),  # type: ignore[arg-type]  # what is asked about
        "Version('v1'): schema is <tests.unit.server.test_wrong_declarations.Book object at",
    ),
    "metadata": (
        lambda: Version("v1", BookWithMeta),
        "Version('v1'): metadata is the same in every kind: leave it out",
    ),
    "one way": (
        lambda: Version("v1", to_hub=unchanged),
        "Version('v1'): to_hub and from_hub go together: what is converted one way must come back",
    ),
    "other way": (lambda: Version("v1", from_hub=unchanged), "Version('v1'): to_hub and from_hub go together"),
    "default": (
        lambda: Version("v1", default={"a": 1}),  # type: ignore[arg-type]  # what is asked about
        "Version('v1'): default is {'a': 1}: it is a function",
    ),
    "column type": (
        lambda: Column("Title", type="text"),
        "Column('Title'): the type 'text' is none of string, integer, number, boolean, date",
    ),
    "column value": (
        lambda: Column("Title", ".spec.title"),  # type: ignore[arg-type]  # what is asked about
        "Column('Title'): value is '.spec.title': it is a function of an object",
    ),
    "column without a name": (lambda: Column(""), "Column(''): it has no name"),
    "names for columns": (
        lambda: Version("v1", columns=["Title"]),  # type: ignore[list-item]  # what is asked about
        "Version('v1'): one of columns is 'Title': it is a Column",
    ),
    "rows without a name": (
        lambda: Version("v1", columns=[Column("Title")], cells=lambda _: [""]),
        "Version('v1'): columns have no Name, and rows that are made at once can't be given one: add it",
    ),
    "class for an admission plugin": (
        lambda: PlaneOptions(admission=[Book]),  # type: ignore[list-item]  # what is asked about
        "PlaneOptions: admission has the class Book: give an instance of it",
    ),
    "instance for a controller": (
        lambda: PlaneOptions(controllers=[Book()]),  # type: ignore[list-item]  # what is asked about
        "PlaneOptions: the controller <",
    ),
    "class for options": (
        lambda: PlaneOptions(server=ServerOptions),  # type: ignore[arg-type]  # what is asked about
        "server is the class ServerOptions: give an instance, ServerOptions()",
    ),
}
WRONG_SCHEMAS: dict[str, tuple[dict[str, Any], str]] = {
    "type": (
        {"type": "objekt"},
        "schema: the type 'objekt' is none of object, array, string, integer, number, boolean",
    ),
    "type below": (
        {"type": "object", "properties": {"spec": {"type": "object", "properties": {"x": {"type": "int"}}}}},
        "spec.x: the type 'int' is none of",
    ),
    "word": (
        {"type": "object", "properties": {"x": {"type": "string", "minLenght": 3}}},
        "x: minLenght is not understood",
    ),
    "reference": ({"$ref": "#/definitions/x"}, "schema: $ref is not understood"),
    "rules": (
        {"type": "object", "x-kubernetes-validations": [{"rule": "true"}]},
        "schema: x-kubernetes-validations is not understood: rules are for custom resources; say it in a Strategy's",
    ),
    "array without items": (
        {"type": "object", "properties": {"x": {"type": "array"}}},
        "x: an array says what its items are",
    ),
    "properties": ({"type": "object", "properties": ["x"]}, "schema: properties is ['x']: it is a dictionary"),
    "required": ({"type": "object", "required": "x"}, "schema: required is 'x': it is a list"),
    "items": ({"type": "array", "items": {"type": "strng"}}, "schema.items: the type 'strng' is none of"),
    "pattern": (
        {"type": "object", "properties": {"x": {"type": "string", "pattern": "("}}},
        "x: the pattern '(' can't",
    ),
    "bounds": (
        {"type": "object", "properties": {"x": {"type": "integer", "minimum": 3, "maximum": 1}}},
        "x: minimum 3 is more than maximum 1",
    ),
    "property that is none": (
        {"type": "object", "properties": {"x": "string"}},
        "x: a schema is a dictionary, not 'string'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_can_t_be_served_is_refused_where_it_is_declared(case: str) -> None:
    declare, sentence = WRONG[case]
    with pytest.raises(DeclarationError) as refusal:
        declare()
    assert str(refusal.value).startswith(sentence)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("case", WRONG_SCHEMAS)
def test_a_dictionary_that_is_no_schema_is_refused_where_it_is_declared(case: str) -> None:
    schema, sentence = WRONG_SCHEMAS[case]
    with pytest.raises(DeclarationError) as refusal:
        Version("v1", schema)
    assert str(refusal.value).startswith(sentence)


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ([APIGroup("nodots", [resource()])], "APIGroup('nodots'): groups without a dot are Kubernetes' own"),
        ([APIGroup("a.io", [resource()]), APIGroup("a.io", [resource()])], "the group a.io is declared twice"),
        ([resource()], "one of groups is Resource("),
        (APIGroup("a.io", [resource()]), "groups is APIGroup("),
    ],
)
async def test_groups_that_can_t_be_served_open_no_plane(
    groups: Any, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DeclarationError) as refusal:
        async with open_plane(groups):
            pass
    assert str(refusal.value).startswith(sentence)
    assert capsys.readouterr().out == ""


def test_a_program_with_such_groups_leaves_with_the_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([APIGroup("nodots", [resource()])], arguments=["--port", "0"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: APIGroup('nodots'): groups without a dot are Kubernetes' own: nodots.example.com")


def test_a_table_without_a_name_gets_one() -> None:
    version = Version("v1", Book, columns=[Column("Title", lambda book: book["title"])])
    assert [column.name for column in version.columns] == ["Name", "Title"]
    assert version.columns[0].value({"metadata": {"name": "a"}}) == "a"
    own = Version("v1", columns=[Column("Title"), Column("NAME", lambda _: "x")])
    assert [column.name for column in own.columns] == ["Title", "NAME"]
