"""Sockets and TLS: who gets in, and what the others hear."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from localplane.apiserver.server.certificates.self_signed import CertificateFiles, ensure_certificates
from localplane.apiserver.server.http.limits import ConnectionLimits
from localplane.apiserver.server.lifecycle import GenericServer
from localplane.apiserver.server.listener import CannotListen, open_sockets
from localplane.apiserver.server.tls import ServingTLS, TLSFiles, UnusableCertificate
from tests.integration.server.toy import Toys, toy_server
from tests.integration.server.wire import Wire, ask_raw


@pytest.mark.parametrize("method", [b"GET", b"POST", b"PATCH", b"DELETE", b"HEAD"])
async def test_plain_http_on_the_tls_port_is_told_so(tls_server: GenericServer, method: bytes) -> None:
    answer = await ask_raw(tls_server.port, method + b" /small HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer == b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"


async def test_something_else_on_the_tls_port_is_just_closed(
    tls_server: GenericServer, client_tls: ssl.SSLContext
) -> None:
    assert await ask_raw(tls_server.port, b"\x00\x01garbage") == b""
    assert b"HTTP" not in await ask_raw(tls_server.port, b"\x16garbage that only begins like a handshake")
    async with await Wire.connect(tls_server.port, tls=client_tls) as wire:
        assert (await wire.get("/small")).status == 200


async def test_a_handshake_that_never_comes_is_cut(toys: Toys, serving_tls: ServingTLS) -> None:
    limits = ConnectionLimits(head_timeout=timedelta(seconds=0.3))
    async with toy_server(toys, tls=serving_tls, limits=limits) as server:
        assert await ask_raw(server.port, b"") == b""
        assert b"HTTP" not in await ask_raw(server.port, b"\x16\x03\x01")


@pytest.mark.parametrize(
    ("begun", "limits"),
    [
        (b"", ConnectionLimits(head_timeout=timedelta(seconds=0.3))),
        (b"GET /small HTTP/1.1\r\nHost: ", ConnectionLimits(head_timeout=timedelta(seconds=0.3))),
        (b"GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n", ConnectionLimits(idle_timeout=timedelta(seconds=0.3))),
    ],
    ids=["nothing", "half a head", "idle"],
)
async def test_a_client_that_does_not_answer_a_goodbye_is_not_waited_for(
    toys: Toys, serving_tls: ServingTLS, client_tls: ssl.SSLContext, begun: bytes, limits: ConnectionLimits
) -> None:
    """It would have half a minute, and its file descriptor with it."""

    def end(port: int) -> bytes:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = client_tls.wrap_bio(incoming, outgoing, server_hostname="localhost")
        with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
            while True:
                try:
                    tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    wire.sendall(outgoing.read())
                    incoming.write(wire.recv(65536))
            if begun:
                tls.write(begun)
            wire.sendall(outgoing.read())
            try:
                while wire.recv(65536):  # what it says is not looked at, a goodbye neither
                    pass
            except ConnectionResetError:
                return b""
            return b""

    async with toy_server(toys, tls=serving_tls, limits=limits) as server:
        assert await asyncio.to_thread(end, server.port) == b""


async def test_a_client_certificate_reaches_the_request(
    tls_server: GenericServer, client_tls: ssl.SSLContext, admin_tls: ssl.SSLContext
) -> None:
    for context, expected in ((client_tls, False), (admin_tls, True)):
        async with await Wire.connect(tls_server.port, tls=context) as wire:
            assert orjson.loads((await wire.get("/about")).body)["certificate"] is expected


async def test_over_tls_a_foreign_name_is_served(tls_server: GenericServer, client_tls: ssl.SSLContext) -> None:
    """Whoever gets this far has the authority's certificate, and a web page would have no credentials."""
    async with await Wire.connect(tls_server.port, tls=client_tls) as wire:
        reply = await wire.get("/small", headers={"Host": "evil.example.com", "Origin": "http://evil"})
        assert reply.status == 200
        assert not [name for name in reply.headers if name.startswith("access-control")]


async def test_old_tls_is_refused(tls_server: GenericServer, certificates: CertificateFiles) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certificates.authority)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ConnectionError, ssl.SSLError)):
        await Wire.connect(tls_server.port, tls=context)


async def test_http2_is_not_promised(tls_server: GenericServer, certificates: CertificateFiles) -> None:
    context = ssl.create_default_context(cafile=certificates.authority)
    context.set_alpn_protocols(["h2", "http/1.1"])
    async with await Wire.connect(tls_server.port, tls=context) as wire:
        assert wire.writer.get_extra_info("ssl_object").selected_alpn_protocol() == "http/1.1"


async def test_a_replaced_certificate_is_served_without_a_restart(toys: Toys, tmp_path: Path) -> None:
    directory = tmp_path / "certificates"
    files = ensure_certificates(directory)
    tls = ServingTLS(TLSFiles(files.server, files.server_key))
    async with toy_server(toys, tls=tls) as server:
        context = ssl.create_default_context(cafile=files.authority)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the new one is from the future

        async def served() -> bytes:
            async with await Wire.connect(server.port, tls=context) as wire:
                certificate: bytes = wire.writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
                return certificate

        before = await served()
        tls.reload_if_changed()
        assert await served() == before
        ensure_certificates(directory, now=datetime.now(UTC) + timedelta(days=340))
        tls.reload_if_changed()
        assert await served() != before
        files.server.write_text("half a file")
        tls.reload_if_changed()
        assert await served() != before


def test_files_that_can_t_be_served_are_named(certificates: CertificateFiles, tmp_path: Path) -> None:
    with pytest.raises(UnusableCertificate, match=f"{tmp_path}/none.crt and .*: No such file or directory"):
        ServingTLS(TLSFiles(tmp_path / "none.crt", certificates.server_key))
    with pytest.raises(UnusableCertificate, match="can't be served: key values mismatch"):
        ServingTLS(TLSFiles(certificates.server, certificates.admin_key))
    with pytest.raises(UnusableCertificate, match="can't be used as client CA"):
        ServingTLS(TLSFiles(certificates.server, certificates.server_key, tmp_path / "none.crt"))


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not _has_ipv6(), reason="this machine has no ::1")
async def test_both_loopback_addresses_have_the_same_port(server: GenericServer) -> None:
    for host in ("127.0.0.1", "::1"):
        async with await Wire.connect(server.port, host=host) as wire:
            assert (await wire.get("/small")).status == 200


async def test_nobody_listens_beyond_loopback(server: GenericServer) -> None:
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ours = [fields[1] for fields in listening if fields[1].endswith(f":{server.port:04X}") and fields[3] == "0A"]
    assert ours == [f"0100007F:{server.port:04X}"]


def test_a_port_that_is_taken_is_named() -> None:
    (taken,) = open_sockets(["127.0.0.1"], 0)
    port = taken.getsockname()[1]
    with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1:{port}: Address already in use"):
        open_sockets(["127.0.0.1"], port)
    taken.close()


def test_an_address_of_another_machine_is_named() -> None:
    with pytest.raises(CannotListen, match=r"cannot listen on 192\.0\.2\.1:0: "):
        open_sockets(["192.0.2.1"], 0)


async def test_running_out_of_descriptors_is_survived(server: GenericServer) -> None:
    """Connections wait until there is room, the server does not spin, and open ones are served meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with await Wire.connect(server.port) as early:
        assert (await early.get("/small")).status == 200
        late = socket.socket()
        late.settimeout(0)
        used = max(int(entry.name) for entry in Path("/proc/self/fd").iterdir())
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, hard))
        hoard = []
        try:
            while True:
                try:
                    hoard.append(os.dup(0))
                except OSError:
                    break
            loop = asyncio.get_running_loop()
            await loop.sock_connect(late, ("127.0.0.1", server.port))
            await loop.sock_sendall(late, b"GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n")
            before = os.times()
            assert (await early.get("/small")).status == 200
            await asyncio.sleep(0.3)
            after = os.times()
            assert after.user + after.system - before.user - before.system < 0.25
        finally:
            for descriptor in hoard:
                os.close(descriptor)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        answer = await asyncio.wait_for(loop.sock_recv(late, 1000), 30)
        assert answer.startswith(b"HTTP/1.1 200 OK")
        late.close()


async def test_a_closed_server_leaves_its_port_to_others(toys: Toys) -> None:
    async with toy_server(toys) as first:
        port = first.port
    async with toy_server(toys, port=port) as second, await Wire.connect(second.port) as wire:
        assert (await wire.get("/small")).status == 200


def test_certificates_are_for_openssl_too(certificates: CertificateFiles) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl")
    import subprocess

    for purpose, certificate in (("sslserver", certificates.server), ("sslclient", certificates.admin)):
        command = [openssl, "verify", "-x509_strict", "-purpose", purpose, "-CAfile", str(certificates.authority)]
        assert subprocess.run([*command, str(certificate)], capture_output=True, check=False).returncode == 0
