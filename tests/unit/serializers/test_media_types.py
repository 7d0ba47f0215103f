"""Accept and Content-Type. The sentences are those of a real kube-apiserver."""

from __future__ import annotations

import pytest

from localplane.apimachinery.errors import APIError, NotAcceptable, UnsupportedMediaType
from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.serializers.media_types import (
    JSON,
    PROTOBUF,
    YAML,
    MediaType,
    Negotiated,
    check_route,
    check_route_input,
    negotiate,
    negotiate_input,
    negotiate_stream,
    object_transforms,
    parse_accept,
    parse_content_type,
    stream_names,
    wants_pretty,
)

ALL = (JSON, YAML, PROTOBUF)
NAMES = [media_type.name for media_type in ALL]
TABLE = GroupVersionKind("meta.k8s.io", "v1", "Table")


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("*", JSON),
        ("application/*", JSON),
        ("application/yaml", YAML),
        ("text/csv, */*", JSON),
        ("application/vnd.nope+json,application/json;q=0.5", JSON),
        ("application/vnd.kubernetes.protobuf,application/json", PROTOBUF),
        ("application/json;q=0.1,application/yaml;q=0.9", YAML),
        ("application/json;q=0.1, */*", JSON),
        ("application/yaml;q=x, application/json;q=0.1", JSON),
        ("application/json;as=Nope;v=v1;g=meta.k8s.io,application/yaml", YAML),
        ("application/json;stream=nope,application/yaml", YAML),
        ("application/yaml;stream=watch,application/vnd.kubernetes.protobuf;stream=watch", PROTOBUF),
        (" application/yaml ; q=0.5 ", YAML),
    ],
)
def test_the_best_form_that_can_be_served_is_chosen(accept: str, media_type: MediaType) -> None:
    assert negotiate(accept, ALL).media_type is media_type


@pytest.mark.parametrize(
    "accept", ["text/csv", "application", "application/json/x", "APPLICATION/JSON", ",", "application/json;as=Table"]
)
def test_what_can_not_be_served_is_not_acceptable(accept: str) -> None:
    with pytest.raises(NotAcceptable) as refusal:
        negotiate(accept, ALL)
    assert refusal.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "only the following media types are accepted: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf",
        "reason": "NotAcceptable",
        "code": 406,
    }


def test_parameters_say_what_the_object_shall_become() -> None:
    found = negotiate(
        "application/json;as=Table;v=v1;g=meta.k8s.io;charset=utf-8;pretty=1;profile=p;x=y",
        ALL,
        transforms=object_transforms(),
    )
    assert found == Negotiated(JSON, TABLE, pretty=True, charset="utf-8", profile="p")
    assert found.as_kind == "Table"
    assert found.as_group_version == GroupVersion("meta.k8s.io", "v1")
    assert negotiate("", ALL).as_kind is None


def test_kubectl_gets_a_table_and_falls_back_to_the_object() -> None:
    tables = ("application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v1beta1;g=meta.k8s.io")
    accept = ",".join((*tables, "application/json"))
    assert negotiate(accept, ALL, transforms=object_transforms()).as_kind == "Table"
    assert negotiate(accept, ALL, transforms=object_transforms(table=False)) == Negotiated(JSON)


@pytest.mark.parametrize(
    ("media_type", "kind", "allowed"),
    [
        (JSON, None, True),
        (PROTOBUF, None, False),
        (YAML, TABLE, True),
        (PROTOBUF, TABLE, False),
        (PROTOBUF, GroupVersionKind("meta.k8s.io", "v1beta1", "PartialObjectMetadataList"), True),
        (JSON, GroupVersionKind("meta.k8s.io", "v2", "Table"), False),
        (JSON, GroupVersionKind("meta.k8s.io", "v1", "Nope"), False),
    ],
)
def test_a_custom_resource_has_fewer_forms(media_type: MediaType, kind: GroupVersionKind | None, allowed: bool) -> None:  # noqa: FBT001 - a column
    assert object_transforms(plain=(JSON, YAML))(media_type, kind) is allowed


def test_people_get_pretty_json() -> None:
    assert negotiate("", ALL, pretty=True).pretty
    assert not negotiate("application/yaml", ALL, pretty=True).pretty
    assert not negotiate("application/yaml;pretty=1", ALL).pretty


@pytest.mark.parametrize(
    ("parameter", "user_agent", "pretty"),
    [
        (None, "curl/8.0", True),
        (None, "Wget/1", True),
        (None, "Mozilla/5.0 (X11)", True),
        (None, "kubectl/v1.32", False),
        ("", "curl/8.0", True),
        ("false", "curl/8.0", False),
        ("maybe", "curl/8.0", False),
        ("1", "kubectl", True),
        ("true", "kubectl", True),
    ],
)
def test_who_is_a_person(parameter: str | None, user_agent: str, pretty: bool) -> None:  # noqa: FBT001 - a column
    assert wants_pretty(parameter, user_agent) is pretty


def test_events_need_a_form_that_streams() -> None:
    assert negotiate_stream("application/json;stream=watch", ALL) == Negotiated(JSON, stream="watch")
    with pytest.raises(NotAcceptable) as refusal:
        negotiate_stream("application/yaml", ALL)
    assert str(refusal.value) == (
        "only the following media types are accepted: "
        "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
    )


@pytest.mark.parametrize("accept", ["text/csv", "application/*", "application/cbor", "*"])
def test_the_router_refuses_what_has_no_known_name(accept: str) -> None:
    with pytest.raises(NotAcceptable) as refusal:
        check_route(accept, NAMES + stream_names(ALL))
    assert refusal.value.status()["details"] == {}
    assert str(refusal.value) == (
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
        "application/vnd.kubernetes.protobuf, application/json;stream=watch, "
        "application/vnd.kubernetes.protobuf;stream=watch"
    )


@pytest.mark.parametrize(
    "accept", ["", "*/*", "text/csv, */*;q=0", "application/json;as=Nope", "x,application/yaml ;q=1"]
)
def test_the_router_looks_at_names_only(accept: str) -> None:
    check_route(accept, NAMES)


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/json"])
def test_the_router_refuses_a_patch_of_an_unknown_form(content_type: str) -> None:
    with pytest.raises(UnsupportedMediaType) as refusal:
        check_route_input(content_type, ["application/json-patch+json", "application/merge-patch+json"])
    assert refusal.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "415: Unsupported Media Type",
        "reason": "UnsupportedMediaType",
        "details": {},
        "code": 415,
    }
    check_route_input("application/merge-patch+json; charset=utf-8", ["application/merge-patch+json"])


@pytest.mark.parametrize(
    ("content_type", "media_type"),
    [
        ("", JSON),
        ("application/json", JSON),
        ("application/json; charset=utf-8", JSON),
        ("Application/YAML;", YAML),
        ('application/json;a="b;c" ; d=e', JSON),
    ],
)
def test_the_form_of_a_body_is_recognized(content_type: str, media_type: MediaType) -> None:
    assert negotiate_input(content_type, ALL) is media_type


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "application/json; charset", "json;;", "a b/c"]
)
def test_an_unknown_form_of_a_body_is_unsupported(content_type: str) -> None:
    with pytest.raises(UnsupportedMediaType) as refusal:
        negotiate_input(content_type, ALL)
    assert str(refusal.value) == (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf"
    )
    assert "details" not in refusal.value.status()


def test_a_parameter_may_be_repeated_but_not_changed() -> None:
    assert parse_content_type("a/b;c=d;c=d") == "a/b"
    assert parse_content_type("a/b;c=d;c=e") is None


def test_many_alternatives_are_sorted_and_too_many_are_none() -> None:
    header = ",".join(f"a/b{n};q=0.{n % 10}" for n in range(200))
    clauses = parse_accept(header)
    assert len(clauses) == 200
    assert clauses[0].quality == 0.9
    assert parse_accept(",".join([header, *["application/json"] * 1000])) == ()
    with pytest.raises(APIError):
        negotiate(",".join(["application/json"] * 1000), ALL)


def test_a_quality_of_many_digits_is_none() -> None:
    assert [clause.quality for clause in parse_accept("a/b;q=0.25")] == [0.25]
    assert [clause.quality for clause in parse_accept(f"a/b;q=0.{'1' * 100}")] == [0.0]
