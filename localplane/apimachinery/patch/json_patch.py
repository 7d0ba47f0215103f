"""JSON Patch (RFC 6902), as kube-apiserver's library applies it.

It departs from the RFC where the library does, because clients came to rely on it: `replace` adds a member that is not
there, `copy` of an absent member copies null, an index may be negative and counts from the end, what stands before the
first slash of a path is ignored, and null is as good as absent on the way. Numbers are compared by type and value,
where Kubernetes compares their text: `1.0` and `1` differ, `1.0` and `1.00` don't.

Kubernetes: gopkg.in/evanphx/json-patch.v4, and jsonPatcher in apiserver/pkg/endpoints/handlers/patch.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import orjson

from localplane.apimachinery.golang.text import json_type

from .errors import InvalidPatch, PatchNotApplicable, TooManyOperations
from .values import copied, encoded_size, same

MAX_OPERATIONS = 10_000
MAX_COPIED_BYTES = 3 * 1024 * 1024
"""What all copies of one patch may add to the document: without a bound, a few operations double it again and again."""

MAX_MOVED_ITEMS = 20_000_000
"""How many items of lists all operations of one patch may move up or down: to put something before a million others is
cheap once, and not ten thousand times."""

Operation = dict[str, Any]

_FIELDS = ("op", "path", "from", "value")


def decode_json_patch(body: bytes, *, strict: bool = True) -> list[Operation]:
    """The operations of a request's body. `strict` is any field validation but Ignore, and changes only messages."""
    try:
        decoded = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidPatch("invalid JSON patch") from None
    return json_patch_of(decoded, strict=strict)


def json_patch_of(decoded: Any, *, strict: bool = True) -> list[Operation]:
    """The operations of a patch that is decoded already. null is a patch without any."""
    if decoded is None:
        return []
    if not isinstance(decoded, list):
        raise InvalidPatch(
            _wrong_type(decoded, "[]handlers.jsonPatchOp" if strict else "jsonpatch.Patch", strict=strict)
        )
    for operation in decoded:
        if operation is not None and not isinstance(operation, dict):
            wanted = "handlers.jsonPatchOp" if strict else "jsonpatch.Operation"
            raise InvalidPatch(_wrong_type(operation, wanted, strict=strict))
        if strict:
            _require_texts(operation or {})
    if len(decoded) > MAX_OPERATIONS:
        raise TooManyOperations(
            f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(decoded)}"
        )
    return [operation or {} for operation in decoded]


def _wrong_type(value: Any, wanted: str, *, strict: bool) -> str:
    problem = f"json: cannot unmarshal {json_type(value)} into Go value of type {wanted}"
    return f"error decoding patch: {problem}" if strict else problem


def _require_texts(operation: Operation) -> None:
    for name in operation:
        value = operation[name]
        if name in ("op", "path", "from") and value is not None and not isinstance(value, str):
            raise InvalidPatch(
                f"error decoding patch: json: cannot unmarshal {json_type(value)} "
                f"into Go struct field jsonPatchOp.{name} of type string"
            )


def unknown_fields(operations: Sequence[Operation]) -> list[str]:
    """What field validation says of members that no operation has."""
    return [
        f'json patch unknown field "[{index}].{name}"'
        for index, operation in enumerate(operations)
        for name in operation
        if name not in _FIELDS
    ]


def apply(operations: Sequence[Operation], document: Any) -> Any:
    """The document after all operations; PatchNotApplicable if one of them fails, and then none has happened."""
    patching = _Patching(document)
    for operation in operations:
        kind = operation.get("op")
        step = _STEPS.get(kind) if isinstance(kind, str) else None
        if step is None:
            raise PatchNotApplicable(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
        step(patching, operation)
    return patching.document


_INDEX = re.compile("[+-]?[0-9]{1,18}").fullmatch


class _Patching:
    """A document being patched: a copy, which is changed in place."""

    def __init__(self, document: Any) -> None:
        self.document = copied(document)
        self._copied_bytes = 0
        self._moved_items = 0

    def find(self, path: str) -> tuple[Any, str] | None:
        """The container that a path ends in, and the last key; None if the way there is not open."""
        _, *parts = path.split("/")
        if not parts:
            return None
        keys = [part.replace("~1", "/").replace("~0", "~") if "~" in part else part for part in parts]
        container = self.document
        for key in keys[:-1]:
            place = self.place(container, key)
            container = None if place is None else container[place]
            if not isinstance(container, (dict, list)):
                return None
        return (container, keys[-1]) if isinstance(container, (dict, list)) else None

    @staticmethod
    def place(container: Any, key: str) -> Any:
        """The key of a member, or the index of an item, that is there; None if it is not."""
        if isinstance(container, dict):
            return key if key in container else None
        if not isinstance(container, list) or not _INDEX(key):
            return None
        index = int(key)
        index += len(container) if index < 0 else 0
        return index if 0 <= index < len(container) else None

    def get(self, path: str, said: _Said) -> Any:
        """A value to test or to copy: null for an absent member of an object."""
        container, key = self._found(path, said)
        place = self.place(container, key)
        if place is None and isinstance(container, list):
            raise PatchNotApplicable(f"{said.failed}: {_no_index(key)}")
        return None if place is None else container[place]

    def add(self, path: str, value: Any, said: _Said) -> None:
        container, key = self._found(path, said)
        if isinstance(container, dict):
            container[key] = value
        elif key == "-":
            container.append(value)
        else:
            index = int(key) if _INDEX(key) else None
            length = len(container) + 1
            if index is None:
                problem = f"value was not a proper array index: '{key}': {_no_index(key)}"
                raise PatchNotApplicable(f"{said.failed}: {problem}")
            if not -length <= index < length:
                raise PatchNotApplicable(f"{said.failed}: {_no_index(key)}")
            index += length if index < 0 else 0
            self._count_moves(len(container) - index)
            container.insert(index, value)

    def remove(self, path: str, said: _Said) -> Any:
        container, key = self._found(path, said)
        place = self.place(container, key)
        if place is None:
            absent = isinstance(container, dict)
            problem = f"Unable to remove nonexistent key: {key}: missing value" if absent else _no_index(key)
            raise PatchNotApplicable(f"{said.failed}: {problem}")
        if isinstance(container, list):
            self._count_moves(len(container) - place)
        return container.pop(place)

    def replace(self, path: str, value: Any) -> None:
        container, key = self._found(path, _Said(f"replace operation does not apply: doc is missing path: {path}", ""))
        place = key if isinstance(container, dict) else self.place(container, key)
        if place is None:
            raise PatchNotApplicable(f"replace operation does not apply: doc is missing key: {path}: missing value")
        container[place] = value

    def _found(self, path: str, said: _Said) -> tuple[Any, str]:
        found = self.find(path)
        if found is None:
            raise PatchNotApplicable(f"{said.missing}: missing value")
        return found

    def _count_moves(self, items: int) -> None:
        self._moved_items += items
        if self._moved_items > MAX_MOVED_ITEMS:
            raise TooManyOperations(
                f"The operations of a JSON patch may move at most {MAX_MOVED_ITEMS} items of lists up or down"
            )

    def count_copy(self, value: Any) -> None:
        self._copied_bytes += encoded_size(value) if value is not None else 0
        if self._copied_bytes > MAX_COPIED_BYTES:
            raise PatchNotApplicable(
                "Unable to complete the copy, the accumulated size increase of copy is "
                f"{self._copied_bytes}, exceeding the limit {MAX_COPIED_BYTES}"
            )


class _Said(NamedTuple):
    """What is said of a way that is not open, and before what fails at its end."""

    missing: str
    failed: str


def _at(operation: str, path: str) -> _Said:
    return _Said(
        f'{operation} operation does not apply: doc is missing path: "{path}"',
        f"error in {operation} for path: '{path}'",
    )


def _no_index(key: str) -> str:
    if _INDEX(key):
        return f"Unable to access invalid index: {int(key)}: invalid index referenced"
    return f'strconv.Atoi: parsing "{key}": invalid syntax'


def _pointer(operation: Operation, name: str) -> str:
    pointer = operation.get(name)
    if not isinstance(pointer, str):
        raise PatchNotApplicable(f"{operation['op']} operation failed to decode {name}: missing value")
    return pointer


def _add(patching: _Patching, operation: Operation) -> None:
    path = _pointer(operation, "path")
    patching.add(path, copied(operation.get("value")), _at("add", path))


def _remove(patching: _Patching, operation: Operation) -> None:
    path = _pointer(operation, "path")
    patching.remove(path, _at("remove", path))


def _replace(patching: _Patching, operation: Operation) -> None:
    path, value = _pointer(operation, "path"), copied(operation.get("value"))
    if path:
        patching.replace(path, value)
    elif isinstance(value, (dict, list)):
        patching.document = value
    else:
        raise PatchNotApplicable("replace operation value must be object or array")


def _move(patching: _Patching, operation: Operation) -> None:
    source = _pointer(operation, "from")
    refused = "move operation does not apply: doc is missing"
    key = source.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
    value = patching.remove(source, _Said(f"{refused} from path: {source}", f"error in move for path: '{key}'"))
    path = _pointer(operation, "path")
    patching.add(path, value, _Said(f"{refused} destination path: {path}", f"error in move for path: '{path}'"))


def _copy(patching: _Patching, operation: Operation) -> None:
    source, path = _pointer(operation, "from"), _pointer(operation, "path")
    refused = "copy operation does not apply: doc is missing"
    value = patching.get(source, _Said(f"{refused} from path: {source}", f"error in copy for from: '{source}'"))
    patching.count_copy(value)
    patching.add(
        path, copied(value), _Said(f"{refused} destination path: {path}", "error while adding value during copy")
    )


def _test(patching: _Patching, operation: Operation) -> None:
    path = _pointer(operation, "path")
    said = _Said(f"test operation does not apply: is missing path: {path}", f"error in test for path: '{path}'")
    value = patching.get(path, said) if path else patching.document
    if not same(value, operation.get("value")):
        raise PatchNotApplicable(f"testing value {path} failed: test failed")


_STEPS: dict[str, Callable[[_Patching, Operation], None]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
