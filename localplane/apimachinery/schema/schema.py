"""The schema of a kind: what its objects may hold, in one form for all who ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path
from localplane.apimachinery.objects import JSONObject

from .declarations.annotations import DeclarationError
from .declarations.classes import node_of_class
from .declarations.structural import node_of_openapi
from .defaulting import fill_defaults
from .documents import Documents
from .meta import type_meta
from .nodes import NOTHING, Node
from .pruning import has_embedded, prune
from .structs.completion import complete
from .structs.decoder import decode
from .validation.checks import list_errors, valid
from .validation.embedded import errors_of_embedded
from .validation.violations import ValuePath, explain


class Schema:
    """A compiled declaration. Its operations are compiled when they are first used, and change nothing but the object
    that they are given. `node` is the declaration itself, for whoever walks it: merging, applying, explaining."""

    __slots__ = ("_decoded", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self._decoded: Node | None = None

    @classmethod
    def of(cls, declaration: Schema | Node | type | Mapping[str, Any] | None) -> Schema:
        """From a class with annotations, an OpenAPI v3 schema or nothing, which lets everything pass."""
        match declaration:
            case Schema():
                return declaration
            case Node():
                return cls(declaration)
            case None:
                return cls(Node(type="object", preserve_unknown_fields=True))
            case type():
                return cls(node_of_class(declaration))
            case Mapping():
                return cls(node_of_openapi(declaration))
        raise DeclarationError(f"{declaration!r} is no schema")

    def decode(self, obj: JSONObject, *, kind: str, source: bytes | None = None) -> list[str]:
        """Read an object as Go reads a built-in kind, in place, and return the paths of fields that nobody knows.

        They are gone then, and so are nulls and what Go leaves out when empty. A wrong type is a DecodeError; the
        object is half read then. `source` is the JSON that the object was parsed from: with it, messages show a number
        as it was written.
        """
        return decode(self.root, obj, kind=kind, source=source)

    @property
    def root(self) -> Node:
        """The node of whole objects as Go's struct has it: with the fields that every object has."""
        if self._decoded is None:
            self._decoded = _with_object_meta(self.node)
        return self._decoded

    def prune(self, obj: JSONObject, *, keeps_nulls: bool = False) -> list[str]:
        """Take out of a custom resource, in place, what it can't have, and return the paths in upstream's order.

        Nulls that stand for nothing go as well, unless it `keeps_nulls`. Metadata is decoded, here and in embedded
        resources: a wrong type there is a DecodeError, with the place in front if it is an embedded one.
        """
        return prune(self.node, obj, keeps_nulls=keeps_nulls)

    def default(self, obj: JSONObject) -> None:
        """Fill in, in place, the defaults of what is missing. Decode or prune first: nulls must have gone."""
        fill_defaults(self.node, obj)

    def complete(self, obj: JSONObject, *, final: bool = False) -> None:
        """Fill in, in place, what Go writes even when it is empty: nothing required, and no nulls, unless `final`."""
        complete(self.node, obj, final=final)

    def validate(self, obj: JSONObject, old: JSONObject | None = None, *, only: str = "") -> list[FieldError]:
        """What is wrong with an object. With `old`, what was wrong before and is untouched is forgiven.

        `only` names the one field to look at: status, for its subresource. Metadata and the rules of
        x-kubernetes-validations are checked elsewhere.
        """
        node, value, before = self.node, obj, NOTHING if old is None else old
        if only:
            child = self.node.child(only)
            if child is None or only not in obj:
                return []
            node, value = child, obj[only]
            before = old[only] if old is not None and only in old else NOTHING
        if valid(node)(value):
            return []
        errors = list(explain(node, value, ValuePath(prefix=only), before).errors.values())
        path = Path(only)
        if has_embedded(self.node):
            errors += errors_of_embedded(node, value, path)
        if old is None or next(list_errors(self.node, old, Path()), None) is None:
            errors += list_errors(node, value, path)
        return errors

    def openapi(self, *, ref_prefix: str = "#/components/schemas/", v2: bool = False) -> tuple[JSONObject, JSONObject]:
        """The schema as OpenAPI shows it, and the definitions that it refers to, by name."""
        documents = Documents(ref_prefix=ref_prefix, v2=v2)
        return documents.root(self.node), documents.definitions


def _with_object_meta(node: Node) -> Node:
    """The root as Go's struct has it: a dictionary may limit metadata, but can't say what fields there are."""
    node.load()
    declared = {name: each for name, each in node.properties.items() if name not in type_meta() or each.node.name}
    return node.changed(properties=type_meta() | declared, go_type="")
