"""The types of an API, as tables tell them: one notation, and its one reader.

A table is a directory with a text file for each Go package, `core_v1.txt` for core/v1. A file has a block for each
type, and a block has a line for each field, in the order in which Go writes them:

    Container struct # One program, with its image, that runs in a pod.
      name string 1 always required # Unique in the pod; a DNS label. Can't be changed.
      ports []ContainerPort 6 list=map keys=containerPort,protocol patch=merge
      tty bool 18 go=TTY

    EphemeralContainer struct
      inline EphemeralContainerCommon 1
      name # Unique in the pod.
      targetContainerName string 2

Of a type: `struct`, or `kind` if it has apiVersion and kind before its fields; its map type; what it means.
Of a field: its name, its type (`*` a pointer to, `[]` a list of, `{}` a map of; a type without a package is of the same
package), its protobuf number and words:

    always            written even when it is empty; as null if it can be (a pointer, a list, a time...)
    required zero deprecated     what OpenAPI says; zero: the zero value is its default although it may be left out
    go= type=         its name in Go, where that is not ours with a capital letter; its type, where that has a name
    list= keys= map=  list type, its keys, map type
    patch= key=       patch strategy, and the key by which it merges where that is not the first of `keys`
    enum= default=    values (`\\s` is a space), default as JSON; `item-type=`, `item-enum=` are those of a list's items
    message=          the protobuf message of a field whose type has none of its own
    after=            a release in which it was not so yet: kustomize knows the types of 1.21

An `inline` type's fields stand in the struct itself, and in protobuf in a message of that number. A name without a type
is such a field, described anew. Whoever asks for a type pays for that type: the rest of its file is not read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple

Emit = Literal["", "always", "null"]

SCALARS: Final = frozenset({"string", "bytes", "int32", "int64", "bool", "double", "any"})
FORMS: Final = frozenset(
    {
        *("meta/v1.Time", "meta/v1.MicroTime", "meta/v1.Duration", "meta/v1.FieldsV1", "meta/v1.Patch"),
        *("resource.Quantity", "intstr.IntOrString", "runtime.RawExtension", "apiextensions/v1.JSON"),
        *(f"apiextensions/v1.JSONSchemaPropsOr{other}" for other in ("Array", "Bool", "StringArray")),
    }
)
"""Types that stand in JSON in a form of their own, and have no fields there."""

META_TYPES: Final = os.path.join(os.path.dirname(__file__), "types")  # noqa: PTH118, PTH120 - as below
"""The table of meta/v1 and of discovery, which the objects of every group need."""

_WRITTEN_AS_NULL: Final = frozenset(
    {
        *("bytes", "any", "meta/v1.Time", "meta/v1.MicroTime", "meta/v1.FieldsV1"),
        *("runtime.RawExtension", "apiextensions/v1.JSON"),
    }
)
_NO_WORDS: Final[Mapping[str, str]] = {}

_HOMES: Final = {
    "resource": "io.k8s.apimachinery.pkg.api.resource",
    "intstr": "io.k8s.apimachinery.pkg.util.intstr",
    "runtime": "io.k8s.apimachinery.pkg.runtime",
    "version": "io.k8s.apimachinery.pkg.version",
    "meta": "io.k8s.apimachinery.pkg.apis.meta",
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
}


_GROUPS_TOO: Final = frozenset({"resource"})
"""Packages of apimachinery that have the name of a group: with a version, the group is meant."""


class APIField(NamedTuple):
    """A field. `path` and `inline` lead to the embedded struct that it stands in: numbers of protobuf messages, and
    names of Go's. `words` are those of the notation that have a value, and `zero` and `deprecated`."""

    name: str
    type: str
    number: int
    pointer: bool
    always: bool
    required: bool
    path: tuple[int, ...]
    inline: str
    words: Mapping[str, str]

    @property
    def emit(self) -> Emit:
        """What is written for nothing: its zero, null, or nothing at all."""
        if not self.always:
            return ""
        is_null = self.pointer or self.type[:2] in ("[]", "{}") or self.type in _WRITTEN_AS_NULL
        return "null" if is_null else "always"

    @property
    def go_name(self) -> str:
        return self.words.get("go") or self.name[:1].upper() + self.name[1:]

    @property
    def patch_strategies(self) -> Sequence[str]:
        strategies = self.words.get("patch")
        return strategies.split(",") if strategies else ()

    @property
    def merge_key(self) -> str:
        """By which a list merges; empty for a list of texts, and for what does not merge."""
        return self.words.get("key") or (self.list_keys[0] if "patch" in self.words and self.list_keys else "")

    @property
    def list_keys(self) -> Sequence[str]:
        keys = self.words.get("keys")
        return keys.split(",") if keys else ()


class APIType:
    """A struct of Go's. Its fields are read when somebody first asks for them."""

    def __init__(self, table: TypeTable, package: str, block: str) -> None:
        head, *self._lines = block.split("\n")
        words, _, self._description = head.partition(" # ")
        self.name, form, *more = words.split(" ")
        self.package = package
        self.is_kind = form == "kind"
        self.map_type = more[0].removeprefix("map=") if more else ""
        self._table = table

    @cached_property
    def fields(self) -> tuple[APIField, ...]:
        fields: list[APIField] = []
        for line in self._lines:
            name, *words = line.partition(" # ")[0].split()
            if name == "inline":
                fields += self._inlined(*words)
            elif words:
                fields.append(self._field(name, words))
        return tuple(fields)

    def descriptions(self) -> dict[str, str]:
        """Of its fields, and its own under the empty name; only what is described."""
        found = {"": self._description} if self._description else {}
        for line in self._lines:
            text, mark, description = line.partition(" # ")
            if mark:
                found[text.split(None, 1)[0]] = description
            elif line.startswith("  inline "):
                embedded = self._embedded(line.split()[1]).descriptions()
                found |= {name: text for name, text in embedded.items() if name}
        return found

    def _embedded(self, name: str) -> APIType:
        return self._table.type(f"{self.package}.{name}")

    def _inlined(self, name: str, number: str) -> Iterator[APIField]:
        for field in self._embedded(name).fields:
            inline = f"{name}.{field.inline}" if field.inline else name
            yield field._replace(path=(int(number), *field.path), inline=inline)

    def _field(self, name: str, words: Sequence[str]) -> APIField:
        kind = words[0]
        pointer = kind[0] == "*"
        if pointer:
            kind = kind[1:]
        if kind not in SCALARS:
            kind = self._qualified(kind)
        number = 0
        always = required = False
        values: dict[str, str] | None = None
        for word in words[1:]:
            if word == "always":
                always = True
            elif word == "required":
                required = True
            elif word.isdigit():
                number = int(word)
            else:
                if values is None:
                    values = {}
                key, _, values[key] = word.partition("=")
        if values and "message" in values:
            values["message"] = self._qualified(values["message"])
        return APIField(name, kind, number, pointer, always, required, (), "", values or _NO_WORDS)

    def _qualified(self, kind: str) -> str:
        """With its package, if it is a struct."""
        start = 0
        while kind[start] in "[{":
            start += 2
        return f"{kind[:start]}{self.package}.{kind[start:]}" if kind[start].isupper() else kind


class TypeTable:
    """The types of some directories."""

    def __init__(self, *directories: str) -> None:
        self._directories = directories
        self._packages: dict[str, dict[str, str]] = {}
        self._types: dict[str, APIType] = {}

    @cached_property
    def packages(self) -> frozenset[str]:
        names = (name for directory in self._directories for name in os.listdir(directory))  # noqa: PTH208 - as below
        return frozenset(name.removesuffix(".txt").replace("_", "/", 1) for name in names if name.endswith(".txt"))

    def types(self, package: str) -> Iterator[APIType]:
        """All of a package, as they stand in its file."""
        for name in self._blocks(package):
            yield self.type(f"{package}.{name}")

    def type(self, definition: str) -> APIType:
        """Of a type, named by its Go package and its name: `core/v1.Pod`. Raises KeyError."""
        known = self._types.get(definition)
        if known is None:
            package, _, name = definition.rpartition(".")
            known = self._types[definition] = APIType(self, package, self._blocks(package)[name])
        return known

    def get(self, definition: str) -> APIType | None:
        try:
            return self.type(definition)
        except KeyError:
            return None

    def _blocks(self, package: str) -> dict[str, str]:
        """The text of each of a package's types."""
        blocks = self._packages.get(package)
        if blocks is None:
            text = self._read(f"{package.replace('/', '_')}.txt")
            blocks = {block.partition(" ")[0]: block for block in text.removesuffix("\n").split("\n\n")}
            self._packages[package] = blocks
        return blocks

    def _read(self, name: str) -> str:
        for directory in self._directories:
            try:
                with open(f"{directory}/{name}", encoding="utf-8") as file:  # noqa: PTH123 - kctl starts without pathlib
                    return file.read()
            except FileNotFoundError:
                continue
        return ""


def is_struct(kind: str) -> bool:
    """Whether a field's type has fields of its own."""
    return kind not in SCALARS and kind not in FORMS and kind[0] not in "[{"


def openapi_name(definition: str) -> str:
    """What OpenAPI documents call a type."""
    package, _, name = definition.rpartition(".")
    group, _, version = package.partition("/")
    if not version:
        return f"{_HOMES[package]}.{name}"
    home = _HOMES[group] if group in _HOMES and group not in _GROUPS_TOO else f"io.k8s.api.{group}"
    return f"{home}.{version}.{name}"
