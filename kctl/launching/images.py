"""What an image may be called. Kubernetes: github.com/distribution/reference, ReferenceRegexp."""

from __future__ import annotations

import re

_DOMAIN = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST = rf"(?:{_DOMAIN}(?:\.{_DOMAIN})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_IMAGE = re.compile(rf"(?:{_HOST}/)?{_PATH}(?:/{_PATH})*(?::\w[\w.-]{{0,127}})?(?:@{_DIGEST})?", re.ASCII)

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
INVALID = "invalid reference format"


def is_image(text: str) -> bool:
    return _IMAGE.fullmatch(text) is not None
