"""Field validation: what nobody knows and what comes twice is dropped, warned about, or refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, PODS, config_map, cron_tab, pod

CANNOT = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
TWICE = b'{"metadata":{"name":"x","name":"a"},"data":{"k":"1","k":"2"},"bogus":1}'
TWICE_YAML = b"metadata:\n  name: x\n  name: a\ndata:\n  k: '1'\n  k: '2'\nbogus: 1\n"


@pytest.mark.parametrize("query", ["", "?fieldValidation=Warn", "?fieldValidation="])
async def test_by_default_there_are_warnings(api: API, query: str) -> None:
    created = await api.post(f"{CONFIG_MAPS}{query}", raw=TWICE)
    assert created.status == 201
    assert created.warnings == [
        r'299 - "duplicate field \"metadata.name\""',
        r'299 - "duplicate field \"data.k\""',
        r'299 - "unknown field \"bogus\""',
    ]
    assert (created.body["metadata"]["name"], created.body["data"]) == ("a", {"k": "2"})
    assert "bogus" not in created.body


async def test_strictly_it_is_refused(api: API) -> None:
    refused = await api.post(f"{CONFIG_MAPS}?fieldValidation=Strict", raw=TWICE)
    problems = 'duplicate field "metadata.name", duplicate field "data.k", unknown field "bogus"'
    assert refused.error == (400, "BadRequest", CANNOT + problems)
    assert refused.warnings == []
    assert api.revision == 1


async def test_ignored_it_is_dropped_in_silence(api: API) -> None:
    created = await api.post(f"{CONFIG_MAPS}?fieldValidation=Ignore", raw=TWICE)
    assert (created.status, created.warnings, created.body["data"]) == (201, [], {"k": "2"})


async def test_yaml_is_told_by_its_lines(api: API) -> None:
    created = await api.post(CONFIG_MAPS, raw=TWICE_YAML, content_type="application/yaml")
    assert created.warnings == [
        r'299 - "line 3: key \"name\" already set in map"',
        r'299 - "line 6: key \"k\" already set in map"',
        r'299 - "unknown field \"bogus\""',
    ]
    refused = await api.post(f"{CONFIG_MAPS}?fieldValidation=Strict", raw=TWICE_YAML, content_type="application/yaml")
    assert refused.message == (
        CANNOT + 'yaml: unmarshal errors:\n  line 3: key "name" already set in map\n  line 6: key "k" already set in '
        'map, unknown field "bogus"'
    )


async def test_names_of_fields_are_exact(api: API) -> None:
    created = await api.post(CONFIG_MAPS, {"metadata": {"name": "a", "Labels": {"k": "v"}}, "Data": {"k": "v"}})
    assert created.warnings == [r'299 - "unknown field \"metadata.Labels\""', r'299 - "unknown field \"Data\""']
    assert "data" not in created.body


async def test_an_update_is_held_to_the_same(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    before = api.revision
    body = config_map("a", bogus=1)
    assert (await api.put(f"{CONFIG_MAPS}/a", body)).warnings == [r'299 - "unknown field \"bogus\""']
    refused = await api.put(f"{CONFIG_MAPS}/a?fieldValidation=Strict", body)
    assert refused.error == (400, "BadRequest", f'{CANNOT}unknown field "bogus"')
    assert api.revision == before


async def test_a_wrong_type_counts_more_than_an_unknown_field(api: API) -> None:
    refused = await api.post(f"{CONFIG_MAPS}?fieldValidation=Strict", {"bogus": 1, "data": {"k": 5}})
    assert "strict decoding error" not in refused.message
    assert "cannot unmarshal number" in refused.message


@pytest.mark.parametrize(
    ("patch", "problem"),
    [
        (b'{"bogus":1}', 'unknown field "bogus"'),
        (b'{"data":{"k":"1","k":"2"}}', 'duplicate field "data.k"'),
        (b'{"data":{"k":"1","k":"2"},"bogus":1}', 'duplicate field "data.k", unknown field "bogus"'),
    ],
)
async def test_a_merge_patch_is_held_to_it(api: API, patch: bytes, problem: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    before = api.revision
    refused = await api.merge(f"{CONFIG_MAPS}/a?fieldValidation=Strict", raw=patch)
    assert refused.error[:2] == (422, "Invalid")
    assert refused.message.startswith(' "" is invalid: patch: Invalid value: "{')
    assert refused.message.endswith(f"strict decoding error: {problem}")
    assert api.revision == before
    patched = await api.merge(f"{CONFIG_MAPS}/a", raw=patch)
    quoted = [each.replace('"', r"\"") for each in problem.split(", ")]
    assert (patched.status, patched.warnings) == (200, [f'299 - "{each}"' for each in quoted])
    ignored = await api.merge(f"{CONFIG_MAPS}/a?fieldValidation=Ignore", raw=patch)
    assert (ignored.status, ignored.warnings) == (200, [])


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        (b'{"op":"add","path":"/bogus","value":1}', 'unknown field "bogus"'),
        (b'{"op":"test","op":"add","path":"/data","value":{}}', 'json patch duplicate field "[0].op"'),
        (b'{"op":"add","path":"/data","value":{},"foo":1}', 'json patch unknown field "[0].foo"'),
    ],
)
async def test_a_json_patch_is_held_to_it(api: API, operation: bytes, problem: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    patch = b"[" + operation + b"]"
    refused = await api.json_patch(f"{CONFIG_MAPS}/a?fieldValidation=Strict", raw=patch)
    assert refused.error[:2] == (422, "Invalid")
    assert refused.message.endswith(f"strict decoding error: {problem}")
    patched = await api.json_patch(f"{CONFIG_MAPS}/a", raw=patch)
    quoted = problem.replace('"', r"\"")
    assert (patched.status, patched.warnings) == (200, [f'299 - "{quoted}"'])
    assert (await api.json_patch(f"{CONFIG_MAPS}/a?fieldValidation=Ignore", raw=patch)).warnings == []


async def test_a_custom_resource_is_pruned(api: API) -> None:
    body: dict[str, Any] = cron_tab("a", spec={"cron": "x", "bogus": 1}, other=2)
    created = await api.post(CRON_TABS, body)
    assert created.body["spec"] == {"cron": "x", "replicas": 1}
    assert sorted(created.warnings) == [r'299 - "unknown field \"other\""', r'299 - "unknown field \"spec.bogus\""']
    refused = await api.post(f"{CRON_TABS}?fieldValidation=Strict", body)
    assert refused.error[:2] == (400, "BadRequest")
    assert 'strict decoding error: unknown field "other", unknown field "spec.bogus"' in refused.message


async def test_a_warning_is_given_once(api: API) -> None:
    """The strategy warns on every turn of the loop, and two fields may be unknown under one name."""
    created = await api.post(PODS, pod("a", spec={"replicas": 1}))
    assert created.warnings == ['299 - "spec.replicas: a pod is always one"']
    patched = await api.merge(f"{PODS}/a", {"metadata": {"labels": {"a": "b"}}})
    assert patched.warnings == ['299 - "spec.replicas: a pod is always one"']


async def test_warnings_come_with_refusals_too(api: API) -> None:
    refused = await api.post(CONFIG_MAPS, config_map("A", bogus=1))
    assert (refused.status, refused.warnings) == (422, [r'299 - "unknown field \"bogus\""'])


MIXED = b'{"zz":{"a":1,"a":2},"metadata":{"name":"a"},"data":{"k":"1","k":"2"},"aa":1,"immutable":true,"zz":3}'
MIXED_YAML = b"zz: 1\nmetadata: {name: a, name: a, odd: 1}\ndata: {k: '1'}\naa: 1\n"


@pytest.mark.parametrize("validation", ["Strict", "Warn"])
async def test_unknown_and_repeated_fields_are_told_in_the_order_of_the_document(api: API, validation: str) -> None:
    """An unknown field is not looked into, and told once however often it comes."""
    answer = await api.post(f"{CONFIG_MAPS}?fieldValidation={validation}", raw=MIXED)
    problems = ["unknown field {zz}", "duplicate field {data.k}", "unknown field {aa}"]
    if validation == "Strict":
        assert answer.message == CANNOT + ", ".join(problems).replace("{", '"').replace("}", '"')
    else:
        assert answer.warnings == [
            '299 - "' + problem.replace("{", r"\"").replace("}", r"\"") + '"' for problem in problems
        ]


async def test_unknown_fields_of_yaml_come_last_in_the_order_of_their_keys(api: API) -> None:
    refused = await api.post(f"{CONFIG_MAPS}?fieldValidation=Strict", raw=MIXED_YAML, content_type="application/yaml")
    assert refused.message == (
        CANNOT + 'yaml: unmarshal errors:\n  line 2: key "name" already set in map, unknown field "aa", unknown field '
        '"metadata.odd", unknown field "zz"'
    )


async def test_unknown_fields_of_a_merge_patch_come_as_the_patched_object_is_written(api: API) -> None:
    """Its own keys are sorted; those of what the patch did not look into are not."""
    await api.post(CONFIG_MAPS, config_map("a"))
    patch = b'{"zz":1,"metadata":{"odd":1},"aa":1}'
    refused = await api.merge(f"{CONFIG_MAPS}/a?fieldValidation=Strict", raw=patch)
    assert refused.message.endswith(
        'strict decoding error: unknown field "aa", unknown field "metadata.odd", unknown field "zz"'
    )
