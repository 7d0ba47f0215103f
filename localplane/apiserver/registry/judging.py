"""Whether what is stored under a key is an object of its kind, as far as decoding goes.

Kubernetes decodes what it reads into a struct, and fails where that can't be done: a version that nobody serves, a text
where a list belongs. Here stored JSON is mostly passed on as it is, so it is looked at once, when it comes from
somebody else. Missing fields are told and not held against an object: to a struct they are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import DecodeError, Schema
from localplane.apiserver.storage.cacher.bad_objects import Verdict

from .definition import Definition


class Judge:
    """`definitions` are those of all that is served now, and `root` is what all keys begin with. What is under keys of
    other kinds is nobody's business."""

    def __init__(self, definitions: Callable[[], Iterable[Definition]], root: str) -> None:
        self._definitions = definitions
        self._root = root
        self._known: dict[str, Definition] = {each.prefix: each for each in definitions()}
        self._is_current = True
        self._untyped = Schema.of(None)

    def forget(self) -> bool:
        """Others are served now, or served otherwise; True if that is news."""
        before, self._is_current = self._is_current, False
        return before

    def changed(self) -> list[str]:
        """The prefixes of what is served otherwise than when this was last asked."""
        before, self._known, self._is_current = self._known, {each.prefix: each for each in self._definitions()}, True
        return [prefix for prefix, each in self._known.items() if before.get(prefix) is not each]

    def __call__(self, key: str, obj: JSONObject) -> Verdict | None:
        place = key[len(self._root) :]
        definition = self._definition_of(place)
        if definition is None:
            return None
        if (why := _wrong_version(definition, obj) or _wrong_name(definition, place, obj)) is not None:
            return Verdict(why)
        schema = self._schema_of(definition, obj)
        try:
            schema.decode(copied(obj), kind=definition.kind.kind)
        except DecodeError as error:
            # Of a custom resource only the metadata is decoded, and Kubernetes drops what is wrong there.
            return Verdict(str(error), is_shown=not definition.typed)
        missing = _missing(schema, obj) if definition.typed else None
        return Verdict(f"{missing}: Required value", is_shown=True) if missing else None

    def _definition_of(self, place: str) -> Definition | None:
        """Prefixes have one or two names in them, and end in a slash."""
        end = place.find("/", 1)
        while end > 0:
            found = self._known.get(place[: end + 1])
            if found is not None:
                return found
            end = place.find("/", end + 1)
        return None

    def _schema_of(self, definition: Definition, obj: JSONObject) -> Schema:
        version = definition.converter.version_named(obj["apiVersion"]) if definition.typed else None
        made = definition.schemas.get(version) if version is not None else None
        return made() if made is not None else self._untyped


def _wrong_version(definition: Definition, obj: JSONObject) -> str | None:
    kind, version = obj.get("kind", ""), obj.get("apiVersion", "")
    if kind == definition.kind.kind and definition.converter.version_named(version) is not None:
        return None
    return f"no kind {go_quote(kind)} is registered for version {go_quote(version)}"


def _wrong_name(definition: Definition, place: str, obj: JSONObject) -> str | None:
    """By its key it is found, by its name it is told from others: they must be the same."""
    metadata = obj.get("metadata") or {}
    said = metadata.get("name")
    if definition.namespaced:
        said = f"{metadata.get('namespace')}/{said}"
    if said == place[len(definition.prefix) :]:
        return None
    return f"its metadata says that it is {go_quote(str(said))}"


def _missing(schema: Schema, obj: JSONObject) -> str | None:
    """The first required field that is not there, in the object or in its spec: deeper ones are for those who read
    them."""
    node, path, value = schema.root, "", obj
    while True:
        for name in node.required:
            if name not in value:
                return f"{path}{name}"
        spec = None if path else node.properties.get("spec")
        if spec is None or not isinstance(value.get("spec"), dict):
            return None
        spec.node.load()
        node, path, value = spec.node, "spec.", value["spec"]
