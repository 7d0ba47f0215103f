"""Values are encrypted in Kubernetes' own form, read with any of the keys, and written anew with the first."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml
from localplane.apiserver.storage.backend import Wanted
from localplane.apiserver.storage.encryption import (
    ConfigurationInvalid,
    EncryptedBackend,
    EncryptionRules,
    read_configuration,
)
from localplane.apiserver.storage.encryption.providers import AESCBC, AESGCMProvider, Identity, Provider, Providers
from localplane.apiserver.storage.errors import CompareFailed, CorruptObject
from localplane.apiserver.storage.interface import UpdateOptions
from localplane.apiserver.storage.keys import KeySchema
from localplane.apiserver.storage.memory import MemoryBackend
from localplane.apiserver.storage.store import Store
from localplane.catalog.declarations import storage_places

KEY = "/registry/secrets/default/a"
SECRET = b"0123456789abcdef0123456789abcdef"
OLD, NEW = AESCBC("old", SECRET), AESGCMProvider("new", SECRET[::-1])


def encrypting(store: MemoryBackend, *providers: Provider, pattern: str = "secrets") -> EncryptedBackend:
    rules = EncryptionRules({pattern: providers})
    return EncryptedBackend(store, rules, root="/registry", resources=storage_places())


async def raw(store: MemoryBackend, key: str = KEY) -> bytes:
    found = (await store.get(key)).kv
    assert found is not None
    return found.value


@pytest.mark.parametrize(
    ("provider", "made_by_kubernetes"),
    [
        (AESGCMProvider("key1", SECRET), "ms8zvgBmT9EqDf6+CVJnib6Gssk3WR2GHGXYLhLapwkKm7pjaUDURHUP0aG+"),
        (AESCBC("key1", SECRET), "MmjKCUcZTyOCMVqSJcvHTnQp2WHA6FkUakvcMeayBhgY+6kK7DfAIt24yl76hD4d"),
    ],
    ids=["aesgcm", "aescbc"],
)
def test_what_kubernetes_has_encrypted_is_read(provider: Provider, made_by_kubernetes: str) -> None:
    """Values of k8s.io/apiserver's own transformers."""
    assert provider.decrypt(base64.b64decode(made_by_kubernetes), KEY.encode()) == b'{"kind":"Secret"}'


def test_aesgcm_is_that_of_the_specification() -> None:
    """Test case 16 of McGrew and Viega, The Galois/Counter Mode of Operation."""
    provider = AESGCMProvider("key1", bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2))
    nonce = bytes.fromhex("cafebabefacedbaddecaf888")
    encrypted = bytes.fromhex(
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a"
        "bcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"
    )
    assert provider.decrypt(
        nonce + encrypted, bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    ) == bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
        "ba637b39"
    )


def test_aescbc_is_padded_to_blocks_behind_its_initialization_vector() -> None:
    """As `openssl enc -aes-256-cbc` makes it."""
    encrypted = bytes.fromhex("153ec1261830c651086cf59fce58e8b80eb3239e24f78cfd7383c366f41616a7")
    assert AESCBC("key1", SECRET).decrypt(bytes(range(16)) + encrypted, KEY.encode()) == b'{"kind":"Secret"}'


def test_prefixes_are_kubernetes() -> None:
    assert AESCBC("key1", SECRET).prefix == b"k8s:enc:aescbc:v1:key1:"
    assert AESGCMProvider("key1", SECRET).prefix == b"k8s:enc:aesgcm:v1:key1:"


@given(
    value=st.binary(max_size=100),
    secret=st.sampled_from([16, 24, 32]).flatmap(lambda n: st.binary(min_size=n, max_size=n)),
)
def test_what_is_encrypted_is_read_again(value: bytes, secret: bytes) -> None:
    for provider in (AESCBC("a", secret), AESGCMProvider("a", secret)):
        encrypted = provider.encrypt(value, b"/a")
        assert provider.decrypt(encrypted, b"/a") == value
        assert provider.encrypt(value, b"/a") != encrypted


@given(data=st.binary(max_size=80))
def test_what_is_not_of_the_key_is_not_read_and_nothing_is_raised(data: bytes) -> None:
    for prefix in (b"", OLD.prefix, NEW.prefix):
        decrypted = Providers((NEW, OLD)).decrypt(prefix + data, "/a")
        assert decrypted is None or prefix == OLD.prefix


def test_a_value_that_was_moved_to_another_key_is_not_read_with_aesgcm() -> None:
    providers = Providers((NEW,))
    assert providers.decrypt(providers.encrypt(b"{}", "/a"), "/b") is None


async def test_only_what_is_named_is_encrypted() -> None:
    store = MemoryBackend()
    encrypted = encrypting(store, NEW)
    await encrypted.put(KEY, b"{}", expected=0)
    await encrypted.put("/registry/configmaps/default/a", b"{}", expected=0)
    await encrypted.put("/registry/secrets.example/a", b"{}", expected=0)
    await encrypted.put("compact_rev_key", b"7", expected=0)
    assert (await raw(store)).startswith(b"k8s:enc:aesgcm:v1:new:")
    assert await raw(store, "/registry/configmaps/default/a") == b"{}"
    assert await raw(store, "/registry/secrets.example/a") == b"{}"
    assert await raw(store, "compact_rev_key") == b"7"
    assert (await encrypted.get(KEY)).kv.value == b"{}"  # type: ignore[union-attr] # it is there
    assert [kv.value for kv in (await encrypted.range("/registry/", "/registry0")).kvs] == [b"{}"] * 3


@pytest.mark.parametrize(
    ("pattern", "key", "is_encrypted"),
    [
        ("nodes", "/registry/minions/a", True),
        ("services", "/registry/services/specs/default/a", True),
        ("services", "/registry/services/endpoints/default/a", False),
        ("deployments.apps", "/registry/deployments/default/a", True),
        ("deployments", "/registry/deployments/default/a", False),
        ("*.apps", "/registry/statefulsets/default/a", True),
        ("*.apps", "/registry/pods/default/a", False),
        ("*.", "/registry/pods/default/a", True),
        ("*.", "/registry/deployments/default/a", False),
        ("events", "/registry/events/default/a", True),
        ("crontabs.example.com", "/registry/example.com/crontabs/default/a", True),
        ("*.example.com", "/registry/example.com/crontabs/default/a", True),
        ("*.*", "/registry/example.com/crontabs/default/a", True),
        ("*.*", "/registry/apiregistration.k8s.io/apiservices/v1.", True),
        ("apiservices.apiregistration.k8s.io", "/registry/apiregistration.k8s.io/apiservices/v1.", True),
        ("*.*", "/registry.localplane/identity", False),
    ],
)
async def test_resources_are_found_by_their_place(pattern: str, key: str, *, is_encrypted: bool) -> None:
    store = MemoryBackend()
    await encrypting(store, NEW, pattern=pattern).put(key, b"{}", expected=0)
    assert (await raw(store, key)).startswith(b"k8s:enc:") == is_encrypted


def pod_like(name: str) -> JSONObject:
    return {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": name, "namespace": "default"}}


async def unchanged(obj: JSONObject) -> JSONObject:
    return obj


async def test_an_update_that_changes_nothing_is_written_if_the_key_is_not_the_first() -> None:
    store = MemoryBackend()
    before = Store(encrypting(store, OLD, Identity()), KeySchema("/registry", "/secrets/"))
    made = await before.create("/secrets/default/a", pod_like("a"))
    after = Store(encrypting(store, NEW, OLD, Identity()), KeySchema("/registry", "/secrets/"))
    again = await after.guaranteed_update("/secrets/default/a", unchanged, UpdateOptions())
    assert again.revision > made.revision
    assert (await raw(store)).startswith(NEW.prefix)
    assert (await after.guaranteed_update("/secrets/default/a", unchanged, UpdateOptions())).revision == again.revision
    back = Store(encrypting(store, Identity(), NEW), KeySchema("/registry", "/secrets/"))
    await back.guaranteed_update("/secrets/default/a", unchanged, UpdateOptions())
    assert (await raw(store)).startswith(b"{")


async def test_what_a_refused_write_and_a_watch_tell_is_plain() -> None:
    store = MemoryBackend()
    encrypted = encrypting(store, NEW)
    revision = await encrypted.put(KEY, b'{"a":1}', expected=0)
    with pytest.raises(CompareFailed) as refused:
        await encrypted.put(KEY, b"{}", expected=0)
    assert refused.value.current is not None
    assert refused.value.current.value == b'{"a":1}'
    await encrypted.put(KEY, b"{}", expected=revision)
    watch = encrypted.watch("/registry/", "/registry0", after=0)
    seen = [change async for batch in _first(watch, 2) for change in batch.changes]
    await watch.close()
    assert [change.value for change in seen] == [b'{"a":1}', b"{}"]
    assert seen[1].previous is not None
    assert seen[1].previous.value == b'{"a":1}'


async def _first(watch: Any, changes: int) -> Any:
    count = 0
    async for batch in watch:
        yield batch
        count += len(batch.changes)
        if count >= changes:
            return


async def test_a_replacement_leaves_what_is_the_same_as_it_is() -> None:
    store = MemoryBackend()
    encrypted = encrypting(store, NEW)
    revision = await encrypted.put(KEY, b"{}", expected=0)
    await encrypted.replace("/registry/", "/registry0", [Wanted(KEY, b"{}"), Wanted(f"{KEY}b", b"{}")])
    kept, added = (await encrypted.range("/registry/", "/registry0")).kvs
    assert (kept.revision, kept.value, added.value) == (revision, b"{}", b"{}")
    assert (await raw(store, f"{KEY}b")).startswith(NEW.prefix)


async def test_a_value_without_its_key_is_told_by_name_and_put_back_as_it_was() -> None:
    store = MemoryBackend()
    await encrypting(store, OLD).put(KEY, b"{}", expected=0)
    stored = await raw(store)
    other = encrypting(store, NEW)
    with pytest.raises(CorruptObject) as unread:
        await Store(other, KeySchema("/registry", "/secrets/")).get("/secrets/default/a")
    assert unread.value.why == (
        'it is encrypted: by provider aescbc with the key "old", which this server does not have'
    )
    await other.replace("/registry/", "/registry0", [Wanted(KEY, stored)])
    assert await raw(store) == stored


def configured(tmp_path: Path, *resources: JSONObject, **fields: Any) -> EncryptionRules:
    document = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "EncryptionConfiguration",
        "resources": list(resources),
        **fields,
    }
    path = tmp_path / "encryption.yaml"
    path.write_bytes(to_yaml(document))
    return read_configuration(path)


def aescbc(*names: str, secret: str = base64.b64encode(SECRET).decode()) -> JSONObject:
    return {"aescbc": {"keys": [{"name": name, "secret": secret} for name in names]}}


def entry(*patterns: str, providers: list[Any] | None = None) -> JSONObject:
    return {"resources": list(patterns), "providers": providers or [aescbc("key1"), {"identity": {}}]}


def test_the_first_rule_that_names_a_resource_counts(tmp_path: Path) -> None:
    gcm = {"aesgcm": {"keys": [{"name": "key2", "secret": base64.b64encode(SECRET[:16]).decode()}]}}
    rules = configured(
        tmp_path, entry("secrets"), entry("*.apps", providers=[gcm]), entry("*.*", providers=[{"identity": {}}])
    )
    assert rules.of("secrets", "").first.title == 'aescbc key "key1"'
    assert rules.of("deployments", "apps").first.title == 'aesgcm key "key2"'
    assert rules.of("pods", "").first.title == "identity"
    assert rules.of("crontabs", "example.com").first.title == "identity"


def test_whoever_has_the_key_can_read_what_is_written_with_it(tmp_path: Path) -> None:
    writers = configured(tmp_path, entry("secrets")).writers()
    assert list(writers) == ["secrets"]
    assert base64.b64encode(SECRET).decode() not in str(writers)
    rotated = configured(tmp_path, entry("secrets", providers=[aescbc("key2"), aescbc("key1")]))
    other_secret = base64.b64encode(SECRET[::-1]).decode()
    same_name = configured(tmp_path, entry("secrets", providers=[aescbc("key1", secret=other_secret)]))
    assert rotated.can_read("secrets", writers["secrets"])
    assert not same_name.can_read("secrets", writers["secrets"])
    assert not same_name.can_read("secrets", "identity")
    assert configured(tmp_path, entry("configmaps")).can_read("secrets", "identity")


SHORT = aescbc("a", secret=base64.b64encode(b"short").decode())
WRONG: list[tuple[list[JSONObject], str]] = [
    ([], "resources: Required value: at least one resources is required"),
    ([entry()], "resources[0].resources: Required value: at least one resources[0].resources is required"),
    ([{"resources": ["secrets"]}], "resources[0].providers: Required value: at least one resources[0].providers is"),
    ([entry("Secrets")], 'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain'),
    ([entry("*")], "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"),
    ([entry("secrets.*")], "encrypting the same resource across groups is not supported"),
    ([entry("events.events.k8s.io")], "Use 'events' instead in the config file"),
    ([entry("*.extensions")], "'extensions' group has been removed and cannot be used for encryption"),
    ([entry("serviceipallocations")], "resources which do not have REST API/s cannot be encrypted"),
    ([entry("secrets", "secrets")], "the same resource cannot be specified multiple times"),
    ([entry("secrets", "*.")], "using overlapping resources such as 'secrets' and '*.' in the same resource list"),
    ([entry("secrets", "*.*")], "using overlapping resources such as 'secrets' and '*.' in the same resource list"),
    ([entry("*."), entry("secrets")], 'resource "secrets" is masked by earlier rule "*."'),
    ([entry("*.*"), entry("secrets")], 'resource "secrets" is masked by earlier rule "*.*"'),
    ([entry("secrets", providers=[{}])], "provider does not contain any of the expected providers"),
    ([entry("secrets", providers=[{"identity": {}, **aescbc("a")}])], "more than one provider specified in a single"),
    ([entry("secrets", providers=[{"aescbc": {}}])], "aescbc.keys: Required value: at least one keys is required"),
    ([entry("secrets", providers=[aescbc("")])], "keys[0].name: Required value: name is a mandatory field for a key"),
    ([entry("secrets", providers=[SHORT])], '"REDACTED": secret is not of the expected length, got 5, expected one of'),
    ([entry("secrets", providers=[aescbc("a", secret="%%")])], '"REDACTED": secrets must be base64 encoded'),
    ([entry("secrets", providers=[{"kms": {"name": "a"}}])], "kms: the kms provider needs a plugin that this server"),
    ([entry("secrets", providers=[{"secretbox": {}}])], "secretbox: the secretbox provider is not there: its cipher"),
    ([entry("secrets", providers=[{"aesCbc": {}}])], 'unknown field "resources[0].providers[0].aesCbc"'),
    ([{"resources": "secrets"}], "resources[0].resources must be a list"),
]  # fmt: skip


@pytest.mark.parametrize(("resources", "why"), WRONG)
def test_what_is_wrong_is_told_in_one_line_and_without_secrets(
    tmp_path: Path, resources: list[JSONObject], why: str
) -> None:
    with pytest.raises(ConfigurationInvalid) as refused:
        configured(tmp_path, *resources)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "%%" not in str(refused.value)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"a: b: c", b"kind: EncryptionConfiguration\n", b"\xff\xfe", b"x" * (2 << 20)]
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "encryption.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationInvalid, match=rf"^{path}"):
        read_configuration(path)
    with pytest.raises(ConfigurationInvalid, match="can't be read: Is a directory"):
        read_configuration(tmp_path)
