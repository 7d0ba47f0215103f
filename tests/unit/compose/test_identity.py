"""All servers on a prefix have one identity: made once, agreed upon, and never another cluster's."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

import localplane.compose.identity.establishing as module
from localplane.apimachinery.errors import Conflict
from localplane.apiserver.server.certificates.self_signed import ensure_certificates
from localplane.apiserver.storage.encryption import EncryptionRules
from localplane.apiserver.storage.encryption.providers import AESCBC, Identity, Provider
from localplane.apiserver.storage.memory import MemoryBackend
from localplane.compose.identity.agreement import ENCRYPTION, agreement_of
from localplane.compose.identity.changing import change_keys, changed_elsewhere
from localplane.compose.identity.establishing import Established, Establishing, OtherServer, Start
from localplane.compose.identity.keys import ClusterKeys, KeysIncomplete, RenewalState
from localplane.compose.identity.record import Identities, IdentityUnusable
from localplane.compose.options import ClusterOptions
from localplane.servers.aggregator.front_proxy import ensure_front_proxy
from localplane.servers.kube.tokens import ServiceAccountTokens
from localplane.servers.kube.tokens.keys import own_key

NOW = datetime.now(UTC)
USUAL = agreement_of(ClusterOptions())
OTHER = OtherServer("process 7 on elsewhere", NOW.isoformat())
PREFIX = "/registry"


@pytest.fixture(scope="module")
def keys() -> ClusterKeys:
    return ClusterKeys.make(NOW)


def starting(
    store: MemoryBackend, directory: Path, *, agreement: dict[str, str] | None = None, adopts: bool = False
) -> Establishing:
    start = Start(keys=directory, agreement=USUAL if agreement is None else agreement, adopts=adopts)
    return Establishing(store, PREFIX, start)


async def started(starts: Establishing, *others: OtherServer) -> Established:
    await starts.check()
    return await starts.establish(others)


async def test_of_many_first_servers_one_makes_the_keys_and_all_have_them(tmp_path: Path) -> None:
    store = MemoryBackend()
    servers = [starting(store, tmp_path / str(number)) for number in range(5)]
    made = await asyncio.gather(*(started(server) for server in servers))
    assert len({each.record.id for each in made}) == 1
    copies = [ClusterKeys.read(tmp_path / str(number)).document() for number in range(5)]
    assert copies == [made[0].record.keys.document()] * 5
    assert (tmp_path / "0" / "ca.key").stat().st_mode & 0o777 == 0o600


async def test_the_keys_stand_beside_the_objects_and_not_among_them(tmp_path: Path) -> None:
    store = MemoryBackend()
    await started(starting(store, tmp_path / "a"))
    assert [kv.key for kv in (await store.range("/", "0")).kvs] == ["/registry.localplane/identity"]


async def test_certificates_of_each_server_are_of_the_one_authority(tmp_path: Path) -> None:
    store = MemoryBackend()
    for name in ("a", "b"):
        await started(starting(store, tmp_path / name))
    first, second = (ensure_certificates(tmp_path / name, addresses=(f"192.0.2.{7}",)) for name in ("a", "b"))
    authority = x509.load_pem_x509_certificate(first.authority.read_bytes())
    for path in (first.server, second.server, first.admin, second.admin):
        x509.load_pem_x509_certificate(path.read_bytes()).verify_directly_issued_by(authority)
    assert first.server.read_bytes() != second.server.read_bytes()


async def test_a_prefix_with_somebody_elses_objects_is_refused_and_not_touched(tmp_path: Path) -> None:
    store = MemoryBackend()
    revision = await store.put("/registry/configmaps/default/a", b"{}", expected=0)
    with pytest.raises(IdentityUnusable, match=r"^the prefix /registry of this etcd cluster has objects, but no ident"):
        await starting(store, tmp_path / "a").check()
    assert await store.current_revision() == revision
    assert not (tmp_path / "a").exists()
    await started(starting(store, tmp_path / "a", adopts=True))
    await started(starting(store, tmp_path / "b"))


async def test_keys_that_a_server_kept_alone_become_the_clusters_if_its_objects_name_them(
    tmp_path: Path, keys: ClusterKeys
) -> None:
    store, directory = MemoryBackend(), tmp_path / "pki"
    keys.write(directory)
    published = {"data": {"requestheader-client-ca-file": keys.files["front-proxy-ca.crt"].decode()}}
    await store.put(PREFIX + module._TRUST, json.dumps(published).encode(), expected=0)
    made = await started(starting(store, directory))
    assert made.record.keys == keys
    with pytest.raises(KeysIncomplete):
        ClusterKeys.read(tmp_path / "other")
    assert (await started(starting(store, tmp_path / "other"))).record.keys.document() == keys.document()


async def test_keys_of_something_else_are_moved_aside(tmp_path: Path, keys: ClusterKeys) -> None:
    store, directory = MemoryBackend(), tmp_path / "pki"
    await started(starting(store, tmp_path / "a"))
    keys.write(directory)
    await started(starting(store, directory))
    (aside,) = tmp_path.glob("pki-*")
    assert ClusterKeys.read(aside) == keys
    assert ClusterKeys.read(directory) == ClusterKeys.read(tmp_path / "a")


async def test_a_store_that_lost_the_identity_gets_it_back_from_a_server(tmp_path: Path) -> None:
    store = MemoryBackend()
    made = await started(starting(store, tmp_path / "a"))
    await store.put("/registry/configmaps/default/a", b"{}", expected=0)
    await store.delete("/registry.localplane/identity", expected=(await Identities(store, PREFIX).read()).revision)  # type: ignore[union-attr] # it is there
    again = await started(starting(store, tmp_path / "a"))
    assert again.record.keys == made.record.keys


async def test_servers_that_run_together_agree(tmp_path: Path) -> None:
    store = MemoryBackend()
    await started(starting(store, tmp_path / "a"))
    network = {**USUAL, "--service-cluster-ip-range": "10.1.0.0/16", "--enable-admission-plugins": "AlwaysPullImages"}
    before = await store.current_revision()
    with pytest.raises(IdentityUnusable) as refused:
        await started(starting(store, tmp_path / "b", agreement=network), OTHER)
    assert str(refused.value) == (
        "the servers of this cluster must agree, and process 7 on elsewhere runs with --service-cluster-ip-range "
        "10.0.0.0/24, and here 10.1.0.0/16; no --enable-admission-plugins, and here AlwaysPullImages: start this one "
        "with the same, or stop all others first"
    )
    assert await store.current_revision() == before
    alone = await started(starting(store, tmp_path / "b", agreement=network))
    assert alone.notes[0].startswith("the cluster ran with --service-cluster-ip-range 10.0.0.0/24, and here")
    with pytest.raises(IdentityUnusable, match="AlwaysPullImages, which is not given here"):
        await started(starting(store, tmp_path / "a"), OTHER)


async def test_another_version_is_said_and_the_newest_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryBackend()
    await started(starting(store, tmp_path / "a"))
    monkeypatch.setattr(module, "__version__", "9.10.0")
    newer = await started(starting(store, tmp_path / "a"), OTHER)
    assert newer.notes == ("the cluster was last served by version 0.1.0, and this is 9.10.0",)
    monkeypatch.setattr(module, "__version__", "9.9.0")
    older = await started(starting(store, tmp_path / "a"))
    assert older.notes == ("the cluster was last served by version 9.10.0, and this is 9.9.0",)
    assert older.record.version == "9.10.0"


async def test_a_clock_that_is_behind_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryBackend()
    await started(starting(store, tmp_path / "a"))
    late = OtherServer("process 7 on elsewhere", (NOW + timedelta(hours=1)).isoformat())
    with pytest.raises(IdentityUnusable, match=r"process 7 on elsewhere started at .* which is later: set the clock$"):
        await started(starting(store, tmp_path / "a"), late)

    class Past(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override] # all that is asked of it
            return NOW - timedelta(days=400)

    monkeypatch.setattr(module, "datetime", Past)
    with pytest.raises(IdentityUnusable, match=r"^this machine's clock says .*, and this cluster was made at"):
        await starting(store, tmp_path / "b").check()


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"id": 7, "created": "x"}', b"\xff" * 9])
async def test_an_identity_that_cant_be_read_is_told_with_its_key(tmp_path: Path, content: bytes) -> None:
    store = MemoryBackend()
    await store.put("/registry.localplane/identity", content, expected=0)
    with pytest.raises(IdentityUnusable, match=r"^the cluster's identity under the key /registry.localplane/identity"):
        await starting(store, tmp_path / "a").check()


def test_renewed_keys_stand_beside_the_previous_ones_until_those_are_retired(tmp_path: Path, keys: ClusterKeys) -> None:
    with pytest.raises(RenewalState, match="renew them first"):
        keys.retire()
    renewed = keys.renew(NOW)
    assert ClusterKeys.of_document(renewed.document()) == renewed
    with pytest.raises(RenewalState, match=r"`kctl certs retire`$"):
        renewed.renew(NOW)
    renewed.write(tmp_path)
    assert ClusterKeys.read(tmp_path) == renewed
    bundle = (tmp_path / "ca-bundle.crt").read_bytes()
    assert bundle == renewed.files["ca.crt"] + keys.files["ca.crt"]
    retired = renewed.retire()
    retired.write(tmp_path)
    assert ClusterKeys.read(tmp_path) == retired
    assert not (tmp_path / "ca-bundle.crt").exists()
    assert not (tmp_path / "previous").exists()


def test_while_both_are_believed_servers_show_the_previous_authority_and_sign_clients_with_the_new(
    tmp_path: Path, keys: ClusterKeys
) -> None:
    keys.write(tmp_path)
    ensure_certificates(tmp_path)
    ensure_front_proxy(tmp_path)
    renewed = keys.renew(NOW)
    renewed.write(tmp_path)
    files, proxy = ensure_certificates(tmp_path), ensure_front_proxy(tmp_path)
    old, new = (x509.load_pem_x509_certificate(each["ca.crt"]) for each in (keys.files, renewed.files))
    x509.load_pem_x509_certificate(files.server.read_bytes()).verify_directly_issued_by(old)
    x509.load_pem_x509_certificate(files.admin.read_bytes()).verify_directly_issued_by(new)
    older_proxy = x509.load_pem_x509_certificate(keys.files["front-proxy-ca.crt"])
    x509.load_pem_x509_certificate(proxy.client.read_bytes()).verify_directly_issued_by(older_proxy)
    assert files.bundle.name == "ca-bundle.crt"
    assert proxy.bundle.read_bytes().count(b"BEGIN CERTIFICATE") == 2
    renewed.retire().write(tmp_path)
    files = ensure_certificates(tmp_path)
    x509.load_pem_x509_certificate(files.server.read_bytes()).verify_directly_issued_by(new)
    assert files.bundle == files.authority


async def test_tokens_of_both_keys_are_believed_and_the_new_one_signs_once_all_know_it(
    tmp_path: Path, keys: ClusterKeys
) -> None:
    keys.write(tmp_path)
    before = (await ServiceAccountTokens.open(tmp_path / "sa.key")).sign({"sub": "a"})
    keys.renew(datetime.now(UTC)).write(tmp_path)
    during = await ServiceAccountTokens.open(tmp_path / "sa.key")
    assert during.claims_of(before)
    old = ServiceAccountTokens(own_key(tmp_path / "previous" / "sa.key", None))
    assert old.claims_of(during.sign({"sub": "b"})), "other servers may not know the new key yet"
    keys.renew(NOW - timedelta(minutes=2)).write(tmp_path)
    later = await ServiceAccountTokens.open(tmp_path / "sa.key")
    new = ServiceAccountTokens(own_key(tmp_path / "sa.key", None))
    assert new.claims_of(later.sign({"sub": "c"}))
    assert later.claims_of(before)


def encrypted(*providers: Provider) -> EncryptionRules:
    return EncryptionRules({"secrets": providers})


async def begin(
    store: MemoryBackend, directory: Path, rules: EncryptionRules | None, *others: OtherServer
) -> Established:
    writers = rules.writers() if rules is not None else {}
    agreement = {**USUAL, **{f"{ENCRYPTION}{pattern}": key for pattern, key in writers.items()}}
    return await started(Establishing(store, PREFIX, Start(keys=directory, agreement=agreement, rules=rules)), *others)


async def test_whoever_joins_can_read_what_the_others_encrypt(tmp_path: Path) -> None:
    """A key is changed in three rounds through all servers: known, first, alone."""
    store, old, new = MemoryBackend(), AESCBC("old", b"o" * 32), AESCBC("new", b"n" * 32)
    await begin(store, tmp_path, encrypted(old, Identity()))
    for lacking in (None, encrypted(new, Identity())):
        with pytest.raises(
            IdentityUnusable, match='runs with secrets encrypted with aescbc key "old", which --encryption'
        ):
            await begin(store, tmp_path, lacking, OTHER)
    for following in (
        encrypted(old, new),
        encrypted(new, old),
        encrypted(old, new),
        encrypted(new, old),
        encrypted(new),
    ):
        await begin(store, tmp_path, following, OTHER)
    with pytest.raises(IdentityUnusable, match='encrypted with aescbc key "new"'):
        await begin(store, tmp_path, encrypted(old), OTHER)
    await begin(store, tmp_path, encrypted(Identity(), new), OTHER)
    with pytest.raises(IdentityUnusable, match=r"secrets encrypted with nothing \(identity\), which"):
        await begin(store, tmp_path, encrypted(new), OTHER)
    assert (await begin(store, tmp_path, None, OTHER)).notes == ()
    alone = await begin(store, tmp_path, encrypted(new))
    (note,) = alone.notes
    assert note.startswith(
        "the cluster ran with secrets encrypted with nothing (identity), which --encryption-provider"
    )


async def test_a_renewal_by_one_server_is_noticed_by_the_others(tmp_path: Path) -> None:
    store = MemoryBackend()
    ours = starting(store, tmp_path / "a")
    ours.identities.installed = (await started(ours)).record.keys
    following = asyncio.create_task(changed_elsewhere(ours.identities, every=timedelta(0), spread=timedelta(0)))
    theirs = Identities(store, PREFIX)
    await theirs.write(replace((await started(ours)).record, version="1.0.0"))
    await asyncio.sleep(0.05)
    assert not following.done(), "its keys are the same"
    with pytest.raises(Conflict, match="renew them first"):
        await change_keys(theirs, tmp_path, "retire")
    await change_keys(theirs, tmp_path, "renew")
    await asyncio.wait_for(following, 60)
    again = await started(starting(store, tmp_path / "a"))
    assert again.record.keys.previous == ours.identities.installed.files
    assert ClusterKeys.read(tmp_path / "a") == again.record.keys
    await change_keys(theirs, tmp_path, "retire")
    assert (await started(starting(store, tmp_path / "a"))).record.keys.previous is None
