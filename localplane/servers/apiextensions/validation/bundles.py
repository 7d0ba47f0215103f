"""Certificates that a webhook is to be trusted by. Kubernetes: apiserver/pkg/util/webhook, ValidateCABundle."""

from __future__ import annotations

import base64
import ssl

from localplane.apimachinery.fieldpath import FieldError, Path, invalid


def ca_bundle_errors(encoded: str, path: Path) -> list[FieldError]:
    """`encoded` is base64 of PEM; nothing is no bundle, and fine."""
    bundle = base64.b64decode(encoded)
    problem = _problem(bundle) if bundle else ""
    return [invalid(path, encoded, f"unable to load root certificates: {problem}")] if problem else []


def _problem(bundle: bytes) -> str:
    try:
        text = bundle.decode("ascii")
        ssl.create_default_context(cadata=text)
    except (UnicodeDecodeError, ssl.SSLError, ValueError):
        return "unable to parse bytes as PEM block"
    return "" if "-----BEGIN CERTIFICATE-----" in text else "unable to parse bytes as PEM block"
