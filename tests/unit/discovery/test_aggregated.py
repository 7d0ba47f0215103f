"""The one document, as a real server was seen to write it, and how clients keep it."""

from __future__ import annotations

import hashlib

from localplane.apiserver.endpoints.discovery import DiscoveryHandler, InstalledGroup, InstalledVersion
from localplane.apiserver.request import Response
from tests.unit.discovery.toys import AGGREGATED, BUILT_IN, CORE, TOYS, body_of, named, request, widgets

KUBECTL = f"{AGGREGATED},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"


async def answer(path: str, accept: str, **headers: str) -> Response:
    found = await DiscoveryHandler(lambda: (CORE, TOYS, BUILT_IN)).handle(request(path, accept, **headers))
    assert isinstance(found, Response)
    return found


async def test_kubectl_gets_everything_in_one_document() -> None:
    found = await answer("/apis", KUBECTL)
    assert found.content_type == AGGREGATED
    assert body_of(found)["items"][1] == {
        "metadata": {"name": "toys.example.com"},
        "versions": [
            {
                "version": "v1",
                "resources": [
                    {
                        "resource": "widgets",
                        "responseKind": {"group": "toys.example.com", "version": "v1", "kind": "Widget"},
                        "scope": "Namespaced",
                        "singularResource": "widget",
                        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
                        "shortNames": ["wd"],
                        "categories": ["all"],
                        "subresources": [
                            {
                                "subresource": "status",
                                "responseKind": {"group": "toys.example.com", "version": "v1", "kind": "Widget"},
                                "verbs": ["get", "patch", "update"],
                            },
                            {
                                "subresource": "scale",
                                "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
                                "verbs": ["get", "patch", "update"],
                            },
                        ],
                    }
                ],
                "freshness": "Current",
            }
        ],
    }


async def test_the_core_group_has_a_document_of_its_own_without_a_name() -> None:
    found = body_of(await answer("/api", KUBECTL))
    assert found["kind"] == "APIGroupDiscoveryList"
    assert found["apiVersion"] == "apidiscovery.k8s.io/v2"
    assert found["metadata"] == {}
    assert [item["metadata"] for item in found["items"]] == [{}]
    assert named(found["items"][0]["versions"][0]["resources"], "resource") == ["configmaps", "namespaces"]


async def test_it_wins_over_plain_json_that_stands_before_it() -> None:
    found = await answer("/apis", f"application/json,{AGGREGATED}")
    assert body_of(found)["kind"] == "APIGroupDiscoveryList"


async def test_a_profile_changes_nothing() -> None:
    found = await answer("/apis", f"{AGGREGATED};profile=nopeer,application/json")
    assert found.content_type == AGGREGATED


async def test_yaml_is_offered_too() -> None:
    found = await answer("/apis", AGGREGATED.replace("json", "yaml"))
    assert found.content_type == AGGREGATED.replace("json", "yaml")
    assert isinstance(found.body, bytes)
    assert b"kind: APIGroupDiscoveryList" in found.body


async def test_the_removed_beta_gets_the_plain_list() -> None:
    beta = AGGREGATED.replace("v=v2", "v=v2beta1")
    found = await answer("/apis", f"{beta},application/json")
    assert found.content_type == "application/json"
    assert body_of(found)["kind"] == "APIGroupList"


async def test_its_etag_is_a_quoted_upper_case_sha512_and_caches_may_keep_it() -> None:
    found = await answer("/apis", KUBECTL)
    assert isinstance(found.body, bytes)
    assert found.headers == {
        "ETag": f'"{hashlib.sha512(found.body).hexdigest().upper()}"',
        "Vary": "Accept",
        "Cache-Control": "public",
    }


async def test_whoever_has_it_already_is_told_so() -> None:
    etag = (await answer("/apis", KUBECTL)).headers["ETag"]
    known = await answer("/apis", KUBECTL, if_none_match=etag)
    assert (known.status, known.body, known.headers["ETag"]) == (304, b"", etag)
    other = await answer("/apis", KUBECTL, if_none_match='"other"')
    assert other.status == 200


async def test_a_version_that_cannot_be_asked_now_is_stale() -> None:
    version = InstalledVersion(version="v1", stale=True)
    discovery = DiscoveryHandler(lambda: [InstalledGroup(name="far.example.com", versions=[version])])
    found = body_of(await discovery.handle(request("/apis", AGGREGATED)))
    assert found["items"][0]["versions"] == [{"version": "v1", "freshness": "Stale"}]


async def test_a_change_makes_a_new_document_with_a_new_etag() -> None:
    groups = [TOYS]
    discovery = DiscoveryHandler(lambda: groups)
    before = await discovery.handle(request("/apis", AGGREGATED))
    groups[0] = InstalledGroup(name="b.example.com", versions=[InstalledVersion(version="v1", resources=[widgets()])])
    unaware = await discovery.handle(request("/apis", AGGREGATED))
    assert body_of(unaware) == body_of(before), "it is asked again only after a change was told"
    discovery.changed()
    after = await discovery.handle(request("/apis", AGGREGATED))
    assert body_of(after)["items"][0]["metadata"] == {"name": "b.example.com"}
    assert isinstance(before, Response)
    assert isinstance(after, Response)
    assert before.headers["ETag"] != after.headers["ETag"]
