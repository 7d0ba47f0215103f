"""The tool finds what it should: nothing between two planes that are alike, and what one of them does otherwise."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from localplane.testing import cluster
from tests.differential.__main__ import main
from tests.differential.comparison import difference, minimised
from tests.differential.mutation import mutated
from tests.differential.normalising import normalised
from tests.differential.runs import compare
from tests.differential.samples import samples
from tests.differential.servers import Reply, Step, server_at
from tests.differential.stories import story

BARE = ("ServiceAccount",)
CREATE = Step("POST", "/api/v1/namespaces/n/pods", body={"metadata": {"name": "p"}, "spec": {"a": 1, "b": [1, 2]}})


async def test_two_planes_of_ours_answer_alike_and_a_planted_difference_is_found(tmp_path: Path) -> None:
    async with (
        cluster(controllers=("none",), disabled_admission_plugins=BARE) as one,
        cluster(controllers=("none",), disabled_admission_plugins=BARE) as same,
        cluster(controllers=("none",), disabled_admission_plugins=(*BARE, "DefaultTolerationSeconds")) as other,
    ):
        servers = [server_at(each.kubeconfig) for each in (one, same, other)]
        try:
            report = await compare(servers[0], servers[1], requests=120)
            assert report.requests >= 120
            assert report.document()["groups"] == []
            planted = await compare(servers[1], servers[2], requests=25, seed=2, kinds=["Pod"])
        finally:
            for server in servers:
                await server.transport.close()
    assert ".spec.tolerations" in {found.place for found in planted.groups.values()}
    assert planted.differing == sum(planted.counts.values()) > 0
    assert any("differ" in line for line in planted.lines())


async def test_every_sample_is_taken_as_it_is() -> None:
    async with cluster(controllers=("none",), disabled_admission_plugins=BARE) as plane:
        server = server_at(plane.kubeconfig)
        try:
            await compare(server, server, requests=0)
            for number, sample in enumerate(samples()):
                reply = await server.ask(Step("POST", sample.collection, body=sample.named(f"y{number}")))
                assert reply.status == 201, reply.value
        finally:
            await server.transport.close()


def test_a_seed_tells_the_whole_story() -> None:
    every = samples()
    assert story(3, every, 7) == story(3, every, 7)
    assert story(3, every, 7) != story(3, every, 8)


def test_every_sample_can_be_changed() -> None:
    for sample in samples():
        plain = sample.named("x")
        assert any(mutated(plain, sample.schema, random.Random(number), 1) != plain for number in range(20))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"metadata": {"uid": "12345678-1234-1234-1234-123456789012"}},
            {"metadata": {"uid": "9" * 8 + "-1234" * 3 + "-123456789012"}},
        ),
        ({"metadata": {"resourceVersion": "7"}}, {"metadata": {"resourceVersion": "8"}}),
        ({"t": "2026-01-02T03:04:05Z"}, {"t": "2027-11-12T13:14:15Z"}),
        ({"rows": [{"cells": ["a", "5s"]}]}, {"rows": [{"cells": ["a", "2m3s"]}]}),
    ],
)
def test_what_must_differ_does_not_count(one: object, other: object) -> None:
    assert normalised(Reply(200, (), one)) == normalised(Reply(200, (), other))


def test_a_difference_has_a_place_and_a_group_without_its_values() -> None:
    found = difference(CREATE, Reply(201, (), {"a": [{"b": "x"}]}), Reply(201, (), {"a": [{"b": "y"}]}))
    assert found is not None
    assert (found.place, found.peer, found.ours) == (".a[0].b", "x", "y")
    assert found.group.startswith("POST .a[].b: ")
    refused = {"kind": "Status", "message": 'pods "p" is wrong'}
    code = difference(CREATE, Reply(201, (), {}), Reply(422, (), refused))
    assert code is not None
    assert (code.place, code.ours) == ("code", '422 pods "p" is wrong')


def test_a_peer_that_cuts_the_connection_is_no_model() -> None:
    assert difference(CREATE, Reply(0, (), None), Reply(500, (), {})) is None


async def test_what_is_not_needed_goes_from_the_request() -> None:
    async def again(step: Step) -> object:
        return difference(
            step,
            Reply(201, (), {"x": 1}),
            Reply(201, (), {"x": 2 if 2 in step.body.get("spec", {}).get("b", ()) else 1}),
        )

    found = await again(CREATE)
    smallest = await minimised(found, again)  # type: ignore[arg-type] # a difference or none, as it wants
    assert smallest.step.body == {"metadata": {"name": "p"}, "spec": {"b": [2]}}
    assert ("dryRun", "All") in smallest.step.query


def test_a_peer_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "--peer" in capsys.readouterr().err
