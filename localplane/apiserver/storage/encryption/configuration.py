"""The file of --encryption-provider-config: an EncryptionConfiguration of apiserver.config.k8s.io/v1.

Its messages are Kubernetes'. Kubernetes: apiserver/pkg/apis/apiserver/validation/validation_encryption.go and
apiserver/pkg/server/options/encryptionconfig/config.go.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from localplane.apimachinery.serializers import SerializationError, parse_yaml

from .providers import AESCBC, WITHOUT_ENCRYPTION, AESGCMProvider, Identity, Provider, Providers

_API_VERSION: Final = "apiserver.config.k8s.io/v1"
_KIND: Final = "EncryptionConfiguration"
_ANY: Final = "*.*"
_KEY_BYTES: Final = (16, 24, 32)
_KEYED: Final = {"aescbc": AESCBC, "aesgcm": AESGCMProvider}
_KNOWN: Final = ("kms", "aesgcm", "aescbc", "secretbox", "identity")
_NOT_HERE: Final = {
    "kms": "the kms provider needs a plugin that this server does not speak to: use aesgcm or aescbc",
    "secretbox": "the secretbox provider is not there: its cipher, XSalsa20, is in no library that this server uses; "
    "use aesgcm or aescbc",
}
_WITHOUT_API: Final = ("apiserveripinfo", "serviceipallocations", "servicenodeportallocations")
_MOST_BYTES: Final = 1 << 20


class ConfigurationInvalid(Exception):
    """What is wrong with the file, in one line. Never any of its secrets."""


class EncryptionRules:
    """Which providers a resource has: those of its name, of its group, or of all."""

    def __init__(self, rules: Mapping[str, Sequence[Provider]]) -> None:
        self._rules = {pattern: Providers(providers) for pattern, providers in rules.items()}

    def of(self, resource: str, group: str) -> Providers:
        rules = self._rules
        return (
            rules.get(f"{resource}.{group}" if group else resource)
            or rules.get(f"*.{group}")
            or rules.get(_ANY)
            or WITHOUT_ENCRYPTION
        )

    def writers(self) -> dict[str, str]:
        """By what each pattern's values are encrypted, as a fingerprint that gives no secret away."""
        return {pattern: providers.first.fingerprint for pattern, providers in self._rules.items()}

    def can_read(self, pattern: str, fingerprint: str) -> bool:
        """Whether a value would be understood that somebody has written by this rule with this key."""
        resource, _, group = pattern.partition(".")
        return self.of(resource, group).have(fingerprint)


def read_configuration(path: Path) -> EncryptionRules:
    """Raises ConfigurationInvalid."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationInvalid(f"{path} can't be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise ConfigurationInvalid(f"{path} has more than {_MOST_BYTES >> 20} MiB")
    try:
        document = parse_yaml(content).value
    except SerializationError as error:
        raise ConfigurationInvalid(f"{path} is no YAML: {error}") from error
    try:
        return EncryptionRules(_rules(document))
    except ConfigurationInvalid as error:
        raise ConfigurationInvalid(f"{path}: {error}") from None


def _rules(document: Any) -> dict[str, list[Provider]]:
    if not isinstance(document, dict) or (document.get("apiVersion"), document.get("kind")) != (_API_VERSION, _KIND):
        raise ConfigurationInvalid(f"it must be an {_KIND} of {_API_VERSION}")
    _only(document, ("apiVersion", "kind", "resources"), "")
    entries = _list(document.get("resources"), "resources")
    if not entries:
        raise ConfigurationInvalid("resources: Required value: at least one resources is required")
    rules: dict[str, list[Provider]] = {}
    for number, entry in enumerate(entries):
        path = f"resources[{number}]"
        if not isinstance(entry, dict):
            raise ConfigurationInvalid(f"{path} must be an object")
        _only(entry, ("resources", "providers"), path)
        patterns = _patterns(_list(entry.get("resources"), f"{path}.resources"), f"{path}.resources")
        providers = list(_providers(_list(entry.get("providers"), f"{path}.providers"), f"{path}.providers"))
        for pattern in patterns:
            for earlier in (f"*.{pattern.partition('.')[2]}", _ANY):
                if earlier in rules:
                    raise ConfigurationInvalid(f'resource "{pattern}" is masked by earlier rule "{earlier}"')
        for pattern in patterns:
            rules.setdefault(pattern, []).extend(providers)
    return rules


def _patterns(patterns: list[Any], path: str) -> list[str]:
    if not patterns:
        raise ConfigurationInvalid(f"{path}: Required value: at least one {path} is required")
    for number, pattern in enumerate(patterns):
        if why := _wrong_pattern(pattern):
            raise ConfigurationInvalid(f'{path}[{number}]: Invalid value: "{pattern}": {why}')
    if len(set(patterns)) < len(patterns):
        raise ConfigurationInvalid(f"{path}: Invalid value: the same resource cannot be specified multiple times")
    whole = {pattern.partition(".")[2] for pattern in patterns if pattern.startswith("*.")}
    masked = len(patterns) > 1 and "*" in whole
    if masked or any(not each.startswith("*.") and each.partition(".")[2] in whole for each in patterns):
        raise ConfigurationInvalid(
            f"{path}: Invalid value: using overlapping resources such as 'secrets' and '*.' in the same resource list "
            "is not allowed as they will be masked"
        )
    return patterns


def _wrong_pattern(pattern: Any) -> str:
    if not isinstance(pattern, str) or not pattern:
        return "it must be the name of a resource"
    resource, _, group = pattern.partition(".")
    if pattern != pattern.lower():
        return "resource name should not contain capital letters"
    if pattern == "*":
        return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
    if pattern in _WITHOUT_API:
        return "resources which do not have REST API/s cannot be encrypted"
    if group == "events.k8s.io":
        return (
            "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the "
            "config file"
        )
    if group == "extensions":
        return "'extensions' group has been removed and cannot be used for encryption"
    return "encrypting the same resource across groups is not supported" if group == "*" and resource != "*" else ""


def _providers(entries: list[Any], path: str) -> Iterator[Provider]:
    if not entries:
        raise ConfigurationInvalid(f"{path}: Required value: at least one {path} is required")
    for number, entry in enumerate(entries):
        here = f"{path}[{number}]"
        if not isinstance(entry, dict):
            raise ConfigurationInvalid(f"{here} must be an object")
        _only(entry, _KNOWN, here)
        named = [name for name in _KNOWN if entry.get(name) is not None]
        if not named:
            raise ConfigurationInvalid(
                f"{here}: Invalid value: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, "
                "Secretbox, Identity"
            )
        if len(named) > 1:
            raise ConfigurationInvalid(
                f"{here}: Invalid value: more than one provider specified in a single element, should split into "
                "different list elements"
            )
        (kind,) = named
        if kind in _NOT_HERE:
            raise ConfigurationInvalid(f"{here}.{kind}: {_NOT_HERE[kind]}")
        yield from [Identity()] if kind == "identity" else _keyed(kind, entry[kind], f"{here}.{kind}")


def _keyed(kind: str, entry: Any, path: str) -> Iterator[Provider]:
    if not isinstance(entry, dict):
        raise ConfigurationInvalid(f"{path} must be an object")
    _only(entry, ("keys",), path)
    keys = _list(entry.get("keys"), f"{path}.keys")
    if not keys:
        raise ConfigurationInvalid(f"{path}.keys: Required value: at least one keys is required")
    for number, key in enumerate(keys):
        here = f"{path}.keys[{number}]"
        if not isinstance(key, dict):
            raise ConfigurationInvalid(f"{here} must be an object")
        _only(key, ("name", "secret"), here)
        name, secret = (_text(key, field, here) for field in ("name", "secret"))
        yield _KEYED[kind](name, _secret(secret, f"{here}.secret"))


def _text(key: Mapping[str, Any], field: str, path: str) -> str:
    value = key.get(field)
    if not isinstance(value, str) or not value:
        raise ConfigurationInvalid(f"{path}.{field}: Required value: {field} is a mandatory field for a key")
    return value


def _secret(text: str, path: str) -> bytes:
    try:
        secret = base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        raise ConfigurationInvalid(
            f'{path}: Invalid value: "REDACTED": secrets must be base64 encoded'
        ) from None  # its words may hold some of it
    if len(secret) not in _KEY_BYTES:
        raise ConfigurationInvalid(
            f'{path}: Invalid value: "REDACTED": secret is not of the expected length, got {len(secret)}, expected one '
            f"of [{' '.join(map(str, _KEY_BYTES))}]"
        )
    return secret


def _list(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list | None):
        raise ConfigurationInvalid(f"{path} must be a list")
    return value or []


def _only(entry: Mapping[Any, Any], known: Sequence[str], path: str) -> None:
    """Kubernetes reads it strictly: a word that is misspelled would leave something unencrypted."""
    unknown = [str(name) for name in entry if name not in known]
    if unknown:
        where = f"{path}." if path else ""
        raise ConfigurationInvalid(f'unknown field "{where}{unknown[0]}"')
