"""`kctl doctor`: what is stored and can't be used, in planes that are up, in the data of those that aren't, in etcd."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine
from tests.e2e.up.test_flags import running_cluster
from tests.faults.certificates import Certificates, certificates

GOOD = "Everything that is stored can be used.\n"
NO_OBJECT = "/registry/configmaps/default/no-object"
NO_SPEC = "/registry/deployments/default/no-spec"
OLD = "/registry/apiextensions.k8s.io/customresourcedefinitions/olds.example.com"
TELLS = "Remove one with --delete KEY, or all unreadable ones with --delete-unreadable.\n"
LISTED = f"""\
{OLD}: unreadable: no kind "CustomResourceDefinition" is registered for version "apiextensions.k8s.io/v1beta1"
{NO_OBJECT}: unreadable: it is no JSON object with metadata
{NO_SPEC}: incomplete: spec: Required value
"""

POISONS = {
    NO_OBJECT: b'"text"',
    NO_SPEC: b'{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"no-spec","namespace":"default"}}',
    OLD: (
        b'{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition",'
        b'"metadata":{"name":"olds.example.com"},"spec":{"group":"example.com"}}'
    ),
}


def poison(here: Machine, *, data: str = "default") -> None:
    """As somebody else would, while the plane is down."""

    async def plant() -> None:
        backend = await SQLiteBackend.open(here.state / data / "sqlite.db")
        for key, value in POISONS.items():
            await backend.put(key, value, expected=0)
        await backend.close()

    asyncio.run(plant())


def test_a_poisoned_plane_starts_says_so_and_is_cured_while_it_runs(here: Machine) -> None:
    here.up("--storage", "sqlite")
    assert here.kctl("doctor") == Outcome(0, GOOD, "")
    here.kctl("down")
    poison(here)
    here.up("--storage", "sqlite")
    assert here.status()["badObjects"] == sorted(POISONS)
    row = next(line for line in here.kctl("status").stdout.splitlines() if "bad objects" in line)
    assert row.split("bad objects")[1].strip() == f"{', '.join(sorted(POISONS))}: see `kctl doctor`"
    log = here.kctl("status", "--logs").stdout
    assert all(f"the object stored under {key} " in log for key in POISONS)

    assert here.kctl("doctor") == Outcome(1, LISTED, TELLS)
    here.kctl("create", "configmap", "good")
    refused = here.kctl("doctor", "--delete", "/registry/configmaps/default/good")
    assert refused.code == 1
    assert "nothing is wrong with what is stored under /registry/configmaps/default/good" in refused.stderr
    assert here.kctl("doctor", "--delete", NO_SPEC, "--delete-unreadable") == Outcome(
        0, "".join(f"{key} is removed\n" for key in (NO_SPEC, OLD, NO_OBJECT)), ""
    )
    assert here.status()["badObjects"] == []
    assert here.kctl("get", "configmap", "good", "-o", "name") == Outcome(0, "configmap/good\n", "")


def test_the_data_of_a_plane_that_is_down_is_cured_as_well(here: Machine) -> None:
    assert here.kctl("doctor").stderr == 'error: plane "default" is down and keeps no data\n'
    here.up("--name", "test", "--storage", "sqlite")
    here.kctl("down", "--name", "test")
    poison(here, data="test")
    assert here.kctl("doctor", "--name", "test") == Outcome(1, LISTED, TELLS)
    told = json.loads(here.kctl("doctor", "--data-dir", str(here.state / "test"), "-o", "json").stdout)
    assert [each["key"] for each in told["badObjects"]] == sorted(POISONS)
    assert told["badObjects"][2] == {"key": NO_SPEC, "problem": "spec: Required value", "shown": True}
    cured = here.kctl("doctor", "--name", "test", "--delete-unreadable", "--output", "json")
    assert (cured.code, json.loads(cured.stdout)["removed"]) == (1, [OLD, NO_OBJECT])
    assert here.kctl("doctor", "--name", "test", "--delete", NO_SPEC) == Outcome(0, f"{NO_SPEC} is removed\n", "")
    assert here.kctl("doctor", "--name", "test") == Outcome(0, GOOD, "")


def test_the_data_of_an_etcd_that_kctl_runs_is_looked_into_with_it(here: Machine, etcd: str) -> None:
    here.up("--storage", "etcd", "--etcd", etcd)
    wrong = here.kctl("doctor", "--data-dir", "elsewhere")
    assert (wrong.code, "--data-dir is for a plane that is down, and default is up" in wrong.stderr) == (1, True)
    assert here.kctl("doctor", "-o", "yaml").stderr == "error: --output must be 'json'\n"
    here.kctl("down")
    assert here.kctl("doctor", "--etcd", etcd) == Outcome(0, GOOD, "")
    assert "/nowhere/etcd" in here.kctl("doctor", "--etcd", "/nowhere/etcd").stderr


def test_an_etcd_cluster_is_looked_into_under_its_prefix(here: Machine, etcd: str, tmp_path: Path) -> None:
    made = certificates(tmp_path)
    files = ("--cert-file", str(made.server), "--key-file", str(made.server_key))
    flags = (*files, "--client-cert-auth", "--trusted-ca-file", str(made.authority))
    identity = ("--etcd-certfile", str(made.client), "--etcd-keyfile", str(made.client_key))
    with running_cluster(etcd, tmp_path, *flags, scheme="https") as url:
        reach = ("--etcd-servers", url, "--etcd-cafile", str(made.authority), *identity)
        asyncio.run(_plant_into(url, made))
        assert here.kctl("doctor", *reach) == Outcome(0, GOOD, "")
        key = "/mine/configmaps/default/no-object"
        assert here.kctl("doctor", *reach, "--etcd-prefix", "mine").stdout.startswith(f"{key}: unreadable: ")
        cured = here.kctl("doctor", *reach, "--etcd-prefix", "mine", "--delete", key)
        assert cured == Outcome(0, f"{key} is removed\n", "")


async def _plant_into(url: str, made: Certificates) -> None:
    backend = EtcdBackend(EtcdClient((url,), tls=made.for_clients), exclusive=False)
    await backend.put("/mine/configmaps/default/no-object", b'"text"', expected=0)
    await backend.close()
