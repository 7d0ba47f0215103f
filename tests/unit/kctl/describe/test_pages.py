"""Descriptions: columns, labels, parts that several kinds share."""

from __future__ import annotations

import pytest

from kctl.views.describe.containers import probe_text
from kctl.views.describe.generic import label_for
from kctl.views.describe.namespaces import _in_form
from kctl.views.describe.networking import endpoints_text
from kctl.views.describe.page import Page, annotation_lines
from kctl.views.describe.pods import tolerations
from localplane.apimachinery.selectors.labels import selector_text

LABELS = [
    ("apiVersion", "API Version"),
    ("selfURL", "Self URL"),
    ("podCIDRs", "Pod CIDRs"),
    ("uid", "UID"),
    ("creationTimestamp", "Creation Timestamp"),
    ("app.kubernetes.io/name", "app.kubernetes.io/name"),
    ("last-applied", "Last - Applied"),
    ("myHTTPServer", "My HTTPServer"),
    ("eTag", "E Tag"),
    ("ünIcode", "Ün Icode"),
]


@pytest.mark.parametrize(("field", "label"), LABELS, ids=[field for field, _ in LABELS])
def test_a_field_is_labelled_in_words(field: str, label: str) -> None:
    assert label_for(field) == label


def test_columns_are_as_wide_as_their_own_block_needs() -> None:
    page = Page()
    page.field("A", 1)
    page.field("Longer", 2)
    page.line("Title:")
    page.field("B", 3, level=1)
    assert page.text == "A:       1\nLonger:  2\nTitle:\n  B:  3\n"


def test_an_escape_sequence_is_shown_and_not_sent() -> None:
    page = Page()
    page.field("A", "\x1b[31m")
    assert page.text == "A:  ^[[31m\n"


def test_a_long_annotation_is_cut_and_put_below_its_key() -> None:
    page = Page()
    annotation_lines(page, "Annotations", {"a": "b", "long": "x" * 200, "many": "1\n2\n"})
    assert page.text == (
        f"Annotations:  a: b\n              long:\n                {'x' * 138}...\n"
        "              many:\n                1\n                2\n"
    )


def test_tolerations_are_in_the_order_of_their_keys() -> None:
    page = Page()
    tolerations(page, "T", [{"key": "k", "operator": "Exists", "tolerationSeconds": 5}, {"operator": "Exists"}])
    assert page.text == "T:  op=Exists\n    k op=Exists for 5s\n"


def test_a_selector_is_in_the_order_of_its_keys() -> None:
    expressions = [{"key": "a", "operator": "In", "values": ["2", "1"]}, {"key": "z", "operator": "DoesNotExist"}]
    assert selector_text({"matchLabels": {"m": "1"}, "matchExpressions": expressions}) == "a in (1,2),m=1,!z"


def test_of_many_endpoints_the_first_three_are_shown() -> None:
    endpoints = [{"addresses": [f"10.0.0.{number}"]} for number in range(5)]
    endpoints.append({"addresses": ["10.0.0.9"], "conditions": {"ready": False}})  # type: ignore[dict-item]
    slices = [{"ports": [{"name": "p", "port": 80}], "endpoints": endpoints}]
    assert endpoints_text(slices, "p") == "10.0.0.0:80,10.0.0.1:80,10.0.0.2:80 + 2 more..."


def test_a_probe_is_one_line() -> None:
    probe = {"httpGet": {"path": "/x y", "port": "http", "scheme": "HTTPS"}, "periodSeconds": 10}
    assert probe_text(probe) == (
        "http-get https://:http/x%20y delay=0s timeout=0s period=10s successThreshold=0 failureThreshold=0"
    )


@pytest.mark.parametrize(
    ("used", "hard", "shown"),
    [("67108864", "10Gi", "64Mi"), ("250m", "40", "250m"), (None, "10Gi", "0"), ("1Gi", "2000000000", "1073741824")],
)
def test_what_is_used_is_told_in_the_units_of_what_may_be(used: str | None, hard: str, shown: str) -> None:
    assert _in_form(used, hard) == shown
