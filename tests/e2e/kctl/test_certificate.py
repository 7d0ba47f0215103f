"""`kctl certificate approve` and `deny`: whole outputs."""

from __future__ import annotations

import base64
import shlex
import uuid

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

KIND = "certificatesigningrequest.certificates.k8s.io"
MISSING = "Error from server (NotFound): certificatesigningrequests.certificates.k8s.io"
MANIFEST = """\
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: %s, labels: {kept: "yes"}}
spec: {request: %s, signerName: example.com/own, usages: [client auth]}
"""


def _request() -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "me")])
    key = ec.generate_private_key(ec.SECP256R1())
    made = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    return base64.b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()


class Requests:
    """Requests PREFIX-1, PREFIX-2 ..., each in a file of its number; `N` in a line is the prefix."""

    def __init__(self, desk: Desk, count: int) -> None:
        self.desk = desk
        self.prefix = f"csr{uuid.uuid4().hex[:6]}"
        for number in range(1, count + 1):
            desk.write(f"files/{number}.yaml", MANIFEST % (f"{self.prefix}-{number}", _request()))
        done = desk.run("create", "-f", "files")
        assert done.code == 0, done.stderr

    def run(self, line: str) -> Outcome:
        return self.desk.run("certificate", *shlex.split(line.replace("N-", f"{self.prefix}-")))

    def said(self, *lines: str) -> Outcome:
        return Outcome(0, "".join(f"{KIND}/{self.prefix}-{line}\n" for line in lines), "")

    def conditions(self, number: int, path: str) -> str:
        found = self.desk.run(
            "get", "csr", f"{self.prefix}-{number}", "-o", f"jsonpath={{.status.conditions[*].{path}}}"
        )
        return found.stdout


def test_requests_are_approved_or_denied_once_and_for_all(desk: Desk) -> None:
    requests = Requests(desk, 2)
    name = requests.prefix
    steps = [
        ("approve N-1", requests.said("1 approved")),
        ("approve N-1", requests.said("1 approved")),
        ("deny N-1", Outcome(1, "", f'error: certificate signing request "{name}-1" is already Approved\n')),
        ("deny csr/N-2", requests.said("2 denied")),
        ("approve N-2", Outcome(1, "", f'error: certificate signing request "{name}-2" is already Denied\n')),
        ("approve N-1 N-9", Outcome(1, requests.said("1 approved").stdout, f'{MISSING} "{name}-9" not found\n')),
    ]  # fmt: skip
    for line, outcome in steps:
        assert requests.run(line) == outcome, line
    assert requests.conditions(1, "message") == "This CSR was approved by kubectl certificate approve."
    assert requests.conditions(2, "reason") == "KubectlDeny"


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_force_sends_a_decision_again(desk: Desk, decision: str) -> None:
    requests = Requests(desk, 1)
    requests.run(f"{decision} N-1")
    before = desk.machine.kctl("get", "csr", f"{requests.prefix}-1", "-o", "yaml").stdout
    assert requests.run(f"{decision} N-1 --force -v=6").stderr.count("/approval") == 1
    assert requests.run(f"{decision} N-1 -v=6").stderr.count("/approval") == 0
    assert desk.machine.kctl("get", "csr", f"{requests.prefix}-1", "-o", "yaml").stdout == before


def test_files_say_which_ones(desk: Desk) -> None:
    requests = Requests(desk, 5)
    desk.write("yes/kustomization.yaml", "resources: [five.yaml]\n")
    (desk.directory / "files" / "5.yaml").rename(desk.directory / "yes" / "five.yaml")
    assert requests.run("approve -k yes") == requests.said("5 approved")
    (desk.directory / "files" / "deep").mkdir()
    (desk.directory / "no" / "deep").mkdir(parents=True)
    (desk.directory / "files" / "4.yaml").rename(desk.directory / "no" / "deep" / "4.yaml")
    (desk.directory / "files" / "2.yaml").rename(desk.directory / "files" / "deep" / "2.yaml")
    desk.write("kus/kustomization.yaml", "resources: [three.yaml]\n")
    (desk.directory / "files" / "3.yaml").rename(desk.directory / "kus" / "three.yaml")
    assert requests.run("approve -f files") == requests.said("1 approved")
    assert requests.run("approve -f files -R") == requests.said("1 approved", "2 approved")
    assert requests.run("deny -k kus") == requests.said("3 denied")
    assert requests.run("deny -f no -R") == requests.said("4 denied")


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_the_request_is_printed_as_it_was_before(desk: Desk, decision: str) -> None:
    requests = Requests(desk, 1)
    steps = [
        ("-o jsonpath={.status}", "{}"),
        ("--template={{.kind}}", "CertificateSigningRequest"),
        ("-o name", f"{KIND}/{requests.prefix}-1\n"),
        ("-o jsonpath={.nope}", ""),
    ]
    for flags, stdout in steps:
        assert requests.run(f"{decision} N-1 {flags}") == Outcome(0, stdout, "")
    strict = requests.run(f"{decision} N-1 -o jsonpath={{.nope}} --allow-missing-template-keys=false")
    assert "nope is not found" in strict.stderr
    assert "manager:" not in requests.run(f"{decision} N-1 -o yaml").stdout
    assert "manager:" in requests.run(f"{decision} N-1 -o yaml --show-managed-fields").stdout


REFUSED = [
    ("approve", "error: one or more CSRs must be specified as <name> or -f <filename>\n"),
    ("deny", "error: one or more CSRs must be specified as <name> or -f <filename>\n"),
    ("approve cm/apple", "error: namespace may not be empty when retrieving a resource by name\n"),
]


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_is_no_request_is_refused(read: Read, line: str, stderr: str) -> None:
    assert read("certificate", *line.split()) == Outcome(1, "", stderr)


def test_alone_it_shows_its_help(read: Read) -> None:
    done = read("certificate")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Approve or deny certificate requests.\n")
