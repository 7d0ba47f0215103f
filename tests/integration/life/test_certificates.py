"""Certificates are approved, signed and cleaned away, and what was signed is believed."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.controllers.context import ControllerContext
from localplane.controllers.identity.certificates import pod_requests, trust_bundles
from localplane.controllers.identity.certificates.cleaner import end_of
from localplane.controllers.identity.certificates.trust_bundles import bundle_name
from tests.integration.life.world import World, cluster

REQUESTS = "certificates.k8s.io/v1/certificatesigningrequests"
POD_REQUESTS = "certificates.k8s.io/v1/podcertificaterequests"
BUNDLES = "certificates.k8s.io/v1/clustertrustbundles"
APPROVING, SIGNING, CLEANING = (
    f"certificatesigningrequest-{name}-controller" for name in ("approving", "signing", "cleaner")
)
CLIENT = "kubernetes.io/kube-apiserver-client"
KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
KUBELET_SERVING = "kubernetes.io/kubelet-serving"
CLIENT_USAGES = ("digital signature", "key encipherment", "client auth")
SERVING_USAGES = ("digital signature", "key encipherment", "server auth")


def csr(name: str, organizations: Sequence[str] = (), *, dns: str = "") -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, each) for each in organizations]
    subject = x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    if dns:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(dns)]), critical=False)
    pem = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return base64.b64encode(pem).decode()


def request(name: str, content: str, signer: str, usages: Sequence[str], **spec: Any) -> JSONObject:
    said = {"request": content, "signerName": signer, "usages": list(usages)} | spec
    return {"metadata": {"name": name}, "spec": said}


async def approve(world: World, name: str) -> None:
    approved = await world.of(REQUESTS, "").get(name)
    approved["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "Test", "message": "m"}]}
    await world.of(REQUESTS, "").update(approved, subresource="approval")


def has(kind: str) -> Callable[[JSONObject], bool]:
    return lambda obj: any(each["type"] == kind for each in obj["status"].get("conditions") or ())


async def issued(world: World, name: str) -> x509.Certificate:
    signed = await world.becomes(REQUESTS, name, lambda obj: bool(obj["status"].get("certificate")), "")
    return x509.load_pem_x509_certificate(base64.b64decode(signed["status"]["certificate"]))


async def test_an_approved_request_is_signed_by_the_authority_of_the_cluster() -> None:
    async with cluster(SIGNING, nodes=0) as world:
        await world.create(REQUESTS, request("anna", csr("anna", ["people"]), CLIENT, CLIENT_USAGES), "")
        await approve(world, "anna")
        certificate = await issued(world, "anna")
        assert world.plane.authority is not None
        authority = x509.load_pem_x509_certificate(world.plane.authority.read_bytes())
        certificate.verify_directly_issued_by(authority)
        assert certificate.subject.rfc4514_string() == "CN=anna,O=people"
        purposes = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        assert list(purposes) == [ExtendedKeyUsageOID.CLIENT_AUTH]
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage)
        assert usage.critical
        assert (usage.value.digital_signature, usage.value.key_encipherment) == (True, True)
        assert not usage.value.key_cert_sign
        assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
        lasts = certificate.not_valid_after_utc - certificate.not_valid_before_utc
        assert lasts == timedelta(days=365)


async def test_a_certificate_lasts_as_long_as_was_asked_for() -> None:
    async with cluster(SIGNING, nodes=0) as world:
        asked = request("anna", csr("anna"), CLIENT, CLIENT_USAGES, expirationSeconds=3600)
        await world.create(REQUESTS, asked, "")
        await approve(world, "anna")
        certificate = await issued(world, "anna")
        lasts = certificate.not_valid_after_utc - certificate.not_valid_before_utc
        assert lasts == timedelta(hours=1, minutes=5)


UNSIGNED = (
    (
        KUBELET_SERVING,
        csr("system:node:a", ["system:nodes"]),
        SERVING_USAGES,
        "DNS or IP subjectAltName is required",
    ),
    (KUBELET_SERVING, csr("system:node:a"), SERVING_USAGES, "subject organization is not system:nodes"),
    (
        KUBELET_SERVING,
        csr("system:node:a", ["system:nodes"], dns="a"),
        CLIENT_USAGES,
        "usages did not match [digital signature key encipherment server auth]",
    ),
    (
        KUBELET_CLIENT,
        csr("system:node:a", ["system:nodes"], dns="a"),
        CLIENT_USAGES,
        "DNS subjectAltNames are not allowed",
    ),
    (
        KUBELET_CLIENT,
        csr("anna", ["system:nodes"]),
        CLIENT_USAGES,
        "subject common name does not begin with system:node:",
    ),
    (CLIENT, csr("anna"), SERVING_USAGES, "invalid usage for client certificate: server auth"),
    (
        CLIENT,
        csr("anna"),
        ("digital signature",),
        "missing required usage for client certificate: client auth",
    ),
)
"""Signer, request, usages, and why not."""


async def test_what_a_signer_does_not_sign_has_failed() -> None:
    async with cluster(SIGNING, nodes=0) as world:
        for number, (signer, content, usages, message) in enumerate(UNSIGNED):
            await world.create(REQUESTS, request(f"r{number}", content, signer, usages), "")
            await approve(world, f"r{number}")
            failed = await world.becomes(REQUESTS, f"r{number}", has("Failed"), "")
            failure = failed["status"]["conditions"][-1]
            assert (failure["reason"], failure["message"]) == ("SignerValidationFailure", message)


async def test_a_serving_certificate_has_the_names_of_its_request() -> None:
    async with cluster(SIGNING, nodes=0) as world:
        content = csr("system:node:a", ["system:nodes"], dns="a.example.com")
        await world.create(REQUESTS, request("r", content, KUBELET_SERVING, SERVING_USAGES), "")
        await approve(world, "r")
        certificate = await issued(world, "r")
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        assert names.get_values_for_type(x509.DNSName) == ["a.example.com"]


async def test_a_request_of_a_node_is_approved_if_whoever_asks_may_have_it() -> None:
    async with cluster(APPROVING, SIGNING, nodes=0) as world:
        node = csr("system:node:a", ["system:nodes"])
        await world.create(REQUESTS, request("other", csr("anna"), CLIENT, CLIENT_USAGES), "")
        await world.create(REQUESTS, request("node", node, KUBELET_CLIENT, CLIENT_USAGES), "")
        approved = await world.becomes(REQUESTS, "node", has("Approved"), "")
        (approval,) = approved["status"]["conditions"]
        assert approval["reason"] == "AutoApproved"
        assert approval["message"] == "Auto approving kubelet client certificate after SubjectAccessReview."
        await issued(world, "node")
        other = await world.get(REQUESTS, "other", "")
        assert other is not None
        assert not other.get("status", {}).get("conditions")


async def test_a_request_goes_when_its_certificate_is_over_or_nothing_came_of_it() -> None:
    async with cluster(CLEANING, nodes=0) as world:
        for name in ("denied", "fresh"):
            await world.create(REQUESTS, request(name, csr("anna"), CLIENT, CLIENT_USAGES), "")
        ago = format_time(datetime.now(UTC) - timedelta(hours=2))
        denied = await world.of(REQUESTS, "").get("denied")
        denial = {"type": "Denied", "status": "True", "reason": "r", "message": "m", "lastUpdateTime": ago}
        denied["status"] = {"conditions": [denial]}
        await world.of(REQUESTS, "").update(denied, subresource="approval")
        await world.gone(REQUESTS, "denied", "")
        assert await world.get(REQUESTS, "fresh", "") is not None


def test_each_state_of_a_request_has_its_end() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    metadata = {"name": "r", "creationTimestamp": format_time(moment)}

    def end(certificate: str = "", *kinds: str) -> datetime | None:
        conditions = [{"type": kind, "lastUpdateTime": format_time(moment)} for kind in kinds]
        return end_of({"metadata": metadata, "status": {"conditions": conditions, "certificate": certificate}})

    assert end() == moment + timedelta(hours=24)
    assert end("", "Approved") == moment + timedelta(hours=24)
    assert end("AAAA", "Approved") == moment + timedelta(hours=1)
    assert end("", "Denied") == moment + timedelta(hours=1)
    assert end("", "Approved", "Failed") == moment + timedelta(hours=1)


@asynccontextmanager
async def running(
    world: World, start: Callable[[ControllerContext], Awaitable[None]], root_ca: str = ""
) -> AsyncIterator[None]:
    task = asyncio.ensure_future(start(ControllerContext(world.client, world.plane.informers, root_ca=root_ca)))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_the_authority_of_the_server_is_published_in_the_place_of_what_was_before() -> None:
    async with cluster(nodes=0) as world:
        assert world.plane.authority is not None
        authority = world.plane.authority.read_text(encoding="ascii")
        signer = "kubernetes.io/kube-apiserver-serving"
        old = {
            "metadata": {"name": bundle_name(signer, "old")},
            "spec": {"signerName": signer, "trustBundle": authority},
        }
        await world.create(BUNDLES, old, "")
        async with running(world, trust_bundles.start, authority):
            await world.gone(BUNDLES, bundle_name(signer, "old"), "")
            (bundle,) = await world.items(BUNDLES, "")
        assert bundle["metadata"]["name"] == bundle_name(signer, authority)
        assert bundle["spec"] == {"signerName": signer, "trustBundle": authority}


def test_a_bundle_is_named_by_its_signer_and_its_content() -> None:
    assert bundle_name("example.com/a", "") == "example.com:a:e3b0c44298fc1c149afbf4c8"


def pod_request(name: str) -> JSONObject:
    key = ec.generate_private_key(ec.SECP256R1())
    stub = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
    spec: JSONObject = {"signerName": "example.com/s", "maxExpirationSeconds": 3600}
    spec["stubPKCS10Request"] = base64.b64encode(stub.public_bytes(serialization.Encoding.DER)).decode()
    spec |= {f"{owner}{what}": owner.lower() for owner in ("pod", "serviceAccount", "node") for what in ("Name", "UID")}
    return {"metadata": {"name": name}, "spec": spec}


async def test_a_request_of_a_pod_goes_when_it_is_old_enough() -> None:
    async with cluster(nodes=0) as world:
        await world.create(POD_REQUESTS, pod_request("old"))
        async with running(world, lambda context: pod_requests.clean(context, timedelta(seconds=1))):
            await world.gone(POD_REQUESTS, "old")
