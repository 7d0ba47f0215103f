"""Sets that were written under another schema.

Where a list or a map has become atomic since, its parts can't be owned any more: who owned one owns the whole. The
other way round, nothing needs doing. Kubernetes: structured-merge-diff typed.ReconcileFieldSetWithSchema.
"""

from __future__ import annotations

from .elements import SELF
from .fieldset import MEMBER, Fields
from .typed import Type


def reconcile(kind: Type, fields: Fields) -> Fields:
    """The set under the schema of today: the very same one if nothing changed."""
    changed: Fields = {}
    for element, node in fields.items():
        if node and element != SELF:
            inner = _child(kind, element)
            found = _reconciled(inner, node) if inner is not None else node
            if found is not node:
                changed[element] = found
    return {**fields, **changed} if changed else fields


def _child(kind: Type, element: str) -> Type | None:
    if kind.map is not None:
        if element[:2] != "f:":
            return kind.map.element
        name = element[2:]
        return kind.map.child(name) if name in kind.map.declared else kind.map.element
    return kind.list.element if kind.list is not None else None


def _reconciled(kind: Type, node: Fields) -> Fields:
    if kind.map is not None:
        if kind.map.is_deduced:
            return node
        return MEMBER if kind.map.atomic else reconcile(kind, node)
    if kind.scalar or kind.list is None:
        return node
    return MEMBER if kind.list.atomic else reconcile(kind, node)
