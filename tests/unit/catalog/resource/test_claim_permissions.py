"""Which permission a driver needs that reports of the devices of a claim."""

from __future__ import annotations

from typing import Any, cast

import pytest

from localplane.apiserver.authorization import ALLOWED, NO_OPINION, Attributes, Decision
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.request import User
from localplane.catalog.resource.claim_permissions import ClaimStatusStore

ACCOUNT = "system:serviceaccount:default:driver"
NODE_NAME = "authentication.kubernetes.io/node-name"
DEVICE = {"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0"}
ON_NODE_1 = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}


class Associated:
    """Lets those report who are on the node."""

    async def authorize(self, attributes: Attributes) -> Decision:
        allowed = (attributes.verb, attributes.subresource, attributes.name) == (
            "associated-node:update",
            "driver",
            "gpu.example.com",
        )
        return ALLOWED if allowed else NO_OPINION


async def errors(user: User, *terms: dict[str, Any]) -> list[str]:
    asked = Attributes(user, "update", group="resource.k8s.io", resource="resourceclaims", namespace="default")
    status = {"allocation": {"nodeSelector": {"nodeSelectorTerms": list(terms)}}, "devices": [DEVICE]}
    store = ClaimStatusStore(cast("Definition", None), Associated())
    return [error.detail for error in await store._device_errors(asked, status, {})]


async def test_a_driver_on_the_node_of_the_claim_may_do_with_less() -> None:
    assert await errors(User(ACCOUNT, extra={NODE_NAME: ("node-1",)}), ON_NODE_1) == []


@pytest.mark.parametrize(
    ("user", "terms"),
    [
        (User(ACCOUNT, extra={NODE_NAME: ("node-2",)}), [ON_NODE_1]),
        (User(ACCOUNT, extra={NODE_NAME: ("node-1", "node-2")}), [ON_NODE_1]),
        (User(ACCOUNT), [ON_NODE_1]),
        (User("somebody", extra={NODE_NAME: ("node-1",)}), [ON_NODE_1]),
        (User(ACCOUNT, extra={NODE_NAME: ("node-1",)}), [ON_NODE_1, ON_NODE_1]),
        (User(ACCOUNT, extra={NODE_NAME: ("node-1",)}), []),
    ],
)
async def test_whoever_is_not_known_to_be_there_may_not(user: User, terms: list[dict[str, Any]]) -> None:
    (why,) = await errors(user, *terms)
    assert why.startswith(
        'changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:update]" permission: '
    )
