"""Labels in one flag, `a=b,c=d`, as `run` and `expose` read them. Kubernetes: kubectl/pkg/generate, ParseLabels."""

from __future__ import annotations

from kctl.errors import KctlError


def labels_of(text: str) -> dict[str, str]:
    found = {}
    for spec in text.split(",") if text else ():
        parts = spec.split("=")
        if len(parts) != 2:
            raise KctlError(f"unexpected label spec: {spec}")
        if not parts[0]:
            raise KctlError("unexpected empty label key")
        found[parts[0]] = parts[1]
    return dict(sorted(found.items()))
