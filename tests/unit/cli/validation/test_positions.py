"""Where a field stands in its document."""

from __future__ import annotations

import pytest

from localplane.cli.validation.positions import find, item, read_tree

DOCUMENT = """\
# what comes first is no field
metadata:
  labels:
    app.kubernetes.io/name: web
    plain: x
spec:
  containers:
  - name: a
    ports: [{containerPort: 1}, {containerPort: 2}]
  - name: b
    image: c
  merged: &anchor {deep: {deeper: 1}}
  again: *anchor
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ("", 2, 1),
        ("metadata", 2, 1),
        ("metadata.labels[app.kubernetes.io/name]", 4, 5),
        ("metadata.labels.app.kubernetes.io/name", 4, 5),
        ("metadata.labels.plain", 5, 5),
        ("metadata.annotations", 2, 1),
        ("spec.containers[1].image", 11, 5),
        ("spec.containers[0].ports[1].containerPort", 9, 34),
        ("spec.containers[7].image", 7, 3),
        ("spec.containers.image", 11, 5),
        ("spec.merged.deep.deeper", 12, 27),
        ("spec.again.deep", 13, 3),
        ("nowhere.at[0].all", 2, 1),
        ("spec.containers[", 7, 3),
        ("..[]", 2, 1),
    ],
)
def test_a_path_is_followed_as_far_as_it_goes(path: str, line: int, column: int) -> None:
    node = find(read_tree(DOCUMENT), path)
    assert (node.line + 1, node.column + 1) == (line, column)


def test_objects_in_lists_have_places_of_their_own() -> None:
    tree = read_tree("items:\n- a: 1\n- items:\n  - b: 2\n  - b: 3\n")
    assert find(item(tree, (1, 1)), "b").line == 4
    assert item(tree, (9,)).line == 0


def test_json_has_places_too() -> None:
    tree = read_tree('{\n\t"spec": {\n\t\t"replicas": 1\n\t}\n}')
    assert find(tree, "spec.replicas").line == 2


def test_what_can_t_be_read_begins_at_its_beginning() -> None:
    assert (read_tree("a: [").line, read_tree("").line, read_tree("? {a: b}\n: c\n").line) == (0, 0, 0)


def test_keys_that_are_no_texts_are_passed_over() -> None:
    assert find(read_tree("? [a, b]\n: c\nd: e\n"), "d").line == 2
