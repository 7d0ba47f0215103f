"""Which images are pulled every time: those whose tag is `latest`, said or implied.

Kubernetes: pkg/util/parsers, ParseImageName; distribution/reference, ParseNormalizedNamed.
"""

from __future__ import annotations

import re

_DOMAIN_PART = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_NAME = rf"(?:{_DOMAIN}/)?{_PATH_PART}(?:/{_PATH_PART})*"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_reference = re.compile(rf"({_NAME})(?::(\w[\w.-]{{0,127}}))?(@{_DIGEST})?", re.ASCII).fullmatch
_is_identifier = re.compile("[a-f0-9]{64}").fullmatch
_NAME_MAX = 255


def pull_policy(image: str) -> str:
    """An image that can't be read is left to whoever validates it."""
    match = _reference(image)
    if match is None or _is_identifier(image) or len(match[1]) > _NAME_MAX:
        return "IfNotPresent"
    _, tag, digest = match.groups()
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"
