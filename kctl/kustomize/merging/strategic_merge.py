"""Strategic merge patches as kustomize applies them, which is not how the API server does: new elements of a list come
first, and what is not known is replaced. Kubernetes: kyaml/yaml/merge2 and kyaml/yaml/walk.
"""

from __future__ import annotations

from collections.abc import Sequence

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.nodes import emitter
from kctl.kustomize.nodes.fields import find_element, get_field, require, set_element, set_field, set_scalar
from kctl.kustomize.nodes.node import Map, Node, Scalar, Seq, is_empty, is_missing, is_null, raw_text, text_of

from .schemas import Schema, Schemas, documented

_DIRECTIVE = "$patch"
_DIRECTIVES = ("delete", "replace", "merge")


class Merger:
    """`prepend`: elements that only the patch has come first, as in patches; else last, as in values of charts."""

    def __init__(self, schemas: Schemas, *, prepend: bool = True) -> None:
        self._schemas = schemas
        self._prepend = prepend

    def merge(self, patch: Node, target: Node) -> Node | None:
        """The target, changed in place; None if the patch deletes it. Raises KustomizeError."""
        return self._walk(target, patch, None)

    def _walk(self, target: Node | None, patch: Node | None, schema: Schema | None) -> Node | None:
        schema = schema or self._embedded_schema(target, patch)
        first = target if not is_missing(target) else patch
        if is_missing(first) or isinstance(first, Map):
            for node in (target, patch) if isinstance(first, Map) else ():
                require(node, Map)
            return self._walk_map(target, patch, schema)
        wanted = Seq if isinstance(first, Seq) else Scalar
        for node in (target, patch):
            require(node, wanted)
        _take_style(target, patch)
        if wanted is Seq and schema is not None and schema.keys is not None:
            return self._walk_list(target, patch, schema)
        return target if patch is None else patch

    def _embedded_schema(self, *nodes: Node | None) -> Schema | None:
        """Objects within objects are known by what they say they are."""
        for node in nodes:
            if isinstance(node, Map):
                kind, api_version = text_of(node.get("kind")), text_of(node.get("apiVersion"))
                found = self._schemas.of(api_version, kind) if kind and api_version else None
                if found is not None:
                    return found
        return None

    def _walk_map(self, target: Node | None, patch: Node | None, schema: Schema | None) -> Node | None:
        _take_style(target, patch)
        result = _chosen_map(target, patch)
        if not isinstance(result, Map):
            return result
        names = set(result) | (set(patch) if isinstance(patch, Map) else set())
        for name in sorted(names):
            theirs = patch.get(name) if isinstance(patch, Map) else None
            field = _commented(result.get(name), theirs) or (schema.field(name) if schema is not None else None)
            quoted = isinstance(patch, Map) and name not in patch.odd
            set_field(result, name, self._walk(result.get(name), theirs, field), quoted=quoted)
        return result

    def _walk_list(self, target: Node | None, patch: Node | None, schema: Schema) -> Node | None:
        result = _chosen_list(target, patch)
        if not isinstance(result, Seq):
            return result
        sources = (result, patch if isinstance(patch, Seq) else None)
        ordered = [source for source in (sources[::-1] if self._prepend else sources) if source is not None]
        keys = schema.keys or ()
        if keys:
            values = _distinct([_key_values(item, keys) for source in ordered for item in source])
        else:
            keys = ("",)
            values = _distinct([[raw_text(item)] for source in ordered for item in source])
        return self._merge_elements(values, keys, sources, schema.elements())

    def _merge_elements(
        self,
        every: list[list[str]],
        keys: Sequence[str],
        sources: tuple[Seq, Seq | None],
        schema: Schema | None,
    ) -> Seq:
        target = sources[0]
        every = _completed(every) if len(keys) > 1 else every
        merged = Seq()
        valid_keys: list[str] = []
        for values in every:
            valid_keys, valid_values = _valid(every, values, keys)
            element = self._walk(*_found(sources, valid_keys, valid_values), schema)
            if is_missing(element) or (isinstance(element, Map) and is_empty(element)):
                set_element(target, None, valid_keys, valid_values)
                continue
            assert element is not None
            for key, value in zip(valid_keys, valid_values, strict=False):
                _ensure_key(element, key, value)
            set_element(merged, element, valid_keys, valid_values)
        if not every:
            return target
        if self._prepend:
            return _appended(merged, target, valid_keys)
        return _appended(target, merged, valid_keys)


def _commented(*nodes: Node | None) -> Schema | None:
    """What a comment of a field says takes the place of what is known."""
    for node in nodes:
        if isinstance(node, (Map, Seq)) and node.schema:
            return documented(node.schema)
    return None


def _take_style(target: Node | None, patch: Node | None) -> None:
    """An empty `{}` or `[]` is no reason to write what comes into it in one line."""
    if patch is not None and isinstance(target, (Map, Seq)) and not target:
        target.flow = not isinstance(patch, Scalar) and patch.flow


def _chosen_map(target: Node | None, patch: Node | None) -> Node | None:
    """Into which of the two is merged; None if neither is to remain."""
    if is_missing(target):
        if isinstance(patch, (Map, Seq)) and _directive(patch) == "delete":
            return None
        if patch is None and isinstance(target, Scalar) and target.text:
            kept = Scalar(target.text, target.tag)
            kept.kept = True
            return kept
        return patch
    if is_null(patch):
        return None
    directive = "merge" if patch is None else _directive(patch)
    return None if directive == "delete" else patch if directive == "replace" else target


def _chosen_list(target: Node | None, patch: Node | None) -> Node | None:
    if is_missing(target):
        return patch
    if is_null(patch):
        return None
    directive = "merge" if patch is None else _directive(patch)
    return None if directive == "delete" else patch if directive == "replace" else target


def _directive(patch: Node) -> str:
    """What `$patch` says, which is taken out."""
    if isinstance(patch, Scalar):
        raise KustomizeError(
            f"no implemented strategic merge patch strategy for '{patch.tag}' ('{emitter.emitted(patch)}')"
        )
    if isinstance(patch, Seq):
        holder = next((item for item in patch if isinstance(item, Map) and _DIRECTIVE in item), None)
        if holder is None or len(holder) > 1:
            return "merge"
    else:
        holder = patch
    if _DIRECTIVE not in holder:
        return "merge"
    said = raw_text(holder[_DIRECTIVE])
    if said not in _DIRECTIVES:
        raise KustomizeError(f"unknown patch strategy '{said}'")
    if isinstance(patch, Seq):
        set_element(patch, None, (_DIRECTIVE,), (said,))
    else:
        del holder[_DIRECTIVE]
    return said


def _key_values(item: Node, keys: Sequence[str]) -> list[str]:
    fields = (item.get(key) if isinstance(item, Map) else None for key in keys)
    return ["" if is_empty(field) else raw_text(field) for field in fields]


def _distinct(lists: list[list[str]]) -> list[list[str]]:
    found: list[list[str]] = []
    for values in lists:
        if values not in found:
            found.append(values)
    return found


def _completed(every: list[list[str]]) -> list[list[str]]:
    """Elements that agree in what both of them say are the same element."""
    every = list(every)
    for first, one in enumerate(every):
        for second, other in enumerate(every):
            agreed = _agreed(one, other)
            if agreed is not None:
                every[first] = every[second] = agreed
    return every


def _agreed(one: list[str], other: list[str]) -> list[str] | None:
    pairs = list(zip(one, other, strict=True))
    if any(a != b and a and b for a, b in pairs) or not any(a == b for a, b in pairs):
        return None
    return [a or b for a, b in pairs]


def _valid(every: list[list[str]], values: list[str], keys: Sequence[str]) -> tuple[list[str], list[str]]:
    """The keys that any element has, and an element's values of them."""
    used = {keys[index] for one in every for index, value in enumerate(one) if value}
    if not used:
        return list(keys), values
    named = [key for key in keys if key in used]
    return named, [value for index, value in enumerate(values) if value or keys[index] in used]


def _found(sources: tuple[Seq, Seq | None], keys: list[str], values: list[str]) -> tuple[Node | None, Node | None]:
    keys, values = _valid([values], values, keys)
    target, patch = sources
    return find_element(target, keys, values), None if patch is None else find_element(patch, keys, values)


def _ensure_key(element: Node, key: str, value: str) -> None:
    if isinstance(element, Scalar) and not key and value:
        set_scalar(element, value)
    elif isinstance(element, Map) and key not in element and value:
        set_field(element, key, Scalar(value))


def _appended(sequence: Seq, other: Seq, keys: Sequence[str]) -> Seq:
    """All elements of the other list as well; those with the same keys take the place of these."""
    for item in list(other):
        if not keys[0]:
            set_element(sequence, item, ("",), (raw_text(item),))
            continue
        values = []
        for key in keys:
            field = get_field(item, key)
            if field is None:
                sequence.append(item)
            else:
                values.append(raw_text(field))
        if len(keys) > 1:
            set_element(sequence, None, keys, values)
        set_element(sequence, item, keys, values)
    return sequence
