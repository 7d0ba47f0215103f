"""ClusterTrustBundles: certificates of authorities that pods may trust.

Kubernetes: pkg/registry/certificates/clustertrustbundle, and pkg/apis/certificates/validation,
ValidateClusterTrustBundle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, too_long
from localplane.apimachinery.names import NameValidator, dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.validation.projected import signer_name_errors
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.metadata import metadata_errors
from localplane.catalog.validation.rules import Fields, Immutable, Optional

from .pem import Block, blocks
from .x509 import certificate

_BUNDLE = Path("spec") / "trustBundle"
_SIZE_MAX = 1024 * 1024
_OMITTED = "<value omitted>"


def _field(obj: JSONObject, name: str) -> str:
    return (obj.get("spec") or {}).get(name) or ""


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
    anchors = list(blocks(bundle.encode()))
    problems = [(index, problem) for index, block in enumerate(anchors) if (problem := _block_problem(block))]
    for index, problem in problems:
        yield invalid(_BUNDLE, _OMITTED, f"entry {index} {problem}")
    if problems:
        return
    if not anchors:
        yield invalid(_BUNDLE, _OMITTED, "at least one trust anchor must be provided")
    places: dict[bytes, list[int]] = {}
    for index, block in enumerate(anchors):
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
    authority = certificate(block.data)
    if authority is None:
        return "does not parse as X.509"
    return "" if authority.is_authority else "does not have the CA bit set"


class ClusterTrustBundleStrategy(BuiltinStrategy):
    tracks_generation = False
    rules = Fields(spec=Fields(signerName=Optional(signer_name_errors)))
    changes = Immutable("spec.signerName", absent="")
    on_update = (Asked.OBJECT, Asked.METADATA, Asked.CHANGES)

    def metadata_errors(self, obj: JSONObject) -> list[FieldError]:
        return metadata_errors(obj, namespaced=self.namespaced, name=_name_for(_field(obj, "signerName")))

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        """A bundle that stays as it was is not parsed again."""
        yield from super().errors(obj, old)
        bundle = _field(obj, "trustBundle")
        if old is None or bundle != _field(old, "trustBundle"):
            yield from _bundle_errors(bundle)


def cluster_trust_bundle_cells(obj: JSONObject) -> list[Any]:
    return [(obj.get("metadata") or {}).get("name", ""), _field(obj, "signerName") or "<none>"]


CLUSTER_TRUST_BUNDLES = builtin(
    "certificates.k8s.io/clustertrustbundles",
    strategy=ClusterTrustBundleStrategy(),
    cells=cluster_trust_bundle_cells,
)
