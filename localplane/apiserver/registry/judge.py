"""Whether what is stored under a key is an object of its kind, as far as decoding goes.

Kubernetes decodes what it reads into a struct, and fails where that can't be done: a version that nobody serves, a text
where a list belongs. Here stored JSON is mostly passed on as it is, so it is looked at once, when it comes from
somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Schema
from localplane.apiserver.storage.cacher.bad_objects import ObjectVerdict

from .definition import Definition


class Judge:
    """`definitions` are those of all that is served now, and `root` is what all keys begin with. What is under keys of
    other kinds is nobody's business."""

    def __init__(self, definitions: Callable[[], Iterable[Definition]], root: str) -> None:
        self._definitions = definitions
        self._root = root
        self._known: dict[str, Definition] = {each.prefix: each for each in definitions()}
        self._is_current = True
        self._any = Schema.of(None)

    def forget(self) -> bool:
        """Others are served now, or served otherwise; True if that is news."""
        before, self._is_current = self._is_current, False
        return before

    def changed(self) -> list[str]:
        """The prefixes of what is served otherwise than when this was last asked."""
        before, self._known, self._is_current = self._known, {each.prefix: each for each in self._definitions()}, True
        return [prefix for prefix, each in self._known.items() if before.get(prefix) is not each]

    def __call__(self, key: str, obj: JSONObject) -> ObjectVerdict | None:
        place = key[len(self._root) :]
        definition = self._definition_of(place)
        if definition is None:
            return None
        if (why := _wrong_version(definition, obj) or _wrong_name(definition, place, obj)) is not None:
            return ObjectVerdict(why)
        version = definition.converter.version_named(obj["apiVersion"])
        schema = definition.schemas.get(version or "", lambda: self._any)
        return definition.dialect.verdict(schema, obj, definition.kind.kind)

    def _definition_of(self, place: str) -> Definition | None:
        """Prefixes have one or two names in them, and end in a slash."""
        end = place.find("/", 1)
        while end > 0:
            found = self._known.get(place[: end + 1])
            if found is not None:
                return found
            end = place.find("/", end + 1)
        return None


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
