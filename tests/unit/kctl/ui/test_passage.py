"""Which requests the console passes on to the API."""

from __future__ import annotations

import pytest

from kctl.ui import passage
from kctl.ui.gate import Refused

PASSED = [
    ("GET", "/version"),
    ("GET", "/api/v1/pods"),
    ("GET", "/api/v1/namespaces"),
    ("GET", "/api/v1/namespaces/shop/pods/web"),
    ("GET", "/api/v1/namespaces/shop/pods/web/log"),
    ("POST", "/apis/apps/v1/namespaces/shop/deployments"),
    ("PUT", "/apis/apps/v1/namespaces/shop/deployments/web"),
    ("PATCH", "/apis/apps/v1/namespaces/shop/deployments/web/scale"),
    ("DELETE", "/api/v1/namespaces/shop"),
    ("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode"),
    ("GET", "/localplane/v1/history/object"),
    ("GET", "/localplane/v1/history/at/12/api/v1/namespaces/shop/pods"),
    ("POST", "/localplane/v1/faults"),
    ("DELETE", "/localplane/v1/faults/slow"),
]
REFUSED = [
    *(("GET", f"/api/v1/namespaces/shop/pods/web/{word}") for word in ("exec", "attach", "portforward", "proxy")),
    ("POST", "/api/v1/namespaces/shop/pods/web/exec"),
    ("GET", "/api/v1/namespaces/shop/pods/web/proxy/admin"),
    ("GET", "/api/v1/nodes/node-0/proxy/exec/shop/web/c"),
    ("POST", "/api/v1/namespaces/shop/services/web/proxy"),
    ("GET", "/api/v1/proxy/nodes/node-0"),
    ("GET", "/api/v1/watch/pods"),
    ("POST", "/api/v1/namespaces/shop/serviceaccounts/default/token"),
    ("PUT", "/api/v1/namespaces/shop/finalize"),
    ("POST", "/api/v1/namespaces/shop/pods/web/eviction"),
    ("POST", "/api/v1/namespaces/shop/pods/web/log"),
    ("DELETE", "/api/v1/namespaces/shop/pods"),
    ("DELETE", "/api/v1/pods"),
    ("POST", "/localplane/v1/snapshots"),
    ("GET", "/localplane/v1/snapshots/one"),
    ("DELETE", "/localplane/v1/history/object"),
    ("GET", "/localplane/v1/history/at/12/api/v1/namespaces/shop/pods/web/exec"),
    ("GET", "/metrics"),
    ("GET", "/"),
    ("GET", "/healthz"),
    ("CONNECT", "/api/v1/pods"),
    ("OPTIONS", "/api/v1/pods"),
    ("TRACE", "/api/v1/pods"),
]
TWO_WAYS = [
    "/api/v1/namespaces/shop/pods/web/log/../exec",
    "/api/v1/namespaces/shop/pods/web/log/%2e%2e/exec",
    "/api/v1/namespaces/shop/pods/web%2Fexec",
    "/api/v1/namespaces/shop/pods/web%ff",
    "/api/v1/namespaces/shop/pods/web%252Fexec",
    "/api/v1/namespaces/shop/pods/..%2F..%2F",
    "/api/v1//pods",
    "/api/v1/pods/",
    "/api/v1/pods/web%5cexec",
    "/api/v1/pods/web;a=b",
    "/api/v1/pods/web%00",
    "/api/v1/pods/web%0d%0aHost:x",
    "/api/v1/pods/web%3Fdry",
    "/api/v1/pods/w\u00e9b",
    "api/v1/pods",
    "//evil/api/v1/pods",
]
"""Paths that a server might take for another one than we do."""


@pytest.mark.parametrize(("method", "path"), PASSED)
def test_what_the_page_needs_is_passed_on(method: str, path: str) -> None:
    passage.check(method, path, read_only=False)


@pytest.mark.parametrize(("method", "path"), REFUSED)
def test_what_leads_further_is_not(method: str, path: str) -> None:
    with pytest.raises(Refused):
        passage.check(method, path, read_only=False)


@pytest.mark.parametrize("path", TWO_WAYS)
def test_a_path_that_can_be_read_in_two_ways_is_refused(path: str) -> None:
    with pytest.raises(Refused) as refused:
        passage.check("GET", path, read_only=False)
    assert refused.value.status == 400


@pytest.mark.parametrize(("method", "path"), PASSED)
def test_read_only_passes_on_reads_alone(method: str, path: str) -> None:
    if method == "GET":
        passage.check(method, path, read_only=True)
        return
    with pytest.raises(Refused, match="only reads"):
        passage.check(method, path, read_only=True)


def test_the_server_hears_neither_cookies_nor_whom_to_act_as() -> None:
    headers = [
        ("Accept", "application/json"),
        ("Cookie", "kctl-ui=1"),
        ("Authorization", "Bearer x"),
        ("Impersonate-User", "admin"),
        ("X-Remote-User", "admin"),
        ("X-HTTP-Method-Override", "DELETE"),
        ("content-type", "application/yaml"),
    ]
    assert passage.sent(headers) == [("Accept", "application/json"), ("content-type", "application/yaml")]
