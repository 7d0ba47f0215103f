"""Whatever a client sends: the answer is no fault of ours, and what is refused is not written."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localplane.apiserver.request import StreamResponse
from tests.integration.api.talk import API, JSON_PATCH, MERGE, whole
from tests.integration.api.toys import (
    CONFIG_MAPS,
    CRON_TABS,
    GROUPS,
    LEASES,
    NEW_SHIRTS,
    OLD_SHIRTS,
    PODS,
    config_map,
    cron_tab,
    pod,
)

SETTINGS = settings(suppress_health_check=list(HealthCheck))

# What Kubernetes answers with a 500 though the client is wrong, and what is no fault at all.
KNOWN = (
    "resourceVersion should not be set on objects to be created",
    "strconv.ParseUint: parsing",
    "resourceVersion: Invalid value: ",
    "unable to determine kind and namespace from url",
)

texts = st.one_of(
    st.sampled_from(
        ["", "a", "b", "v1", "0", "1", "All", "true", "x" * 300, "a/b", "..", "%", "\x00", "é", "a=b", "-1"]
    ),
    st.text(max_size=8),
)
numbers = st.one_of(st.integers(-3, 40), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
FIELDS = [
    "name",
    "namespace",
    "generateName",
    "uid",
    "resourceVersion",
    "generation",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
]
metadata = st.dictionaries(st.sampled_from(FIELDS), values, max_size=4)
finalizers = st.lists(st.sampled_from(["example.com/f", "example.com/g", "orphan", "foregroundDeletion"]), max_size=2)
objects = st.builds(
    lambda base, more, meta, held: (
        base | more | {"metadata": base["metadata"] | meta | ({"finalizers": held} if held else {})}
    ),
    st.sampled_from(
        [
            config_map("a", data={"k": "v"}),
            config_map("b"),
            pod("a", node="n"),
            pod("b"),
            cron_tab("a", spec={"replicas": 2}),
            {"metadata": {"name": "a"}, "spec": {}},
        ]
    ),
    st.dictionaries(st.sampled_from(["data", "spec", "status", "kind", "apiVersion", "bogus"]), values, max_size=2),
    metadata,
    finalizers,
)
operations = st.lists(
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "nope"]),
            "path": st.sampled_from(["", "/", "/data", "/data/k", "/metadata/labels", "/metadata/name", "/spec", "/-"]),
        },
        optional={"from": st.sampled_from(["/data", "/metadata", ""]), "value": values, "foo": values},
    ),
    max_size=3,
)
options = st.dictionaries(
    st.sampled_from(["gracePeriodSeconds", "propagationPolicy", "orphanDependents", "preconditions", "dryRun", "kind"]),
    st.one_of(values, st.just(["All"]), st.sampled_from(["Foreground", "Orphan", "DeleteOptions"]), st.integers(0, 2)),
    max_size=3,
)
as_json = st.one_of(objects, objects, operations, options, metadata.map(lambda m: {"metadata": m}), values).map(
    lambda value: json.dumps(value).encode()
)
bodies = st.one_of(as_json, as_json, as_json, st.binary(max_size=40), st.just(b""))

tokens = st.one_of(
    texts,
    st.builds(
        lambda start, version, rv: base64.urlsafe_b64encode(
            json.dumps({"v": version, "rv": rv, "start": start}).encode()
        ).decode(),
        st.one_of(texts, st.sampled_from(["../", "a\x00", "/x/y"])),
        st.sampled_from(["meta.k8s.io/v1", "v2", 5]),
        st.one_of(st.integers(-2, 30), texts),
    ),
)
selectors = st.one_of(
    texts,
    st.sampled_from(["a=b", "a in (b)", "!a", "a==b==c", "metadata.name=a", "spec.nodeName!=n", "metadata.name=.."]),
)
PARAMETERS: dict[str, st.SearchStrategy[str]] = {
    "dryRun": st.sampled_from(["All", "yes", ""]),
    "fieldManager": texts,
    "fieldValidation": st.sampled_from(["Strict", "Warn", "Ignore", "x"]),
    "force": texts,
    "limit": st.one_of(texts, st.integers(-1, 3).map(str)),
    "continue": tokens,
    "labelSelector": selectors,
    "fieldSelector": selectors,
    "resourceVersion": st.one_of(texts, st.integers(0, 30).map(str)),
    "resourceVersionMatch": st.sampled_from(["Exact", "NotOlderThan", "x"]),
    "watch": st.sampled_from(["1", "0", ""]),
    "sendInitialEvents": st.sampled_from(["true", "false"]),
    "allowWatchBookmarks": st.sampled_from(["true", "false"]),
    "timeoutSeconds": st.one_of(texts, st.integers().map(str)),
    "gracePeriodSeconds": st.one_of(texts, st.integers().map(str)),
    "propagationPolicy": st.sampled_from(["Foreground", "Background", "Orphan", "x"]),
    "orphanDependents": texts,
    "uid": texts,
    "pretty": texts,
    "includeObject": texts,
}
queries = st.lists(
    st.sampled_from(sorted(PARAMETERS)).flatmap(lambda name: st.tuples(st.just(name), PARAMETERS[name])), max_size=4
)
COLLECTIONS = [CONFIG_MAPS, PODS, CRON_TABS, LEASES, OLD_SHIRTS, NEW_SHIRTS, "/api/v1/configmaps", "/api/v1/namespaces"]
segments = st.one_of(
    st.sampled_from(["a", "b", "none", "status", "binding", "scale", "..", ".", "%", "watch", "namespaces", "default"]),
    st.text(max_size=4),
)
paths = st.one_of(
    st.sampled_from(COLLECTIONS),
    st.builds(lambda base, name: f"{base}/{name}", st.sampled_from(COLLECTIONS), st.sampled_from(["a", "b"])),
    st.builds(
        lambda base, rest: "/".join([base, *(quote(part) for part in rest)]),
        st.sampled_from([*COLLECTIONS, "/api/v1", "/apis/stable.example.com/v1", "/api/v1/watch"]),
        st.lists(segments, min_size=1, max_size=3),
    ),
)
requests = st.tuples(
    st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "PATCH", "PUT", "HEAD", "OPTIONS"]),
    paths,
    queries,
    bodies,
    st.sampled_from(["", "", "application/yaml", MERGE, JSON_PATCH, "text/plain"]),
    st.sampled_from(
        [
            "",
            "",
            "*/*",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
            "text/csv",
        ]
    ),
)


async def filled() -> API:
    api = await API.start(GROUPS, freshness_timeout=timedelta(milliseconds=20))
    for url, body in (
        (CONFIG_MAPS, config_map("a", data={"k": "v"}, metadata={"labels": {"a": "b"}})),
        (PODS, pod("a", node="n")),
        (CRON_TABS, cron_tab("a", spec={"replicas": 1})),
        (LEASES, {"metadata": {"name": "a"}}),
        (NEW_SHIRTS, {"metadata": {"name": "a"}, "spec": {"width": 1, "length": 2}}),
        ("/api/v1/namespaces", {"metadata": {"name": "a"}}),
    ):
        assert (await api.post(url, body)).status == 201
    return api


async def check(api: API, request: tuple[str, str, list[tuple[str, str]], bytes, str, str]) -> None:
    method, path, query, body, content_type, accept = request
    if method == "PATCH" and content_type not in (MERGE, JSON_PATCH):
        content_type = MERGE
    url = f"{path}?{'&'.join(f'{name}={quote(value)}' for name, value in query)}"
    before = api.revision
    _, answer = await api.ask(method, url, raw=body, content_type=content_type, accept=accept)
    if isinstance(answer, StreamResponse):
        await answer.close()
        async for piece in answer.pieces:
            assert all(json.loads(line)["type"] for line in piece.splitlines())
        assert api.revision == before
        return
    data = await whole(answer)
    if answer.status >= 400:
        check_refusal(answer.status, answer.content_type, data)
        assert api.revision == before, "something was written and then refused"
    elif method in ("GET", "HEAD") or ("dryRun", "All") in query[:1]:
        assert api.revision == before, "something was written that was only to be looked at"
    if data and answer.content_type == "application/json":
        json.loads(data)


def check_refusal(status: int, content_type: str, data: bytes) -> None:
    if content_type.startswith("text/plain"):
        assert data == b"404 page not found\n" or any(known.encode() in data for known in KNOWN), data
        return
    told = json.loads(data)
    assert (told["kind"], told["status"], told["code"]) == ("Status", "Failure", status)
    assert status < 500 or status == 504 or any(known in told["message"] for known in KNOWN), told


@SETTINGS
@given(st.lists(requests, min_size=1, max_size=5))
def test_nothing_that_a_client_sends_is_a_fault_of_ours(
    sent: list[tuple[str, str, list[tuple[str, str]], bytes, str, str]],
) -> None:
    async def run() -> None:
        api = await filled()
        try:
            for request in sent:
                await check(api, request)
            for url in COLLECTIONS:
                while (reply := await api.get(url)).status == 504:
                    pass  # a busy machine, and a cache that was given little time
                assert reply.status == 200
        finally:
            await api.close()

    asyncio.run(run())


@SETTINGS
@given(
    url=st.sampled_from([CONFIG_MAPS, PODS, CRON_TABS, LEASES, NEW_SHIRTS, OLD_SHIRTS]),
    writes=st.lists(
        st.one_of(
            st.tuples(st.just("POST"), as_json, st.just("")),
            st.tuples(st.just("PUT"), as_json, st.just("")),
            st.tuples(st.just("PATCH"), as_json, st.sampled_from([MERGE, JSON_PATCH])),
            st.tuples(st.just("DELETE"), as_json, st.just("")),
        ),
        max_size=6,
    ),
)
def test_a_dry_run_of_anything_writes_nothing(url: str, writes: list[tuple[str, bytes, str]]) -> None:
    async def run() -> None:
        api = await filled()
        before = api.revision
        for method, body, content_type in writes:
            where = url if method == "POST" else f"{url}/a"
            if method == "DELETE":  # a body would speak for itself
                body = b""  # noqa: PLW2901
            await api.send(method, f"{where}?dryRun=All", raw=body, content_type=content_type)
        assert api.revision == before
        await api.close()

    asyncio.run(run())
