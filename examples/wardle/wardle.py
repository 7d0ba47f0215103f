"""Kubernetes' sample-apiserver in one file: `python examples/wardle/wardle.py`, and `--help` for its flags.

Group wardle.example.com: flunders in v1alpha1 and v1beta1, which say the same in different words and meet in a hub
version; fischers in v1alpha1 only, whose list of banned names an admission plugin enforces through an informer.
"""

from __future__ import annotations

from localplane import library as api
from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, SharedInformer

GROUP = "wardle.example.com"
REFERENCES = {"Flunder": "flunderReference", "Fischer": "fischerReference"}


class FlunderSpecV1Alpha1:
    """One name, and what it is the name of: a Flunder unless referenceType says Fischer."""

    reference: str = ""
    referenceType: str | None = None


class FlunderV1Alpha1:
    """Refers to another flunder, or to a fischer."""

    spec: FlunderSpecV1Alpha1 | None = None


class FlunderSpecV1Beta1:
    """A field for each kind of name, of which one may be set: the one that referenceType tells."""

    flunderReference: str = ""
    fischerReference: str = ""
    referenceType: str = ""


class FlunderV1Beta1:
    """Refers to another flunder, or to a fischer."""

    spec: FlunderSpecV1Beta1 | None = None


class Fischer:
    """Bans names that no flunder may have."""

    disallowedFlunders: list[str] = []


def default_reference_type(flunder: JSONObject) -> None:
    spec = flunder.get("spec", {})
    if spec.get("reference") and not spec.get("referenceType"):
        spec["referenceType"] = "Flunder"


def to_hub(flunder: JSONObject) -> JSONObject:
    """From v1alpha1; the hub has v1beta1's shape."""
    spec = flunder.get("spec", {})
    kind, name = spec.get("referenceType"), spec.get("reference", "")
    return flunder | {"spec": {REFERENCES[kind]: name, "referenceType": kind} if kind in REFERENCES else {}}


def from_hub(flunder: JSONObject) -> JSONObject:
    spec = flunder.get("spec", {})
    kind, name = spec.get("referenceType"), spec.get(REFERENCES.get(spec.get("referenceType"), ""), "")
    return flunder | {"spec": {"reference": name, "referenceType": kind} if kind in REFERENCES else {}}


class FlunderStrategy(api.Strategy):
    """Checked when it is created and never again, as in the original."""

    def validate(self, request: api.Request, obj: JSONObject) -> list[api.FieldError]:
        spec, path = obj.get("spec", {}), api.Path("spec")
        flunder, fischer, kind = (spec.get(name) for name in (*REFERENCES.values(), "referenceType"))
        rules = [
            ("fischerReference", flunder and fischer, "cannot be set with flunderReference at the same time"),
            ("flunderReference", flunder and kind != "Flunder", "cannot be set if referenceType is not Flunder"),
            ("fischerReference", fischer and kind != "Fischer", "cannot be set if referenceType is not Fischer"),
            ("fischerReference", not fischer and kind == "Fischer", "cannot be empty if referenceType is Fischer"),
            ("flunderReference", not flunder and kind == "Flunder", "cannot be empty if referenceType is Flunder"),
        ]
        errors = [api.invalid(path / name, spec.get(name, ""), why) for name, broken, why in rules if broken][:1]
        if kind and kind not in REFERENCES:
            errors.append(api.invalid(path / "referenceType", kind, "must be Flunder or Fischer"))
        return errors


class BanFlunder:
    """Refuses names that any fischer disallows."""

    name = "BanFlunder"
    operations = (api.Operation.CREATE,)
    fischers: SharedInformer

    def initialize(self, provided: api.Provided) -> None:
        self.fischers = provided.informers.informer(GroupVersionResource(GROUP, "v1alpha1", "fischers"))

    async def admit(self, attributes: api.Attributes) -> None:
        if attributes.kind.kind != "Flunder" or attributes.object is None:
            return
        if not self.fischers.has_synced:
            raise api.Forbidden.of(attributes.resource, attributes.name, "not yet ready to handle request")
        name = attributes.object["metadata"].get("name")
        if any(name in fischer.get("disallowedFlunders", ()) for fischer in self.fischers.lister.list()):
            why = "this name may not be used, please change the resource name"
            raise api.Forbidden.of(attributes.resource, attributes.name, why)


V1ALPHA1 = api.Version("v1alpha1", FlunderV1Alpha1, default=default_reference_type, to_hub=to_hub, from_hub=from_hub)
VERSIONS = [V1ALPHA1, api.Version("v1beta1", FlunderV1Beta1)]
FLUNDERS = api.Resource("flunders", "Flunder", VERSIONS, strategy=FlunderStrategy(), storage_version="v1alpha1")
FISCHERS = api.Resource("fischers", "Fischer", [api.Version("v1alpha1", Fischer)], namespaced=False)
WARDLE = api.APIGroup(GROUP, [FLUNDERS, FISCHERS])

if __name__ == "__main__":
    raise SystemExit(api.run([WARDLE], api.PlaneOptions(admission=[BanFlunder()])))
