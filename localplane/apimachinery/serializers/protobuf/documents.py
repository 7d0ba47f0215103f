"""A whole body of an object that says itself what it is: a Status, metadata, a document of discovery."""

from __future__ import annotations

from functools import lru_cache

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema.nodes import Node

from .envelope import enveloped, head
from .writer import message_writer

head_of = lru_cache(maxsize=1024)(head)
"""As `head`, kept: there are as many as there are kinds."""


def encoded(node: Node, obj: JSONObject) -> bytes:
    return enveloped(head_of(obj.get("apiVersion", ""), obj["kind"]), message_writer(node)(obj))
