"""Another server's discovery, read with the doubt that it deserves."""

from __future__ import annotations

import orjson
import pytest

from localplane.apimachinery.groups import GroupVersionKind
from localplane.servers.aggregator.remote_discovery import openapi_url, resources_in

LISTED = {
    "kind": "APIResourceList",
    "resources": [
        {
            "name": "tickets",
            "singularName": "ticket",
            "namespaced": True,
            "kind": "Ticket",
            "verbs": ["get", "list"],
            "shortNames": ["tk"],
            "categories": ["all"],
        },
        {
            "name": "tickets/scale",
            "kind": "Scale",
            "group": "autoscaling",
            "version": "v1",
            "namespaced": True,
            "verbs": ["get"],
        },
    ],
}


def test_subresources_are_found_below_their_resource() -> None:
    (tickets,) = resources_in(orjson.dumps(LISTED))
    assert (tickets.name, tickets.singular, tickets.kind, tickets.namespaced) == ("tickets", "ticket", "Ticket", True)
    assert (tickets.verbs, tickets.short_names, tickets.categories) == (["get", "list"], ["tk"], ["all"])
    (scale,) = tickets.subresources
    assert (scale.name, scale.verbs) == ("scale", ["get"])
    assert scale.answers == GroupVersionKind("autoscaling", "v1", "Scale")


@pytest.mark.parametrize("document", [b"", b"ok", b"[]", b'{"resources": 3}', b'{"resources": [7, {"name": 1}]}'])
def test_what_cannot_be_read_is_no_resource(document: bytes) -> None:
    assert resources_in(document) == []


@pytest.mark.parametrize(
    ("index", "url"),
    [
        (b'{"paths": {"apis/a.b/v1": {"serverRelativeURL": "/openapi/v3/apis/a.b/v1?hash=X"}}}', True),
        (b'{"paths": {"apis/a.b/v2": {"serverRelativeURL": "/elsewhere"}}}', False),
        (b'{"paths": []}', False),
        (b"404 page not found", False),
    ],
)
def test_the_document_is_where_the_index_says(index: bytes, url: bool) -> None:  # noqa: FBT001 - of a table
    assert openapi_url(index, "/apis/a.b/v1") == ("/openapi/v3/apis/a.b/v1?hash=X" if url else "")
