"""ConversionReview: the objects to convert go out, the same objects come back in another version.

Kubernetes: pkg/apiserver/conversion/webhook_converter.go.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, Final

import orjson

from localplane.apimachinery.fieldpath import Path, aggregate
from localplane.apimachinery.golang.text import go_quote, go_type_name
from localplane.apimachinery.objectmeta import validate_annotations, validate_labels
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied

_GROUP: Final = "apiextensions.k8s.io"
_VERSIONS: Final = ("v1", "v1beta1")


class ReviewFailed(Exception):
    """What came back is no answer, or says no. The message begins behind `conversion webhook for ... `."""


class ConversionReview:
    """One question. `versions` are those of the protocol that the webhook says it understands."""

    def __init__(self, versions: Sequence[str], objects: Sequence[JSONObject], api_version: str) -> None:
        known = next((version for version in versions if version in _VERSIONS), None)
        if known is None:
            raise ReviewFailed("no supported conversion review versions")
        self._version = known
        self._objects = objects
        self._wanted = api_version
        self._uid = str(uuid.uuid4())

    def question(self) -> bytes:
        request = {"uid": self._uid, "desiredAPIVersion": self._wanted, "objects": self._objects}
        response: JSONObject = {"uid": "", "convertedObjects": None, "result": {"metadata": {}}}
        return orjson.dumps(
            {
                "kind": "ConversionReview",
                "apiVersion": f"{_GROUP}/{self._version}",
                "request": request,
                "response": response,
            }
        )

    def answer(self, body: bytes) -> list[JSONObject]:
        """The converted objects. Raises ReviewFailed."""
        converted = self._converted(body)
        if len(converted) != len(self._objects):
            raise ReviewFailed(f"returned {len(converted)} objects, expected {len(self._objects)}")
        return [self._checked(index, *pair) for index, pair in enumerate(zip(self._objects, converted, strict=True))]

    def _converted(self, body: bytes) -> list[Any]:
        try:
            review = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ReviewFailed(f"failed: {error}") from error
        review = review if isinstance(review, dict) else {}
        kind, version = review.get("kind", ""), review.get("apiVersion", "")
        if self._version == "v1" and (kind, version) != ("ConversionReview", f"{_GROUP}/v1"):
            shown = f"{version}, Kind={kind}"
            raise ReviewFailed(f"failed: expected webhook response of {_GROUP}/v1, Kind=ConversionReview, got {shown}")
        response = review.get("response")
        if not isinstance(response, dict):
            raise ReviewFailed("failed: no response provided")
        given = response.get("uid", "")
        if self._version == "v1" and given != self._uid:
            raise ReviewFailed(f"failed: expected response.uid={go_quote(self._uid)}, got {go_quote(given)}")
        result = response.get("result") or {}
        if result.get("status") != "Success":
            status = f"response.result.status was '{result.get('status', '')}', not 'Success'"
            raise ReviewFailed(f"failed: {result.get('message') or status}")
        return list(response.get("convertedObjects") or ())

    def _checked(self, index: int, original: JSONObject, converted: Any) -> JSONObject:
        """Only what a kind declares may change, and labels and annotations: the rest of metadata is put back."""
        about = (
            f"returned invalid object at index {index}"
            if len(self._objects) == 1
            else (f"returned invalid converted object at index {index}")
        )
        obj = converted if isinstance(converted, dict) else {}
        if obj.get("apiVersion", "") != self._wanted:
            received = obj.get("apiVersion", "")
            raise ReviewFailed(f"{about}: invalid groupVersion (expected {self._wanted}, received {received})")
        if obj.get("kind", "") != original["kind"]:
            raise ReviewFailed(f"{about}: invalid kind (expected {original['kind']}, received {obj.get('kind', '')})")
        invalid_object = "returned invalid object" if len(self._objects) == 1 else about
        for key, shown in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
            before, after = (_metadata(each).get(key, "") for each in (original, obj))
            if before != after:
                raise ReviewFailed(f"{invalid_object}: must have the same {shown}: {before} != {after}")
        return self._restored(index, original, obj)

    def _restored(self, index: int, original: JSONObject, obj: JSONObject) -> JSONObject:
        about = (
            "returned invalid metadata"
            if len(self._objects) == 1
            else (f"returned invalid metadata in object at index {index}")
        )
        given = obj.get("metadata")
        if not isinstance(given, dict):
            raise ReviewFailed(f"{about}: missing metadata in converted object")
        metadata: JSONObject = copied(_metadata(original))
        for key in ("labels", "annotations"):
            metadata.pop(key, None)
            if given.get(key) is not None:
                metadata[key] = _texts(given[key], key, _metadata(original).get(key), about)
        return {**obj, "metadata": metadata}


def _metadata(obj: JSONObject) -> JSONObject:
    metadata: JSONObject = obj.get("metadata") or {}
    return metadata


def _texts(value: Any, key: str, before: Any, about: str) -> JSONObject:
    if not isinstance(value, dict):
        raise ReviewFailed(f"{about}: invalid metadata.{key} of type {go_type_name(value)} in converted object")
    for name, each in value.items():
        if not isinstance(each, str):
            shown = f"metadata.{key}[{name}] must be a string, but is {go_type_name(each)} in converted object"
            raise ReviewFailed(f"{about}: {shown}")
    if value != (before or {}):
        if key == "labels":
            problems = list(validate_labels(value, Path("metadata.labels")))
        else:
            problems = list(validate_annotations(value, Path("metadata.annotation")))
        if problems:
            raise ReviewFailed(f"{about}: {aggregate(problems)}")
    return value
