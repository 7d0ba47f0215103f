"""Other names, tags and digests of images. Kubernetes: ImageTagTransformer, api/filters/imagetag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kctl.kustomize.fields.field_specs import FieldSpec, Setter
from kctl.kustomize.nodes.fields import get_field, require, set_scalar
from kctl.kustomize.nodes.node import Map, Node, Scalar, Seq
from kctl.kustomize.patterns import compiled
from kctl.kustomize.resources import resmap

_TAG_AND_DIGEST = "(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$"


class ImageTagTransformer:
    """`image` is an entry of `images`."""

    def __init__(self, image: Mapping[str, str], specs: Sequence[FieldSpec]) -> None:
        self._specs = specs
        self._new = {name: image.get(name) or "" for name in ("newName", "newTag", "digest", "tagSuffix")}
        name = image.get("name") or ""
        self._matches = compiled(f"^{name}", _TAG_AND_DIGEST)

    def transform(self, resources: resmap.ResMap) -> None:
        """In all lists of containers, wherever they are, and in the fields that are known to be images."""
        targets = [one for one in resources if one.kind != "CustomResourceDefinition"]
        for resource in targets:
            self._walk(resource.node)
        setter = Setter(self._update)
        for resource in targets:
            for spec in self._specs:
                setter.apply(resource.node, spec)

    def _walk(self, node: Node) -> None:
        if isinstance(node, Seq):
            for item in node:
                self._walk(item)
        elif isinstance(node, Map):
            for key, value in node.items():
                self._walk(value)
                if key in ("containers", "initContainers") and isinstance(value, Seq):
                    for container in value:
                        image = get_field(container, "image")
                        if image is not None:
                            self._update(image)

    def _update(self, node: Node) -> None:
        require(node, Scalar)
        assert isinstance(node, Scalar)
        if not self._matches(node.text):
            return
        name, tag, digest = split_image(node.text)
        name = self._new["newName"] or name
        if self._new["newTag"] or self._new["digest"]:
            tag, digest = self._new["newTag"], self._new["digest"]
        elif self._new["tagSuffix"]:
            tag, digest = tag + self._new["tagSuffix"], ""
        set_scalar(node, name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else ""))


def split_image(image: str) -> tuple[str, str, str]:
    """Name, tag and digest; a port of the registry is no tag."""
    start = max(0, image.find("/"))
    at, colon = image.find("@", start), image.find(":", start)
    if colon >= 0 and (at < 0 or colon < at):
        end = at if at >= 0 else len(image)
        return image[:colon], image[colon + 1 : end], image[end + 1 :]
    return (image[:at], "", image[at + 1 :]) if at >= 0 else (image, "", "")
