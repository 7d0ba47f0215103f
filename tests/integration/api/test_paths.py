"""Paths: where a resource is and is not, by which methods, and what serves it."""

from __future__ import annotations

import pytest

from tests.integration.api.talk import API, without
from tests.integration.api.toys import CONFIG_MAPS, CORE, PODS, config_map, pod

NOT_FOUND = (404, "NotFound", "the server could not find the requested resource")
NOT_ALLOWED = (405, "MethodNotAllowed", "the server does not allow this method on the requested resource")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/nopes"),
        ("POST", "/api/v1/namespaces/default/nopes"),
        ("GET", "/api/v9/configmaps"),
        ("GET", "/api/v1/configmaps/a"),
        ("DELETE", "/api/v1/configmaps/a"),
        ("GET", "/api/v1/namespaces/default/nodes"),
        ("GET", "/api/v1/namespaces/default/nodes/a"),
        ("GET", "/api/v1/namespaces/default/namespaces/other"),
        ("GET", "/api/v1/namespaces/default/configmaps/a/nope"),
        ("GET", "/api/v1/namespaces/default/pods/a/status/more"),
        ("GET", "/api/v1/namespaces/default/configmaps/a/b/c/d"),
        ("GET", "/api/v1/bindings"),
        ("POST", "/api/v1/bindings"),
        ("GET", "/api/v1/proxy/namespaces/default/pods/a"),
        ("GET", "/api/v1/watch/namespaces/default/pods/a/status"),
        ("GET", "/api/v1/watch/configmaps/a"),
        ("GET", "/api/v1/watch/components"),
        ("PUT", "/api/v1/nodes/a/status"),
        ("GET", "/api/v1/namespaces/default/pods//status"),
        ("PUT", "/api/v1/namespaces/default/pods//status"),
        ("POST", "/api/v1/namespaces/default/pods//binding"),
        ("GET", "/api/v1/namespaces/default/pods//scale"),
    ],
)
async def test_where_no_method_would_do_nothing_is_found(api: API, method: str, path: str) -> None:
    refused = await api.send(method, path)
    assert refused.error == NOT_FOUND
    assert refused.body["details"] == {}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/configmaps"),
        ("DELETE", "/api/v1/configmaps"),
        ("PUT", CONFIG_MAPS),
        ("PATCH", CONFIG_MAPS),
        ("POST", f"{CONFIG_MAPS}/a"),
        ("HEAD", CONFIG_MAPS),
        ("HEAD", f"{CONFIG_MAPS}/a"),
        ("OPTIONS", CONFIG_MAPS),
        ("GET", "/api/v1/namespaces/default/bindings"),
        ("DELETE", "/api/v1/namespaces/default/bindings"),
        ("POST", f"{PODS}/a/status"),
        ("DELETE", f"{PODS}/a/status"),
        ("GET", f"{PODS}/a/binding"),
        ("PUT", f"{PODS}/a/scale"),
        ("DELETE", "/api/v1/components/a"),
        ("POST", "/api/v1/components"),
        ("POST", "/api/v1/watch/configmaps"),
    ],
)
async def test_where_another_method_would_do_this_one_is_not_allowed(api: API, method: str, path: str) -> None:
    refused = await api.send(method, path)
    assert refused.error == NOT_ALLOWED
    assert refused.body["details"] == {}


@pytest.mark.parametrize("path", ["/apis/nope.example.com/v1/foos", "//api/v1/configmaps", "/apis//v1/configmaps"])
async def test_a_group_that_nobody_serves_is_a_page_that_is_not_found(api: API, path: str) -> None:
    reply = await api.get(path)
    assert (reply.status, reply.data) == (404, b"404 page not found\n")


async def test_a_path_that_names_a_verb_and_nothing_else_is_a_fault_of_its_own(api: API) -> None:
    reply = await api.get("/api/v1/watch")
    assert reply.status == 500
    assert b"unable to determine kind and namespace from url, /api/v1/watch" in reply.data


async def test_a_namespace_is_an_object_and_a_place(api: API) -> None:
    assert (await api.post("/api/v1/namespaces", {"metadata": {"name": "n"}})).status == 201
    assert (await api.get("/api/v1/namespaces/n")).body["kind"] == "Namespace"
    assert (await api.get("/api/v1/namespaces/n/status")).body["kind"] == "Namespace"
    assert (await api.get("/api/v1/namespaces/n/configmaps")).body["kind"] == "ConfigMapList"
    assert (await api.merge("/api/v1/namespaces/n", {"metadata": {"labels": {"a": "b"}}})).status == 200
    put = await api.put("/api/v1/namespaces/n", {"metadata": {"name": "n"}})
    assert (put.status, "namespace" in put.body["metadata"]) == (200, False)
    watch = await api.watch("/api/v1/watch/namespaces/n")
    assert (await watch.next())["object"]["metadata"]["name"] == "n"
    await watch.close()
    assert (await api.delete("/api/v1/namespaces/n")).status == 200


async def test_what_can_only_be_created_answers_with_what_it_says(api: API) -> None:
    body = {"metadata": {"name": "a"}, "target": {"name": "n"}}
    success = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    created = await api.post("/api/v1/namespaces/default/bindings", body)
    assert (created.status, created.body) == (201, success)
    created = await api.post(f"{PODS}/a/binding", body)
    assert (created.status, created.body) == (201, success)


async def test_a_subresource_speaks_in_its_own_kind(api: API) -> None:
    refused = await api.post(f"{PODS}/a/binding", {"kind": "Pod", "apiVersion": "v1"})
    assert refused.message.startswith('Pod in version "v1" cannot be handled as a Binding: ')
    await api.post(PODS, pod("a", spec={"replicas": 3}))
    scale = (await api.get(f"{PODS}/a/scale")).body
    assert scale == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "a"},
        "spec": {"replicas": 3},
    }


async def test_what_is_made_up_when_asked_for_can_be_got_and_listed(api: API) -> None:
    assert (await api.get("/api/v1/components/x")).body == {
        "kind": "Component",
        "apiVersion": "v1",
        "metadata": {"name": "x"},
        "data": {"healthy": "yes"},
    }
    listed = (await api.get("/api/v1/components")).body
    assert (listed["kind"], listed["items"]) == (
        "ComponentList",
        [{"metadata": {"name": name}, "data": {"healthy": "yes"}} for name in "ab"],
    )
    refused = await api.get("/api/v1/components?watch=1")
    assert refused.error == (405, "MethodNotAllowed", 'watch is not supported on resources of kind "components"')


async def test_verbs_follow_from_what_a_storage_can_do(api: API) -> None:
    (core,) = [group for group in api.installer.describe() if not group.name]
    verbs = {resource.name: tuple(resource.verbs) for resource in core.versions[0].resources}
    assert verbs["configmaps"] == (
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    )
    assert verbs["bindings"] == ("create",)
    assert verbs["components"] == ("get", "list")
    (pods,) = [resource for resource in core.versions[0].resources if resource.name == "pods"]
    below = {sub.name: (sub.kind, tuple(sub.verbs)) for sub in pods.subresources}
    assert below == {
        "binding": ("Binding", ("create",)),
        "scale": ("Scale", ("get",)),
        "status": ("Pod", ("get", "patch", "update")),
    }
    assert [str(sub.answers) for sub in pods.subresources if sub.answers] == ["autoscaling/v1, Kind=Scale"]


async def test_a_resource_that_is_no_longer_declared_is_gone_at_once(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    api.installer.install(without(CORE, "configmaps"))
    assert (await api.get(f"{CONFIG_MAPS}/a")).error == NOT_FOUND
    api.installer.install(CORE)
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200


@pytest.mark.parametrize("path", [f"{CONFIG_MAPS}/", f"{CONFIG_MAPS}//a"])
async def test_slashes_too_many_never_fail(api: API, path: str) -> None:
    assert (await api.get(path)).status in (200, 404)
