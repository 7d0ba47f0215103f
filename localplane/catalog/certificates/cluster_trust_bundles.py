"""ClusterTrustBundles: certificates of authorities that pods may trust.

Kubernetes: pkg/registry/certificates/clustertrustbundle, and pkg/apis/certificates/validation,
ValidateClusterTrustBundle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, too_long
from localplane.apimachinery.names import NameValidator, dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.projected import signer_name_errors
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.metadata import immutable_errors, metadata_errors, metadata_update_errors

from .pem import Block, blocks
from .x509 import certificate

_SIGNER, _BUNDLE = Path("spec") / "signerName", Path("spec") / "trustBundle"
_SIZE_MAX = 1024 * 1024
_OMITTED = "<value omitted>"


class ClusterTrustBundleStrategy(Strategy):
    tracks_generation = False
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(_errors(obj), _bundle_errors(_field(obj, "trustBundle")))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        """A bundle that stays as it was is not parsed again."""
        bundle, signer = _field(obj, "trustBundle"), _field(obj, "signerName")
        return collected(
            _errors(obj),
            (() if bundle == _field(old, "trustBundle") else _bundle_errors(bundle)),
            metadata_update_errors(obj, old),
            immutable_errors(signer, _field(old, "signerName"), _SIGNER),
        )


def _field(obj: JSONObject, name: str) -> str:
    return (obj.get("spec") or {}).get(name) or ""


def _errors(obj: JSONObject) -> Iterator[FieldError]:
    signer = _field(obj, "signerName")
    yield from metadata_errors(obj, namespaced=False, name=_name_for(signer))
    if signer:
        yield from signer_name_errors(signer, _SIGNER)


def _name_for(signer: str) -> NameValidator:
    """A signer's bundles begin with its name, the slash turned into a colon."""
    beginning = f"{signer.replace('/', ':')}:"

    def problems(name: str, /, *, prefix: bool = False) -> list[str]:
        if not signer:
            if ":" in name:
                return ['ClusterTrustBundle without signer name must not have ":" in its name']
            return dns1123_subdomain(name, prefix=prefix)
        if not name.startswith(beginning):
            return [f"ClusterTrustBundle for signerName {signer} must be named with prefix {beginning}"]
        return dns1123_subdomain(name.removeprefix(beginning), prefix=prefix)

    return problems


def _bundle_errors(bundle: str) -> Iterator[FieldError]:
    if size(bundle) > _SIZE_MAX:
        yield too_long(_BUNDLE, _SIZE_MAX)
        return
    found = list(blocks(bundle.encode()))
    problems = [(index, problem) for index, block in enumerate(found) if (problem := _block_problem(block))]
    for index, problem in problems:
        yield invalid(_BUNDLE, _OMITTED, f"entry {index} {problem}")
    if problems:
        return
    if not found:
        yield invalid(_BUNDLE, _OMITTED, "at least one trust anchor must be provided")
    places: dict[bytes, list[int]] = {}
    for index, block in enumerate(found):
        places.setdefault(block.data, []).append(index)
    for indices in places.values():
        if len(indices) > 1:
            shown = " ".join(map(str, indices))
            yield invalid(_BUNDLE, _OMITTED, f"duplicate trust anchor (indices [{shown}])")


def _block_problem(block: Block) -> str:
    if block.kind != "CERTIFICATE":
        return f"has bad block type: {block.kind}"
    if block.has_headers:
        return "has PEM block headers"
    found = certificate(block.data)
    if found is None:
        return "does not parse as X.509"
    return "" if found.is_authority else "does not have the CA bit set"


def cluster_trust_bundle_cells(obj: JSONObject) -> list[Any]:
    return [(obj.get("metadata") or {}).get("name", ""), _field(obj, "signerName") or "<none>"]


CLUSTER_TRUST_BUNDLES = builtin(
    "certificates.k8s.io/clustertrustbundles",
    strategy=ClusterTrustBundleStrategy(),
    cells=cluster_trust_bundle_cells,
)
