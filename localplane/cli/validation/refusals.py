"""What a server says no with -> findings, one for each field that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from localplane.apimachinery.errors import APIError

from .documents import ManifestObject
from .findings import Finding, Rule

_STRICT = "strict decoding error: "
_UNKNOWN_FIELD = re.compile(r'unknown field ("(?:[^"\\]|\\.)*")')
_GO_FIELD = re.compile(r"Go struct field [^\s.]+\.(\S+) of type ")
_POLICY = re.compile(r"(?:Validating|Mutating)AdmissionPolicy '")


def findings_of(error: APIError, manifest: ManifestObject) -> Iterator[Finding]:
    message = error.message
    if _STRICT in message:
        for quoted in _UNKNOWN_FIELD.findall(message.partition(_STRICT)[2]):
            path = quoted[1:-1].replace('\\"', '"').replace("\\\\", "\\")
            yield manifest.finding(Rule.UNKNOWN_FIELD, f"unknown field {quoted}", field_path=path)
        return
    if error.code == 400:
        named = _GO_FIELD.search(message)
        yield manifest.finding(Rule.WRONG_TYPE, _shortened(message), field_path=named[1] if named else "")
        return
    fields = [cause for cause in error.causes if cause.field]
    if error.code == 422 and fields and not _POLICY.search(message):
        for cause in fields:
            path = "" if cause.field == "<nil>" else cause.field
            text = f"{cause.field}: {cause.message}" if path else cause.message
            yield manifest.finding(Rule.INVALID, text, field_path=path)
        return
    yield manifest.finding(Rule.DENIED if error.code in (403, 422) else Rule.REFUSED, message)


def _shortened(message: str) -> str:
    """Without the beginning that says which kind it is: that is told anyway."""
    return re.sub(r'^\S+ in version "[^"]*" cannot be handled as an? \S+: ', "", message)
