"""What the sample keeps, seen behind its back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from examples.wardle.wardle import WARDLE
from localplane.client import GroupVersionResource
from localplane.library import PlaneOptions, ServerOptions, StorageKind, StorageOptions, open_plane
from tests.e2e.examples.conftest import flunder


@pytest.mark.parametrize("kind", StorageKind)
@pytest.mark.parametrize(
    ("version", "spec"),
    [
        ("v1alpha1", {"reference": "b", "referenceType": "Fischer"}),
        ("v1beta1", {"fischerReference": "b", "referenceType": "Fischer"}),
    ],
)
async def test_whatever_is_posted_is_stored_as_v1alpha1(
    request: pytest.FixtureRequest, tmp_path: Path, kind: StorageKind, version: str, spec: dict[str, Any]
) -> None:
    etcd = request.getfixturevalue("etcd") if kind is StorageKind.ETCD else None
    options = PlaneOptions(
        server=ServerOptions(port=0),
        storage=StorageOptions(kind=kind, data_dir=tmp_path / "data", etcd_path=etcd),
    )
    async with open_plane([WARDLE], options) as plane:
        resource = GroupVersionResource("wardle.example.com", version, "flunders")
        created = await plane.client.resource(resource, "default").create(flunder(version, "x", spec))
        stored = (await plane.storage.backend.get("/registry/wardle.example.com/flunders/default/x")).kv
    assert created["spec"] == spec
    assert stored is not None
    content = orjson.loads(stored.value)
    assert content["apiVersion"] == "wardle.example.com/v1alpha1"
    assert content["spec"] == {"reference": "b", "referenceType": "Fischer"}
