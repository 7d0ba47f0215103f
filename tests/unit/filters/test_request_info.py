"""What paths mean."""

from __future__ import annotations

import timeit

import pytest

from localplane.apiserver.endpoints import request_info as module
from localplane.apiserver.endpoints.filters import request_info
from localplane.apiserver.endpoints.request_info import resolve
from localplane.apiserver.request import Query, RequestInfo, Response
from tests.unit.filters.requests import Recorded, make_request


def info(method: str, url: str) -> RequestInfo:
    return make_request(method, url).info


RESOURCES = [
    # method, url, verb, group, version, namespace, resource, subresource, name
    ("GET", "/api/v1/namespaces", "list", "", "v1", "", "namespaces", "", ""),
    ("GET", "/api/v1/namespaces/other", "get", "", "v1", "other", "namespaces", "", "other"),
    ("GET", "/api/v1/namespaces/other/pods", "list", "", "v1", "other", "pods", "", ""),
    ("GET", "/api/v1/namespaces/other/pods/foo", "get", "", "v1", "other", "pods", "", "foo"),
    ("HEAD", "/api/v1/namespaces/other/pods/foo", "get", "", "v1", "other", "pods", "", "foo"),
    ("GET", "/api/v1/pods", "list", "", "v1", "", "pods", "", ""),
    ("HEAD", "/api/v1/pods", "list", "", "v1", "", "pods", "", ""),
    ("GET", "/api/v1/nodes/n", "get", "", "v1", "", "nodes", "", "n"),
    ("GET", "/api/v1/nodes/n/", "get", "", "v1", "", "nodes", "", "n"),
    ("GET", "/apis/apps/v1/namespaces/d/deployments/x/scale", "get", "apps", "v1", "d", "deployments", "scale", "x"),
    ("PUT", "/api/v1/namespaces/other/finalize", "update", "", "v1", "other", "namespaces", "finalize", "other"),
    ("PUT", "/api/v1/namespaces/other/status", "update", "", "v1", "other", "namespaces", "status", "other"),
    ("GET", "/api/v1/namespaces/status", "get", "", "v1", "status", "namespaces", "", "status"),
    ("POST", "/api/v1/namespaces/other/pods", "create", "", "v1", "other", "pods", "", ""),
    ("PUT", "/api/v1/namespaces/other/pods/foo", "update", "", "v1", "other", "pods", "", "foo"),
    ("PATCH", "/api/v1/namespaces/other/pods/foo", "patch", "", "v1", "other", "pods", "", "foo"),
    ("DELETE", "/api/v1/namespaces/other/pods/foo", "delete", "", "v1", "other", "pods", "", "foo"),
    ("DELETE", "/api/v1/namespaces/other/pods", "deletecollection", "", "v1", "other", "pods", "", ""),
    ("DELETE", "/api/v1/nodes", "deletecollection", "", "v1", "", "nodes", "", ""),
    ("OPTIONS", "/api/v1/pods", "", "", "v1", "", "pods", "", ""),
    ("FOO", "/api/v1/pods/x", "", "", "v1", "", "pods", "", "x"),
    ("GET", "/api/v1/watch/pods", "watch", "", "v1", "", "pods", "", ""),
    ("GET", "/api/v1/watch/namespaces", "watch", "", "v1", "", "namespaces", "", ""),
    ("GET", "/api/v1/watch/namespaces/other/pods", "watch", "", "v1", "other", "pods", "", ""),
    ("GET", "/api/v1/watch/namespaces/other/pods/foo", "watch", "", "v1", "other", "pods", "", "foo"),
    ("GET", "/apis/apps/v1/watch/deployments", "watch", "apps", "v1", "", "deployments", "", ""),
    ("POST", "/api/v1/watch/pods", "watch", "", "v1", "", "pods", "", ""),
    ("GET", "/api/v1/proxy/namespaces/other/pods/foo/sub/path", "proxy", "", "v1", "other", "pods", "", "foo"),
    ("GET", "/api/v1/namespaces/other/pods/foo/proxy/sub/path", "get", "", "v1", "other", "pods", "proxy", "foo"),
    ("GET", "/api/v1//namespaces", "get", "", "v1", "", "", "", "namespaces"),
]


@pytest.mark.parametrize("row", RESOURCES)
def test_a_path_below_a_version_is_a_resource(row: tuple[str, ...]) -> None:
    method, url, *expected = row
    found = info(method, url)
    assert found.is_resource
    assert [
        *(found.verb, found.group, found.version, found.namespace, found.resource, found.subresource, found.name)
    ] == expected
    assert found.api_prefix == ("apis" if found.group else "api")
    assert found.path == url


@pytest.mark.parametrize(
    "url", ["/", "", "/healthz", "/version/", "/api", "/api/", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1"]
)
def test_anything_shorter_is_a_path(url: str) -> None:
    assert not info("GET", url).is_resource
    assert info("POST", url).verb == "post"


def test_a_path_under_another_prefix_is_a_path() -> None:
    found = info("GET", "/openapi/v3/apis/apps/v1")
    assert (found.is_resource, found.verb, found.path) == (False, "get", "/openapi/v3/apis/apps/v1")


def test_parts_begin_with_the_resource() -> None:
    assert info("GET", "/api/v1/namespaces/d/pods/x/proxy/a/b").parts == ("pods", "x", "proxy", "a", "b")


@pytest.mark.parametrize(
    ("query", "verb"),
    [
        ("watch=1", "watch"),
        ("watch=true", "watch"),
        ("watch=maybe", "watch"),
        ("watch", "watch"),
        ("watch=", "watch"),
        ("watch=0", "list"),
        ("watch=false", "list"),
        ("watch=False", "list"),
        ("watch=false&watch=true", "list"),
        ("limit=abc&watch=true", "watch"),
        ("", "list"),
    ],
)
def test_a_list_becomes_a_watch_unless_the_parameter_says_no(query: str, verb: str) -> None:
    assert info("GET", f"/api/v1/pods?{query}").verb == verb


def test_the_parameter_does_not_make_a_get_a_watch() -> None:
    assert info("GET", "/api/v1/namespaces/d/pods/x?watch=1").verb == "get"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("fieldSelector=metadata.name%3Dx", "x"),
        ("fieldSelector=metadata.name%3D%3Dx,status.phase%3DRunning", "x"),
        ("fieldSelector=metadata.name!%3Dx", ""),
        ("fieldSelector=status.phase%3DRunning", ""),
        ("fieldSelector=metadata.name%3D..", ""),
        ("fieldSelector=metadata.name%3Da/b", ""),
        ("fieldSelector=metadata.name%3Dx&limit=abc", ""),
        ("fieldSelector=metadata.name%3Dx&timeoutSeconds=abc", ""),
        ("fieldSelector=metadata.name%3Dx&labelSelector=a%3D%3D%3D", ""),
        ("fieldSelector=nonsense", ""),
    ],
)
def test_a_list_of_one_named_object_carries_its_name(query: str, name: str) -> None:
    assert info("GET", f"/api/v1/namespaces/d/pods?{query}").name == name
    watch = info("GET", f"/api/v1/namespaces/d/pods?watch=1&{query}")
    assert (watch.verb, watch.name) == ("watch", name)


def test_a_collection_to_be_deleted_never_gets_a_name() -> None:
    found = info("DELETE", "/api/v1/namespaces/d/pods?fieldSelector=metadata.name%3Dx")
    assert (found.verb, found.name, found.field_selector) == ("deletecollection", "", "metadata.name=x")


def test_selectors_are_kept_where_they_select() -> None:
    query = "fieldSelector=a%3Db&labelSelector=c%3Dd"
    for method, url in (("GET", "/api/v1/pods"), ("GET", "/api/v1/pods?watch=1"), ("DELETE", "/api/v1/pods")):
        found = info(method, f"{url}{'&' if '?' in url else '?'}{query}")
        assert (found.field_selector, found.label_selector) == ("a=b", "c=d")
    for method, url in (("GET", "/api/v1/nodes/n"), ("POST", "/api/v1/pods"), ("GET", "/api/v1/watch/pods")):
        found = info(method, f"{url}?{query}")
        assert (found.field_selector, found.label_selector) == ("", "")


def test_unreadable_selectors_are_still_told() -> None:
    assert info("GET", "/api/v1/pods?labelSelector=((").label_selector == "(("


async def test_a_verb_without_anything_to_do_it_to_is_an_internal_error() -> None:
    handler = Recorded()
    request = make_request("GET", "/healthz")
    request.path = "/api/v1/watch"
    answer = await request_info()(handler)(request)
    assert isinstance(answer, Response)
    assert answer.status == 500
    assert answer.body == (
        b'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: '
        b"unable to determine kind and namespace from url, /api/v1/watch\n"
    )
    assert not handler.requests


async def test_the_filter_tells_the_handler() -> None:
    handler = Recorded()
    request = make_request("GET", "/healthz")
    request.path = "/api/v1/nodes/n"
    await request_info()(handler)(request)
    assert handler.requests[0].info.name == "n"


def test_long_paths_are_not_remembered() -> None:
    before = module._remembered.cache_info().currsize
    for index in range(10):
        resolve("GET", f"/api/v1/nodes/{'x' * 2000}{index}", Query({}))
        resolve("GET", "/api/v1/nodes", Query({"labelSelector": ["a" * 2000 + str(index)]}))
    assert module._remembered.cache_info().currsize == before


def test_resolving_again_is_fast() -> None:
    query = Query({"limit": ["500"]})
    seconds = min(
        timeit.repeat(lambda: resolve("GET", "/api/v1/namespaces/default/configmaps", query), number=2000, repeat=5)
    )
    assert seconds / 2000 < 20e-6  # it is below one microsecond; a busy machine may be slow
