"""Certificates that a webhook is to be trusted by. Kubernetes: apiserver/pkg/util/webhook, ValidateCABundle."""

from __future__ import annotations

import base64

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.tls.authorities import NoAuthorities
from localplane.tls.verification import Pool


def ca_bundle_errors(encoded: str, path: Path) -> list[FieldError]:
    """`encoded` is base64 of PEM; nothing is no bundle, and fine."""
    bundle = base64.b64decode(encoded)
    if not bundle:
        return []
    try:
        Pool.of_bundle(bundle)
    except NoAuthorities as problem:
        return [invalid(path, encoded, str(problem))]
    return []
