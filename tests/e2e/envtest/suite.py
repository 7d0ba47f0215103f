"""What envtest does, in Python: the same files, the same arguments, the same waiting, the same end.

controller-runtime: pkg/internal/testing/controlplane (etcd.go, apiserver.go, auth.go), pkg/internal/testing/process and
certs. A serving certificate and a client authority of EC P-256, an EC key for service accounts whose public half is
handed over as a certificate, users by client certificates, /healthz polled each 100 ms, SIGTERM at the end.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_READY_WITHIN = 60.0  # envtest gives 20 s; a busy machine is nobody's fault
_STOPPED_WITHIN = 20.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Issued:
    certificate: bytes
    key: bytes


class TinyCA:
    """envtest's, down to the names. Kubernetes: controller-runtime's certs.TinyCA."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name(
            [
                x509.NameAttribute(NameOID.COMMON_NAME, "envtest-environment"),
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, "envtest"),
            ]
        )
        builder = self._builder(self._name, self._key)
        self._certificate = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(
            self._key, hashes.SHA256()
        )

    @property
    def pem(self) -> bytes:
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    def serving(self, *addresses: str) -> Issued:
        names: list[x509.GeneralName] = [x509.DNSName("localhost")]
        names += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        return self._issue("localhost", (), ExtendedKeyUsageOID.SERVER_AUTH, x509.SubjectAlternativeName(names))

    def client(self, name: str, groups: Sequence[str] = ()) -> Issued:
        return self._issue(name, groups, ExtendedKeyUsageOID.CLIENT_AUTH, None)

    def _issue(
        self,
        name: str,
        groups: Sequence[str],
        usage: x509.ObjectIdentifier,
        names: x509.SubjectAlternativeName | None,
    ) -> Issued:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = [x509.NameAttribute(NameOID.COMMON_NAME, name)]
        subject += [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        builder = self._builder(x509.Name(subject), key).add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        signed = builder.sign(self._key, hashes.SHA256())
        return Issued(signed.public_bytes(serialization.Encoding.PEM), private_pem(key))

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=1))
            .not_valid_after(now + timedelta(days=7))
        )


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class User:
    """Asks as somebody: with a certificate, a token, or neither."""

    url: str
    context: ssl.SSLContext
    token: str = ""

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=30) as answer:
                return Answer(answer.status, _parsed(answer.read()))
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, _parsed(error.read()))


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode()


class Environment:
    """etcd and kube-apiserver out of a folder, as envtest's ControlPlane starts them."""

    def __init__(self, assets: Path, extra: Mapping[str, Sequence[str]] | None = None) -> None:
        self.assets = assets
        self.directory = Path(tempfile.mkdtemp(prefix="k8s_test_framework_"))
        self.etcd_url = f"http://127.0.0.1:{free_port()}"
        self.port = free_port()
        self.authority, self.user_authority = TinyCA(), TinyCA()
        self.extra = extra or {}
        self.etcd: subprocess.Popen[bytes] | None = None
        self.apiserver: subprocess.Popen[bytes] | None = None
        self.started_in = 0.0
        self.stopped_in = 0.0

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return (self.directory / "apiserver.log").read_text()

    def start(self) -> None:
        began = time.perf_counter()
        self.start_etcd()
        self.start_apiserver()
        self.started_in = time.perf_counter() - began

    def start_etcd(self) -> None:
        data = self.directory / "etcd"
        data.mkdir(exist_ok=True)
        arguments = [
            f"--advertise-client-urls={self.etcd_url}",
            f"--data-dir={data}",
            f"--listen-client-urls={self.etcd_url}",
            "--listen-peer-urls=http://localhost:0",
            "--unsafe-no-fsync=true",
        ]
        with (self.directory / "etcd.log").open("ab") as log:
            self.etcd = subprocess.Popen([self.assets / "etcd", *arguments], stdout=log, stderr=log)
        self._wait_for(f"{self.etcd_url}/health", self.etcd, None)

    def start_apiserver(self) -> None:
        # envtest looks whether a version is so old that it has an insecure port.
        shown = subprocess.run([self.assets / "kube-apiserver", "--help"], capture_output=True, text=True, check=True)
        assert re.search(r"(?m)^\s*--secure-port\b", shown.stdout)
        assert not re.search(r"(?m)^\s*--insecure-port\b", shown.stdout)
        with (self.directory / "apiserver.log").open("ab") as log:
            self.apiserver = subprocess.Popen(
                [self.assets / "kube-apiserver", *self.arguments()], stdout=log, stderr=log
            )
        self._wait_for(f"{self.url}/healthz", self.apiserver, self._anybody())

    def arguments(self) -> list[str]:
        certificates = self.directory / "certs"
        if not certificates.exists():
            self._write_certificates(certificates)
        flags: dict[str, Sequence[str]] = {
            "allow-privileged": ["true"],
            "authorization-mode": ["RBAC"],
            "bind-address": ["127.0.0.1"],
            "cert-dir": [str(certificates)],
            "client-ca-file": [str(certificates / "client-cert-auth-ca.crt")],
            "disable-admission-plugins": ["ServiceAccount"],
            "etcd-servers": [self.etcd_url],
            "secure-port": [str(self.port)],
            "service-account-issuer": [f"{self.url}/"],
            "service-account-key-file": [str(certificates / "sa-signer.crt")],
            "service-account-signing-key-file": [str(certificates / "sa-signer.key")],
            "service-cluster-ip-range": ["10.0.0.0/24"],
            **self.extra,
        }
        return [f"--{name}={value}" for name, values in flags.items() for value in values]

    def _write_certificates(self, directory: Path) -> None:
        directory.mkdir()
        serving = self.authority.serving("127.0.0.1")
        (directory / "apiserver.crt").write_bytes(serving.certificate)
        (directory / "apiserver.key").write_bytes(serving.key)
        signer = TinyCA().client("sa-signer")
        (directory / "sa-signer.crt").write_bytes(signer.certificate)
        (directory / "sa-signer.key").write_bytes(signer.key)
        (directory / "client-cert-auth-ca.crt").write_bytes(self.user_authority.pem)

    def add_user(self, name: str, groups: Sequence[str] = ()) -> User:
        """envtest's AddUser: a certificate that the client authority signs."""
        context = self._anybody()
        issued = self.user_authority.client(name, groups)
        path = self.directory / f"{name.replace(':', '-')}.pem"
        path.write_bytes(issued.certificate + issued.key)
        context.load_cert_chain(path)
        return User(self.url, context)

    def kubeconfig(self, name: str, groups: Sequence[str] = ()) -> Path:
        issued = self.user_authority.client(name, groups)
        encoded = {
            "certificate-authority-data": base64.b64encode(self.authority.pem).decode(),
            "client-certificate-data": base64.b64encode(issued.certificate).decode(),
            "client-key-data": base64.b64encode(issued.key).decode(),
        }
        cluster = {"server": self.url, "certificate-authority-data": encoded.pop("certificate-authority-data")}
        path = self.directory / f"{name}.kubeconfig"
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "envtest", "cluster": cluster}],
            "users": [{"name": "envtest", "user": encoded}],
            "contexts": [{"name": "envtest", "context": {"cluster": "envtest", "user": "envtest"}}],
            "current-context": "envtest",
        }
        path.write_text(json.dumps(content))
        return path

    def holder_of(self, token: str) -> User:
        return User(self.url, self._anybody(), token)

    def anonymous(self) -> User:
        return User(self.url, self._anybody())

    def _anybody(self) -> ssl.SSLContext:
        return ssl.create_default_context(cadata=self.authority.pem.decode())

    def _wait_for(self, url: str, process: subprocess.Popen[bytes], context: ssl.SSLContext | None) -> None:
        give_up = time.monotonic() + _READY_WITHIN
        while time.monotonic() < give_up:
            if process.poll() is not None:
                logs = "\n".join(path.read_text() for path in self.directory.glob("*.log"))
                raise AssertionError(f"{url}: the process ended with {process.returncode}:\n{logs}")
            try:
                with urllib.request.urlopen(url, context=context, timeout=1) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            time.sleep(_POLL_SECONDS)
        raise AssertionError(f"{url} did not become healthy")

    def stop_apiserver(self) -> int:
        assert self.apiserver is not None, "it was started"
        self.apiserver.send_signal(signal.SIGTERM)
        return self.apiserver.wait(_STOPPED_WITHIN)

    def stop(self) -> None:
        began = time.perf_counter()
        for process in (self.apiserver, self.etcd):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(_STOPPED_WITHIN)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    raise
        self.stopped_in = time.perf_counter() - began
        shutil.rmtree(self.directory, ignore_errors=True)


@contextmanager
def running(assets: Path, **extra: Sequence[str]) -> Iterator[Environment]:
    """With flags of a suite's own, dashes written as underscores."""
    environment = Environment(assets, {name.replace("_", "-"): values for name, values in extra.items()})
    try:
        environment.start()
        yield environment
    finally:
        environment.stop()
