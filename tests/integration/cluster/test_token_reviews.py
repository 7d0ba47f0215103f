"""A review says of a token what a request with it would find out, and for whom it is meant."""

from __future__ import annotations

import ssl
import time
from base64 import b64decode
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.server.options import AuthenticationOptions, ServerOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane
from localplane.servers.kube.tokens import authenticator

pytestmark = pytest.mark.asyncio(loop_scope="module")

OURS = "https://kubernetes.default.svc.cluster.local"
CORE = "/api/v1/namespaces/default"
FINALIZER = "example.com/held"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plane(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Plane]:
    tokens = tmp_path_factory.mktemp("tokens") / "tokens.csv"
    tokens.write_text('s3cret,jane,7,"dev,ops"\n')
    options = ClusterOptions(
        storage=StorageOptions(kind=StorageKind.MEMORY),
        server=ServerOptions(port=0, authentication=AuthenticationOptions(token_file=tokens)),
        controllers=("serviceaccount-token",),
        disabled_admission_plugins=("ServiceAccount",),
    )
    async with open_cluster(options) as plane:
        yield plane


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(plane: Plane) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=plane.url, verify=trusting(plane), timeout=20) as http:
        http.headers["Authorization"] = f"Bearer {admin_token(plane)}"
        yield http


def trusting(plane: Plane) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=plane.authority)


def admin_token(plane: Plane) -> str:
    return (plane.kubeconfig.parent / "pki" / "admin.token").read_text().strip()


async def posted(http: httpx.AsyncClient, path: str, obj: JSONObject) -> JSONObject:
    answer = await http.post(path, json=obj)
    assert answer.status_code == 201, answer.text
    made: JSONObject = answer.json()
    return made


async def account(http: httpx.AsyncClient, name: str, **metadata: Any) -> JSONObject:
    return await posted(http, f"{CORE}/serviceaccounts", {"metadata": {"name": name, **metadata}})


async def token_for(http: httpx.AsyncClient, name: str, **spec: Any) -> str:
    made = await posted(http, f"{CORE}/serviceaccounts/{name}/token", {"spec": spec})
    token: str = made["status"]["token"]
    return token


async def review(http: httpx.AsyncClient, token: str, *audiences: str) -> JSONObject:
    spec = {"token": token, **({"audiences": list(audiences)} if audiences else {})}
    made = await posted(http, "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": spec})
    status: JSONObject = made["status"]
    return status


async def who(plane: Plane, token: str) -> JSONObject | None:
    """As the server takes whoever brings the token; None if it takes nobody."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=plane.url, verify=trusting(plane), headers=headers) as other:
        answer = await other.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", json={})
    if answer.status_code == 401:
        return None
    assert answer.status_code == 201, answer.text
    user: JSONObject = answer.json()["status"]["userInfo"]
    return user


async def legacy_token(http: httpx.AsyncClient, name: str) -> str:
    annotations = {"kubernetes.io/service-account.name": name}
    secret = {"metadata": {"name": name, "annotations": annotations}, "type": "kubernetes.io/service-account-token"}
    await posted(http, f"{CORE}/secrets", secret)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = (await http.get(f"{CORE}/secrets/{name}")).json()
        if token := (found.get("data") or {}).get("token"):
            return b64decode(token).decode()
    raise AssertionError("nobody fills in the token")


@pytest.mark.parametrize("kind", ["admin", "file", "account", "secret"])
async def test_every_token_that_a_request_may_bring_is_known_to_a_review(
    plane: Plane, http: httpx.AsyncClient, kind: str
) -> None:
    token = {"admin": admin_token(plane), "file": "s3cret"}.get(kind, "")
    if not token:
        await account(http, f"every-{kind}")
        token = await (token_for if kind == "account" else legacy_token)(http, f"every-{kind}")
    user = await who(plane, token)
    assert user is not None
    assert "system:authenticated" in user["groups"]
    assert await review(http, token) == {"authenticated": True, "user": user, "audiences": [OURS]}
    assert (await review(http, token, "elsewhere", OURS))["audiences"] == [OURS]
    assert "authenticated" not in await review(http, token, "elsewhere")


async def test_a_token_is_for_those_of_the_audiences_that_it_names(plane: Plane, http: httpx.AsyncClient) -> None:
    await account(http, "aud")
    token = await token_for(http, "aud", audiences=["vault", "bank"])
    for asked, told in (
        (["payments", "vault", OURS], ["vault"]),
        (["bank", "vault"], ["bank", "vault"]),
        (["vault"], ["vault"]),
    ):
        found = await review(http, token, *asked)
        assert (found["authenticated"], found["audiences"]) == (True, told)
    for asked, shown in ((["payments", "x"], '["payments" "x"]'), ([], f'["{OURS}"]')):
        problem = f'token audiences ["vault" "bank"] is invalid for the target audiences {shown}'
        assert await review(http, token, *asked) == {"user": {}, "error": f"[invalid bearer token, {problem}]"}
    assert await who(plane, token) is None


@pytest.mark.parametrize("token", ["x", "a.b.c", "s3cre", "\u00e9"])
async def test_a_token_that_nobody_knows_is_told(http: httpx.AsyncClient, token: str) -> None:
    assert await review(http, token) == {"user": {}, "error": "invalid bearer token"}


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """For whoever judges tokens of service accounts."""
    monkeypatch.setattr(authenticator, "timestamp", lambda: time.time() + seconds)


POD = {"spec": {"serviceAccountName": "bound-pods", "containers": [{"name": "c", "image": "i"}]}}
BOUND = {
    "serviceaccounts": ("", f"{CORE}/serviceaccounts", {}),
    "secrets": ("Secret", f"{CORE}/secrets", {}),
    "pods": ("Pod", f"{CORE}/pods", POD),
    "nodes": ("Node", "/api/v1/nodes", {}),
}


@pytest.mark.parametrize("resource", BOUND)
async def test_a_token_ends_a_minute_after_what_it_is_bound_to_was_to_go(
    plane: Plane, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, resource: str
) -> None:
    """Whatever holds that up."""
    kind, path, obj = BOUND[resource]
    name = f"bound-{resource}"
    held = {"metadata": {"name": name, "finalizers": [FINALIZER]}, **obj}
    if kind:
        await account(http, name)
    made = await posted(http, path, held)
    reference = {"kind": kind, "apiVersion": "v1", "name": name, "uid": made["metadata"]["uid"]}
    token = await token_for(http, name, **({"boundObjectRef": reference} if kind else {}))
    user = await who(plane, token)
    assert user is not None
    await http.request("DELETE", f"{path}/{name}", json={"gracePeriodSeconds": 0})
    assert (await http.get(f"{path}/{name}")).json()["metadata"]["deletionTimestamp"]
    assert await who(plane, token) == user
    assert (await review(http, token))["authenticated"]
    later(monkeypatch, 55)
    assert await who(plane, token) == user
    later(monkeypatch, 63)
    assert await who(plane, token) is None
    why = (
        f"service account default/{name} has been deleted" if not kind else "service account token has been invalidated"
    )
    assert await review(http, token) == {"user": {}, "error": f"[invalid bearer token, {why}]"}


async def test_another_of_the_same_name_is_another(plane: Plane, http: httpx.AsyncClient) -> None:
    await account(http, "again")
    token = await token_for(http, "again")
    await http.delete(f"{CORE}/serviceaccounts/again")
    gone = '[invalid bearer token, serviceaccounts "again" not found]'
    assert await review(http, token) == {"user": {}, "error": gone}
    await account(http, "again")
    assert "does not match claim" in (await review(http, token))["error"]
    assert await who(plane, token) is None


@pytest.mark.parametrize("gone", ["secrets", "serviceaccounts"])
async def test_one_that_is_kept_in_a_secret_ends_at_once(plane: Plane, http: httpx.AsyncClient, gone: str) -> None:
    name = f"kept-{gone}"
    await account(http, name)
    token = await legacy_token(http, name)
    assert await who(plane, token) is not None
    patch = {"metadata": {"finalizers": [FINALIZER]}}
    merge = {"Content-Type": "application/merge-patch+json"}
    assert (await http.patch(f"{CORE}/{gone}/{name}", json=patch, headers=merge)).status_code == 200
    await http.delete(f"{CORE}/{gone}/{name}")
    assert await who(plane, token) is None
