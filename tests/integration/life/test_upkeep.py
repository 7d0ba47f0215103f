"""What the server itself keeps up: its lease, the conditions of flow schemas, and the first range of services."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_micro_time
from localplane.client.workqueue.supervision import Background
from localplane.servers.kube import upkeep
from localplane.servers.kube.upkeep.identity_lease import IdentityLease, lease_name
from tests.integration.life.world import World, cluster

SCHEMAS = "flowcontrol.apiserver.k8s.io/v1/flowschemas"
LEVELS = "flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations"
LEASES = "coordination.k8s.io/v1/leases"
RANGES = "networking.k8s.io/v1/servicecidrs"


@contextlib.asynccontextmanager
async def kept_up() -> AsyncIterator[World]:
    async with cluster() as world:
        plane = world.plane
        cidrs = (await world.of(RANGES, "").get("kubernetes"))["spec"]["cidrs"]
        work = Background(lambda: upkeep.run(plane.observer, plane.informers, plane.flow_schemas, service_cidrs=cidrs))
        async with work:
            yield world


def dangling(schema: JSONObject) -> JSONObject:
    conditions = (schema.get("status") or {}).get("conditions") or []
    return next((each for each in conditions if each["type"] == "Dangling"), {})


def schema(name: str, level: str, user: str) -> JSONObject:
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": True}
    rule = {"subjects": [{"kind": "User", "user": {"name": user}}], "resourceRules": [everything]}
    spec = {"matchingPrecedence": 500, "priorityLevelConfiguration": {"name": level}, "rules": [rule]}
    return {"metadata": {"name": name}, "spec": spec}


def limited(name: str) -> JSONObject:
    spec = {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}, "nominalConcurrencyShares": 1}}
    return {"metadata": {"name": name}, "spec": spec}


async def test_a_flow_schema_says_whether_its_level_is_there() -> None:
    async with kept_up() as world:
        schemas = await world.until(SCHEMAS, lambda items: all(map(dangling, items)), "")
        assert {dangling(each)["status"] for each in schemas} == {"False"}
        await world.create(SCHEMAS, schema("mine", "level", "ann"), "")
        said = dangling(await world.becomes(SCHEMAS, "mine", lambda each: bool(dangling(each)), ""))
        assert said.pop("lastTransitionTime")
        assert said == {
            "type": "Dangling",
            "status": "True",
            "reason": "NotFound",
            "message": 'This FlowSchema references the PriorityLevelConfiguration object named "level" but there is no '
            "such object",
        }
        await world.create(LEVELS, limited("level"), "")
        said = dangling(await world.becomes(SCHEMAS, "mine", lambda each: dangling(each)["status"] == "False", ""))
        assert said["reason"] == "Found"
        assert said["message"] == (
            'This FlowSchema references the PriorityLevelConfiguration object named "level" and it exists'
        )
        await world.of(LEVELS, "").delete("level")
        await world.becomes(SCHEMAS, "mine", lambda each: dangling(each)["status"] == "True", "")


async def test_an_answer_names_the_flow_schema_that_its_request_matched() -> None:
    async with kept_up() as world:
        level = await world.create(LEVELS, limited("level"), "")
        made = await world.create(SCHEMAS, schema("mine", "level", "ann"), "")
        await world.becomes(SCHEMAS, "mine", lambda each: bool(dangling(each)), "")
        plane = world.plane
        token = (plane.kubeconfig.parent / "pki" / "admin.token").read_text().strip()
        trust = ssl.create_default_context(cafile=plane.authority)
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=plane.url, verify=trust, headers=headers) as http:
            own = await http.get("/api/v1/namespaces", headers={"Impersonate-User": "ann"})
            assert own.headers["X-Kubernetes-PF-FlowSchema-UID"] == made["metadata"]["uid"]
            assert own.headers["X-Kubernetes-PF-PriorityLevel-UID"] == level["metadata"]["uid"]
            exempt = await world.of(SCHEMAS, "").get("exempt")
            admin = await http.get("/version")
            assert admin.headers["X-Kubernetes-PF-FlowSchema-UID"] == exempt["metadata"]["uid"]
            metrics = (await http.get("/metrics")).text
            assert 'apiserver_flowcontrol_nominal_limit_seats{priority_level="level"}' in metrics


async def test_the_first_range_of_services_is_ready() -> None:
    async with kept_up() as world:
        found = await world.becomes(RANGES, "kubernetes", lambda each: bool(each.get("status")), "")
        (ready,) = found["status"]["conditions"]
        assert ready.pop("lastTransitionTime")
        assert ready.pop("reason", "") == ""
        assert ready == {"type": "Ready", "status": "True", "message": "Kubernetes default Service CIDR is ready"}


async def test_the_server_has_a_lease_in_its_name() -> None:
    async with kept_up() as world:
        (lease,) = await world.until(LEASES, bool, "kube-system")
        name = lease["metadata"]["name"]
        assert name.startswith("apiserver-")
        labels = lease["metadata"]["labels"]
        assert labels["apiserver.kubernetes.io/identity"] == "kube-apiserver"
        assert lease_name(labels["kubernetes.io/hostname"]) == name
        assert lease["spec"]["holderIdentity"].startswith(f"{name}_")
        assert lease["spec"]["leaseDurationSeconds"] == 3600


async def test_a_lease_is_taken_over_and_those_of_lost_servers_go() -> None:
    async with cluster() as world:
        client = world.client
        lost = IdentityLease(client, hostname="lost")
        await lost.renew()
        for lease in (IdentityLease(client, hostname="here"), IdentityLease(client, hostname="here")):
            await lease.renew()
            await lease.renew()
        long_ago = format_micro_time(datetime.now(UTC) - timedelta(hours=2))
        await world.merge(LEASES, lost.name, {"spec": {"renewTime": long_ago}}, "kube-system")
        await lease.remove_expired()
        names = {each["metadata"]["name"] for each in await world.items(LEASES, "kube-system")}
        assert lost.name not in names
        assert lease.name in names
