"""Which tokens count as forgotten, and what a pod calls a secret."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from localplane.controllers.identity.service_accounts.legacy_tokens import is_old, secret_names

SINCE = datetime(2025, 6, 1, tzinfo=UTC)
OLD, NEW = "2024-01-01T00:00:00Z", "2025-07-01T00:00:00Z"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"creationTimestamp": OLD}, True),
        ({"creationTimestamp": NEW}, False),
        ({"creationTimestamp": OLD, "deletionTimestamp": NEW}, False),
        ({"creationTimestamp": OLD, "labels": {"kubernetes.io/legacy-token-last-used": "2025-05-31"}}, True),
        ({"creationTimestamp": OLD, "labels": {"kubernetes.io/legacy-token-last-used": "2025-06-01"}}, False),
        ({"creationTimestamp": OLD, "labels": {"kubernetes.io/legacy-token-last-used": "yesterday"}}, False),
    ],
)
def test_a_token_is_old_when_it_was_made_and_used_before(metadata: dict[str, Any], *, expected: bool) -> None:
    assert is_old({"metadata": metadata}, SINCE) is expected


def test_all_places_where_a_pod_names_secrets() -> None:
    spec = {
        "imagePullSecrets": [{"name": "pull"}],
        "containers": [
            {
                "name": "no-secret",
                "envFrom": [{"secretRef": {"name": "all"}}, {"configMapRef": {"name": "map"}}],
                "env": [{"name": "E", "valueFrom": {"secretKeyRef": {"name": "one", "key": "k"}}}],
            }
        ],
        "volumes": [
            {"name": "v", "secret": {"secretName": "volume"}},
            {"name": "w", "projected": {"sources": [{"secret": {"name": "projected"}}]}},
            {"name": "x", "csi": {"nodePublishSecretRef": {"name": "csi"}}},
            {"name": "y", "azureFile": {"secretName": "azure"}},
        ],
    }
    assert sorted(secret_names(spec)) == ["all", "azure", "csi", "one", "projected", "pull", "volume"]
