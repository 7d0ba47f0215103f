"""Bodies that are no object, or another one: told in Kubernetes' words, and never stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from localplane.apiserver.request import MAX_BODY_BYTES
from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, NEW_SHIRTS, OLD_SHIRTS, PODS, config_map, cron_tab

UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; "
STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


def no_json(why: str, summary: str) -> str:
    return f"{UNRECOGNIZED}json parse error: {why} ({summary})"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", no_json("unexpected end of JSON input", "<empty>")),
        (b"{", no_json("unexpected end of JSON input", "{")),
        (b"{} {}", no_json("invalid character '{' after top-level value", "{} {}")),
        (b"[]", no_json(f"json: cannot unmarshal array into Go value of type {STRUCT}", "5b5d")),
        (b'"x"', no_json(f"json: cannot unmarshal string into Go value of type {STRUCT}", "227822")),
        (b"1", no_json(f"json: cannot unmarshal number into Go value of type {STRUCT}", "31")),
        (b'{"a":NaN}', no_json("invalid character 'N' looking for beginning of value", '{"a":NaN}')),
        (b'{"a":Infinity}', no_json("invalid character 'I' looking for beginning of value", '{"a":Infinity}')),
        (b'{"a":-Infinity}', no_json("invalid character 'I' in numeric literal", '{"a":-Infinity}')),
        (b"\xef\xbb\xbf{}", no_json("invalid character 'ï' looking for beginning of value", "efbbbf7b7d")),
        ("{}".encode("utf-16"), no_json("invalid character 'ÿ' looking for beginning of value", "fffe7b007d00")),
        (b"x" * 31, no_json("invalid character 'x' looking for beginning of value", "78" * 30 + " ...")),
        (
            b"{'" + b"x" * 40,
            no_json("invalid character '\\'' looking for beginning of object key string", "{'" + "x" * 28 + " ..."),
        ),
    ],
)
async def test_what_is_no_object_is_a_bad_request(api: API, body: bytes, message: str) -> None:
    for method, url in (("POST", CONFIG_MAPS), ("PUT", f"{CONFIG_MAPS}/a")):
        refused = await api.send(method, url, raw=body)
        assert refused.error == (400, "BadRequest", message)
    assert api.revision == 1


async def test_null_is_an_object_without_anything(api: API) -> None:
    refused = await api.post(CONFIG_MAPS, raw=b"null")
    assert refused.message == 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'


async def test_the_url_says_what_a_body_leaves_out(api: API) -> None:
    created = await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}})
    assert (created.status, created.body["kind"], created.body["apiVersion"]) == (201, "ConfigMap", "v1")


@pytest.mark.parametrize(("left_out", "name"), [("kind", "Kind"), ("apiVersion", "apiVersion")])
async def test_a_custom_resource_must_say_what_it_is(api: API, left_out: str, name: str) -> None:
    body = cron_tab("a")
    del body[left_out]
    refused = await api.post(CRON_TABS, body)
    assert refused.error[:2] == (400, "BadRequest")
    unrecognized = "the object provided is unrecognized (must be of type CronTab): "
    assert refused.message.startswith(f"{unrecognized}Object '{name}' is missing in '{{")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"kind": "Pod"},
            (
                'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): '
                "unknown conversion"
            ),
        ),
        (
            {"kind": "Nothing"},
            (
                'Nothing in version "v1" cannot be handled as a ConfigMap: no kind "Nothing" is registered for version '
                '"v1" in scheme "pkg/api/legacyscheme/scheme.go:30"'
            ),
        ),
        (
            {"apiVersion": "v9"},
            (
                'ConfigMap in version "v9" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for '
                'version "v9" in scheme "pkg/api/legacyscheme/scheme.go:30"'
            ),
        ),
        (
            {"apiVersion": "a/b/c"},
            (
                "the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c"
                ' ({"apiVersion": "a/b/c", "kind" ...)'
            ),
        ),
    ],
)
async def test_a_body_of_another_type_is_a_bad_request(api: API, changes: dict[str, Any], message: str) -> None:
    assert (await api.post(CONFIG_MAPS, config_map("a") | changes)).error == (400, "BadRequest", message)


@pytest.mark.parametrize(
    ("kind", "package"),
    [("ConfigMapList", "v1"), ("List", "v1"), ("Status", "v1"), ("DeleteOptions", "v1"), ("WatchEvent", "v1")],
)
async def test_lists_and_options_are_types_too(api: API, kind: str, package: str) -> None:
    refused = await api.post(CONFIG_MAPS, config_map("a") | {"kind": kind})
    assert refused.message == (
        f'{kind} in version "v1" cannot be handled as a ConfigMap: converting ({package}.{kind}) to (core.ConfigMap): '
        "unknown conversion"
    )


async def test_a_slash_alone_leaves_the_version_to_the_url(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a") | {"apiVersion": "/"})
    assert (created.status, created.body["apiVersion"]) == (201, "v1")


async def test_a_malformed_version_of_a_custom_resource_is_not_recognized(api: API) -> None:
    refused = await api.post(CRON_TABS, cron_tab("a") | {"apiVersion": "a/b/c"})
    assert refused.message.startswith(
        "the object provided is unrecognized (must be of type CronTab): unexpected GroupVersion string: a/b/c ("
    )


async def test_another_version_of_the_group_belongs_to_another_url(api: API) -> None:
    body = {"kind": "Shirt", "apiVersion": "wardrobe.example.com/v1", "metadata": {"name": "a"}}
    refused = await api.post(OLD_SHIRTS, body)
    assert refused.error == (
        400,
        "BadRequest",
        (
            "the API version in the data (wardrobe.example.com/v1) does not match the expected API version "
            "(wardrobe.example.com/v1alpha1)"
        ),
    )
    await api.post(NEW_SHIRTS, body)
    assert (await api.put(f"{OLD_SHIRTS}/a", body)).message == refused.message


CANNOT = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: '


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b'{"data":{"a":1}}',
            f"{CANNOT}json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            b'{"metadata":[]}',
            f"{CANNOT}json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
        ),
        (
            b'{"metadata":{"labels":{"a":null},"generation":9223372036854775808}}',
            (
                f"{CANNOT}json: cannot unmarshal number 9223372036854775808 into Go struct field "
                "ObjectMeta.metadata.generation of type int64"
            ),
        ),
        (
            b'{"immutable":"yes"}',
            f"{CANNOT}json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool",
        ),
    ],
)
async def test_a_wrong_type_is_told_as_go_does(api: API, body: bytes, message: str) -> None:
    assert (await api.post(CONFIG_MAPS, raw=body)).error == (400, "BadRequest", message)


async def test_a_wrong_type_in_a_custom_resource_is_told_by_its_schema(api: API) -> None:
    refused = await api.post(CRON_TABS, cron_tab("a", spec={"replicas": "many"}))
    assert refused.error == (
        422,
        "Invalid",
        (
            'CronTab.stable.example.com "a" is invalid: spec.replicas: Invalid value: "string": spec.replicas in body '
            'must be of type integer: "string"'
        ),
    )


async def test_numbers_that_nobody_can_hold_are_refused(api: API) -> None:
    for number in ("1e400", "9" * 5000, "-1e400"):
        body = json.dumps(cron_tab("a", spec={"x": 0})).replace('"x": 0', f'"replicas": {number}').encode()
        reply = await api.post(CRON_TABS, raw=body)
        assert reply.status in (400, 422)
    assert api.revision == 1


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("depth", [10_001, 500_000])
async def test_a_body_may_not_be_nested_too_deeply(api: API, opening: bytes, depth: int) -> None:
    refused = await api.post(CONFIG_MAPS, raw=opening * depth)
    assert refused.error[:2] == (400, "BadRequest")
    assert "exceeded max depth" in refused.message


async def test_more_than_three_mebibytes_are_refused(api: API) -> None:
    refused = await api.post(CONFIG_MAPS, raw=b" " * (MAX_BODY_BYTES + 1))
    assert refused.error == (413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728")
    for method in ("PUT", "DELETE"):
        assert (await api.send(method, f"{CONFIG_MAPS}/a", raw=b" " * (MAX_BODY_BYTES + 1))).status == 413
    assert (await api.merge(f"{CONFIG_MAPS}/a", raw=b" " * (MAX_BODY_BYTES + 1))).status == 413


async def test_three_mebibytes_are_not_too_many(api: API) -> None:
    body = json.dumps(config_map("a")).encode()
    created = await api.post(CONFIG_MAPS, raw=body + b" " * (MAX_BODY_BYTES - len(body)))
    assert (created.status, created.body["metadata"]["name"]) == (201, "a")


@pytest.mark.parametrize(
    ("text", "stored"),
    [(b'"a\xffb"', "a�b"), (rb'"\ud800"', "�"), (rb'"a\u0000b"', "a\x00b"), (rb'"\ud83d\ude00"', "😀")],
)
async def test_odd_text_is_stored_as_go_reads_it(api: API, text: bytes, stored: str) -> None:
    created = await api.post(CONFIG_MAPS, raw=b'{"metadata":{"name":"a"},"data":{"k":' + text + b"}}")
    assert (created.status, created.body["data"]["k"]) == (201, stored)
    assert (await api.get(f"{CONFIG_MAPS}/a")).body["data"]["k"] == stored


async def test_markup_is_text(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "<script>&"}))
    assert (await api.get(f"{CONFIG_MAPS}/a")).body["data"]["k"] == "<script>&"


YAML = "application/yaml"


async def test_a_yaml_bomb_does_not_go_off(api: API) -> None:
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]" for n in range(8)]
    refused = await api.post(CONFIG_MAPS, raw="\n".join(lines).encode(), content_type=YAML)
    assert refused.error[:2] == (400, "BadRequest")
    assert "yaml: document contains excessive aliasing" in refused.message


@pytest.mark.parametrize(
    "body",
    [
        b"metadata: !!python/object/apply:os.system ['touch /tmp/never']",
        b"a:\n\t- b",
        b"a: \x01",
        b"? null\n: x",
        b"{",
        b"a: b: c",
    ],
)
async def test_yaml_that_cannot_be_read_is_a_bad_request_or_no_object(api: API, body: bytes) -> None:
    assert (await api.post(CONFIG_MAPS, raw=body, content_type=YAML)).status in (400, 422)
    assert api.revision == 1


async def test_keys_of_yaml_are_texts(api: API) -> None:
    body = b"metadata: {name: a}\ndata: {1: u, true: v, 1.5: w}"
    created = await api.post(CONFIG_MAPS, raw=body, content_type=YAML)
    assert created.body["data"] == {"1": "u", "true": "v", "1.5": "w"}


@pytest.mark.parametrize(
    ("query", "kind", "method"),
    [
        ("dryRun=yes", "CreateOptions", "POST"),
        ("dryRun=yes", "UpdateOptions", "PUT"),
        ("dryRun=All&dryRun=yes", "PatchOptions", "PATCH"),
        ("dryRun=", "CreateOptions", "POST"),
    ],
)
async def test_a_dry_run_is_of_all_or_invalid(api: API, query: str, kind: str, method: str) -> None:
    url = CONFIG_MAPS if method == "POST" else f"{CONFIG_MAPS}/a"
    refused = await api.send(
        method,
        f"{url}?{query}",
        config_map("a"),
        content_type="application/merge-patch+json" if method == "PATCH" else "",
    )
    values = json.dumps([part.partition("=")[2] for part in query.split("&")], separators=(",", ":"))
    assert refused.error == (
        422,
        "Invalid",
        f'{kind}.meta.k8s.io "" is invalid: dryRun: Unsupported value: {values}: supported values: "All"',
    )
    assert api.revision == 1


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (
            "fieldValidation=Foo",
            'fieldValidation: Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"',
        ),
        ("fieldManager=" + "m" * 129, "fieldManager: Too long: may not be more than 128 bytes"),
        ("fieldManager=a%0Ab", 'fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)'),
    ],
)
async def test_other_options_are_checked_too(api: API, query: str, problem: str) -> None:
    refused = await api.post(f"{CONFIG_MAPS}?{query}", config_map("a"))
    assert refused.error == (422, "Invalid", f'CreateOptions.meta.k8s.io "" is invalid: {problem}')


async def test_an_object_that_the_store_cannot_hold_is_not_stored(api: API) -> None:
    refused = await api.post(CONFIG_MAPS, config_map("a", data={"k": "x" * 2_000_000}))
    assert refused.status == 413
    assert (await api.get(CONFIG_MAPS)).names == []


async def test_bytes_must_be_base64(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a", binaryData={"k": "AAEC"}))
    assert created.body["binaryData"] == {"k": "AAEC"}
    refused = await api.post(CONFIG_MAPS, config_map("b", binaryData={"k": "%"}))
    assert refused.error == (400, "BadRequest", f"{CANNOT}illegal base64 data at input byte 0")


async def test_a_number_for_32_bits_must_fit_them(api: API) -> None:
    refused = await api.post(PODS, {"metadata": {"name": "a"}, "spec": {"replicas": 2**31}})
    assert refused.error[:2] == (400, "BadRequest")
    assert (
        "json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.replicas of type int32"
        in refused.message
    )
