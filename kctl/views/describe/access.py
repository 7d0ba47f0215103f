"""Roles and bindings. Kubernetes: RoleDescriber, RoleBindingDescriber and their cluster-wide twins.

Certificate signing requests, with what is in them. Kubernetes: describeCertificateSigningRequest.
"""

from __future__ import annotations

import base64
import binascii
from datetime import timedelta
from typing import TYPE_CHECKING

from kctl.errors import KctlError
from kctl.views.access.rules import broken_down, compact, listed, order, resource_and_group
from kctl.views.describe.page import Page, Source, events, full_time, labels_text, named, of, told
from localplane.apimachinery import times
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from cryptography.x509 import CertificateSigningRequest


def _heading(page: Page, obj: JSONObject) -> None:
    named(page, obj, namespaced=False)
    told(page, obj)


async def role(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    _heading(page, obj)
    page.line("PolicyRule:")
    page.line("Resources\tNon-Resource URLs\tResource Names\tVerbs", level=1)
    page.line("---------\t-----------------\t--------------\t-----", level=1)
    rules = compact([one for rule in obj.get("rules") or () for one in broken_down(rule)])
    for rule in sorted(rules, key=order):
        lists = (listed(rule.get(field)) for field in ("nonResourceURLs", "resourceNames", "verbs"))
        page.line("\t".join((resource_and_group(rule), *lists)), level=1)


async def binding(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    _heading(page, obj)
    page.line("Role:")
    page.field("Kind", of(obj, "roleRef").get("kind", ""), level=1)
    page.field("Name", of(obj, "roleRef").get("name", ""), level=1)
    page.line("Subjects:")
    page.line("Kind\tName\tNamespace", level=1)
    page.line("----\t----\t---------", level=1)
    for one in obj.get("subjects") or ():
        page.line(f"{one.get('kind', '')}\t{one.get('name', '')}\t{one.get('namespace', '')}", level=1)


_SUBJECT = (
    ("Organization", "2.5.4.10"),
    ("Organizational Unit", "2.5.4.11"),
    ("Country", "2.5.4.6"),
    ("Locality", "2.5.4.7"),
    ("Province", "2.5.4.8"),
    ("StreetAddress", "2.5.4.9"),
    ("PostalCode", "2.5.4.17"),
)
_COMMON_NAME, _SERIAL_NUMBER = "2.5.4.3", "2.5.4.5"


async def signing_request(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec = of(obj, "metadata"), of(obj, "spec")
    happened = await source.events(obj)
    request = _parsed(str(spec.get("request") or ""))
    page.field("Name", metadata.get("name", ""))
    page.field("Labels", labels_text(metadata.get("labels")))
    page.field("Annotations", labels_text(metadata.get("annotations")))
    page.field("CreationTimestamp", full_time(metadata.get("creationTimestamp")))
    page.field("Requesting User", spec.get("username", ""))
    if spec.get("signerName"):
        page.field("Signer", spec["signerName"])
    if spec.get("expirationSeconds") is not None:
        page.field("Requested Duration", times.human_duration(timedelta(seconds=spec["expirationSeconds"])))
    page.field("Status", status_text(of(obj, "status")))
    _subject(page, request)
    _alternative_names(page, request)
    events(page, happened)


def status_text(status: JSONObject) -> str:
    """`Approved,Issued`. Kubernetes: extractCSRStatus."""
    types = {one.get("type") for one in status.get("conditions") or ()}
    decision = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    return decision + (",Failed" if "Failed" in types else "") + (",Issued" if status.get("certificate") else "")


def _parsed(encoded: str) -> CertificateSigningRequest:
    from cryptography.x509 import load_pem_x509_csr

    try:
        text = base64.b64decode(encoded)
    except binascii.Error:
        text = b""
    if b"-----BEGIN CERTIFICATE REQUEST-----" not in text:
        raise KctlError("Error parsing CSR: PEM block type must be CERTIFICATE REQUEST")
    try:
        return load_pem_x509_csr(text)
    except ValueError as error:
        raise KctlError(f"Error parsing CSR: {error}") from error


def _subject(page: Page, request: CertificateSigningRequest) -> None:
    values: dict[str, list[str]] = {}
    for one in request.subject:
        values.setdefault(one.oid.dotted_string, []).append(str(one.value))
    page.line("Subject:")
    for title, oid in (("Common Name", _COMMON_NAME), ("Serial Number", _SERIAL_NUMBER)):
        page.line(f"\t{title}:\t{values.get(oid, [''])[-1]}")
    for title, oid in _SUBJECT:
        _listed(page, title, values.get(oid, []))


def _alternative_names(page: Page, request: CertificateSigningRequest) -> None:
    from cryptography import x509

    try:
        names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return
    found = {
        "DNS Names": names.get_values_for_type(x509.DNSName),
        "Email Addresses": names.get_values_for_type(x509.RFC822Name),
        "URIs": names.get_values_for_type(x509.UniformResourceIdentifier),
        "IP Addresses": [str(one) for one in names.get_values_for_type(x509.IPAddress)],
    }
    if any(found.values()):
        page.line("Subject Alternative Names:")
    for title, values in found.items():
        _listed(page, title, values)


def _listed(page: Page, title: str, values: list[str]) -> None:
    if values:
        page.line(f"\t{title}:\t" + "\n\t\t".join(values))
