"""Whatever the schema and the documents: merging the difference between two into the first gives the second."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import merge_patch
from localplane.apimachinery.patch.strategic import merge, two_way_patch
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import Node, Property

Case = tuple[Node, JSONObject, JSONObject]

_NAMES = st.sampled_from(["a", "b", "c"])
_WORDS = st.text("xyz", min_size=1, max_size=2)


def _text() -> Node:
    return Node(type="string")


def _structs(fields: dict[str, Property]) -> Node:
    return Node(type="object", properties=fields)


@st.composite
def _fields(draw: st.DrawFn, depth: int) -> dict[str, Property]:
    """Fields of all the ways in which a field may be merged."""
    found: dict[str, Property] = {}
    for name in draw(st.lists(st.sampled_from(["p", "q", "r", "s"]), unique=True, min_size=1)):
        kind = draw(
            st.sampled_from(["text", "map", "list", "set", "struct", "keyed"] if depth else ["text", "map", "set"])
        )
        match kind:
            case "text":
                found[name] = Property(node=_text())
            case "map":
                found[name] = Property(node=Node(type="object", values=_text()))
            case "list":
                found[name] = Property(node=Node(type="array", items=_text()))
            case "set":
                found[name] = Property(node=Node(type="array", items=_text()), patch_strategy="merge")
            case "struct":
                found[name] = Property(node=_structs(draw(_fields(depth - 1))))
            case _:
                items = _structs({"name": Property(node=_text()), **draw(_fields(depth - 1))})
                node = Node(type="array", items=items)
                found[name] = Property(node=node, patch_strategy="merge", patch_merge_key="name")
    return found


def _documents(node: Node) -> st.SearchStrategy[JSONObject]:
    return st.fixed_dictionaries({}, optional={name: _values(each) for name, each in node.properties.items()})


def _values(each: Property) -> st.SearchStrategy[Any]:
    node = each.node
    if node.type == "string":
        return _WORDS
    if node.type == "object":
        return st.dictionaries(_NAMES, _WORDS, min_size=1) if node.values else _documents(node)
    assert node.items is not None
    if each.patch_merge_key:
        items = st.builds(lambda name, rest: {**rest, "name": name}, _NAMES, _documents(node.items))
        return st.lists(items, unique_by=lambda item: item["name"], min_size=1)
    return st.lists(_WORDS, unique=bool(each.patch_strategy), min_size=1)


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    node = _structs(draw(_fields(2)))
    return node, draw(_documents(node)), draw(_documents(node))


@given(_cases())
def test_a_strategic_difference_leads_from_one_document_to_the_other(case: Case) -> None:
    node, original, modified = case
    patch = two_way_patch(node, copied(original), copied(modified))
    assert merge(node, copied(original), copied(patch)) == modified


@given(_cases())
def test_there_is_nothing_to_do_between_a_document_and_itself(case: Case) -> None:
    node, original, _ = case
    assert merge(node, copied(original), two_way_patch(node, copied(original), copied(original))) == original


@given(_cases())
def test_so_does_a_plain_difference(case: Case) -> None:
    _, original, modified = case
    patch = merge_patch.diff(copied(original), copied(modified))
    assert merge_patch.apply(patch, copied(original)) == modified
