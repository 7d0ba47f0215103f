"""Volumes whose files are written from objects: one (a Secret, a ConfigMap, the pod itself), or several in one
directory, none in another's way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required, too_long
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import annotation_key, dns1123_label, dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.rules import All, Always, Each, Fields, Needs, OneOf, Required
from localplane.catalog.validation.selectors import selector_errors

from .environment import VOLUME_FIELDS, field_errors, resource_errors
from .names import FILE_MODE, invalid_each, unreserved_errors

_PATH = Fields(path=Required(unreserved_errors))
_MODE, _DEFAULT_MODE = Fields(mode=FILE_MODE), Fields(defaultMode=FILE_MODE)
KEY_FILE = All(Needs("key", "path"), Fields(path=unreserved_errors, mode=FILE_MODE))
"""One key of an object, and the file it becomes."""

SECRET = Fields(secretName=Required(), defaultMode=FILE_MODE, items=Each(KEY_FILE))
CONFIG_MAP = Fields(name=Required(), defaultMode=FILE_MODE, items=Each(KEY_FILE))


def downward_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _DEFAULT_MODE(source, path)
    for item in source.get("items") or ():
        yield from downward_file_errors(item, path)


def downward_file_errors(item: JSONObject, path: Path) -> Iterator[FieldError]:
    """Kubernetes reports all files at the volume, without their index."""
    yield from _PATH(item, path)
    field, resource = item.get("fieldRef"), item.get("resourceFieldRef")
    if field is not None:
        yield from field_errors(field, VOLUME_FIELDS, path / "fieldRef")
        if resource is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            yield invalid(path, "resource", detail)
    elif resource is not None:
        yield from resource_errors(resource, path / "resourceFieldRef", in_volume=True)
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")
    yield from _MODE(item, path)


_CONFLICT = "conflicting duplicate paths"
_KEY_TYPE = Fields(keyType=Always(OneOf("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")))
_TOKEN_MIN, _TOKEN_MAX = 600, 2**32
_CERTIFICATE_MIN, _CERTIFICATE_MAX, _KUBERNETES_CERTIFICATE_MAX = 3600, 91 * 86400, 86400
_DOMAIN_MAX, _SIGNER_MAX = 253, 571


def projected_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _DEFAULT_MODE(source, path)
    taken: set[str] = set()
    for index, part in enumerate(source.get("sources") or ()):
        place = (path / "sources")[index]
        found = [name for name in _PARTS if part.get(name) is not None]
        for name in found:
            yield from _PARTS[name](part[name], place / name, path, taken)
        if len(found) > 1:
            yield forbidden(place, "may not specify more than 1 volume type per source")


def _taken_errors(target: str, shown_as: str, taken: set[str], volume: Path) -> Iterator[FieldError]:
    if target in taken:
        yield invalid(volume, shown_as, _CONFLICT)
    taken.add(target)


def _projected_keyed_errors(part: JSONObject, path: Path, volume: Path, taken: set[str]) -> Iterator[FieldError]:
    name = part.get("name", "")
    if not name:
        yield required(path / "name")
    for index, item in enumerate(part.get("items") or ()):
        yield from KEY_FILE(item, (path / "items")[index])
        if target := item.get("path"):
            yield from _taken_errors(target, name, taken, volume)


def _downward_errors(part: JSONObject, path: Path, volume: Path, taken: set[str]) -> Iterator[FieldError]:
    for item in part.get("items") or ():
        yield from downward_file_errors(item, path)
        if target := item.get("path"):
            yield from _taken_errors(target, target, taken, volume)


def _token_errors(part: JSONObject, path: Path, volume: Path, _: set[str]) -> Iterator[FieldError]:
    seconds, place = part.get("expirationSeconds"), path / "expirationSeconds"
    if seconds is None:
        yield required(place)
    elif seconds < _TOKEN_MIN:
        yield invalid(place, seconds, "may not specify a duration less than 10 minutes")
    elif seconds > _TOKEN_MAX:
        yield invalid(place, seconds, "may not specify a duration larger than 2^32 seconds")
    if target := part.get("path"):
        yield from unreserved_errors(target, volume / "path")
    else:
        yield required(volume / "path")


def _bundle_errors(part: JSONObject, path: Path, volume: Path, taken: set[str]) -> Iterator[FieldError]:
    yield from _bundle_name_errors(part, path)
    target = part.get("path", "")
    if not target:
        yield required(path / "path")
    yield from unreserved_errors(target, path / "path")
    yield from _taken_errors(target, target, taken, volume)


def _bundle_name_errors(part: JSONObject, path: Path) -> Iterator[FieldError]:
    name, signer, selector = part.get("name"), part.get("signerName"), part.get("labelSelector")
    if name is not None and signer is not None:
        value = internal_form(part, "core.ClusterTrustBundleProjection")
        yield invalid(path, value, "only one of name and signerName may be used")
    elif name is not None:
        if not name:
            yield required(path / "name", "must be a valid object name")
        for problem in trust_bundle_name(name):
            yield invalid(path / "name", name, f"not a valid clustertrustbundlename: {problem}")
        if selector is not None:
            yield invalid(path / "labelSelector", selector, "labelSelector must be unset if name is specified")
    elif signer is not None:
        if not signer:
            yield required(path / "signerName", "must be a valid signer name")
        yield from signer_name_errors(signer, path / "signerName")
        yield from selector_errors(selector, path / "labelSelector")
    else:
        yield required(path, "either name or signerName must be specified")


def trust_bundle_name(name: str) -> list[str]:
    """A bundle of a signer begins with the signer's name, its slashes turned into colons."""
    return dns1123_subdomain(name.rpartition(":")[2])


def signer_name_errors(name: str, path: Path) -> Iterator[FieldError]:
    """`example.com/signer-name`. Kubernetes: ValidateSignerName."""
    if not name:
        yield required(path)
        return
    if name.count("/") != 1:
        detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        yield invalid(path, name, detail)
        return
    domain, _, rest = name.partition("/")
    if size(domain) > _DOMAIN_MAX:
        yield too_long(path, _DOMAIN_MAX)
    yield from _part_errors(domain, dns1123_label, path)
    if "." not in domain:
        yield invalid(path, domain, "should be a domain with at least two segments separated by dots")
    yield from _part_errors(rest, dns1123_subdomain, path)
    if size(name) > _SIGNER_MAX:
        yield too_long(path, _SIGNER_MAX)


def _part_errors(text: str, rule: Callable[[str], list[str]], path: Path) -> Iterator[FieldError]:
    """The first of the labels that is wrong speaks for the rest."""
    for label in text.split("."):
        if problems := rule(label):
            yield from (invalid(path, text, f"validating label {go_quote(label)}: {each}") for each in problems)
            return


def _certificate_errors(part: JSONObject, path: Path, volume: Path, taken: set[str]) -> Iterator[FieldError]:
    signer = part.get("signerName", "")
    yield from signer_name_errors(signer, path / "signerName")
    for key in sorted(part.get("userAnnotations") or {}):
        yield from _annotation_errors(key.lower(), path / "userAnnotations")
    yield from _KEY_TYPE(part, path)
    yield from _expiration_errors(part.get("maxExpirationSeconds"), signer, path / "maxExpirationSeconds")
    targets = {field: part[field] for field in _CERTIFICATE_FILES if part.get(field)}
    for field, target in targets.items():
        yield from unreserved_errors(target, path / field)
        yield from _taken_errors(target, target, taken, volume)
    if not targets:
        yield required(path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath")


_CERTIFICATE_FILES = ("credentialBundlePath", "keyPath", "certificateChainPath")


def _annotation_errors(key: str, path: Path) -> Iterator[FieldError]:
    if not key:
        yield required(path)
    elif problems := annotation_key(key):
        yield from invalid_each(path, key, problems)
    elif "/" not in key:
        yield invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')


def _expiration_errors(seconds: int | None, signer: str, path: Path) -> Iterator[FieldError]:
    if seconds is None:
        return
    domain = signer.partition("/")[0]
    of_kubernetes = domain == "kubernetes.io" or domain.endswith(".kubernetes.io")
    most = _KUBERNETES_CERTIFICATE_MAX if of_kubernetes else _CERTIFICATE_MAX
    if seconds < _CERTIFICATE_MIN:
        yield invalid(path, seconds, f"if provided, maxExpirationSeconds must be >= {_CERTIFICATE_MIN}")
    if seconds > most:
        yield invalid(path, seconds, f"if provided, maxExpirationSeconds must be <= {most}")


_PARTS: dict[str, Callable[[JSONObject, Path, Path, set[str]], Iterator[FieldError]]] = {
    "secret": _projected_keyed_errors,
    "configMap": _projected_keyed_errors,
    "downwardAPI": _downward_errors,
    "serviceAccountToken": _token_errors,
    "clusterTrustBundle": _bundle_errors,
    "podCertificate": _certificate_errors,
}
