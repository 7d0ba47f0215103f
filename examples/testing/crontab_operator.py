"""The operator that test_kopf_operator tests: it says in a CronTab's status what it has scheduled."""

from __future__ import annotations

from typing import Any

import kopf


@kopf.on.create("stable.example.com", "v1", "crontabs")
@kopf.on.update("stable.example.com", "v1", "crontabs", field="spec")
def schedule(*, spec: kopf.Spec, patch: kopf.Patch, **_: Any) -> None:
    patch.status["scheduled"] = f"{spec['replicas']} x {spec['schedule']}"
