"""What is asked about one object, from its creation to its end. A number tells all of it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.schema import Node
from tests.differential.mutation import child_of, made, mutated, spots
from tests.differential.samples import LABEL, Sample
from tests.differential.servers import JSON, Step

_FORMS: Final = (
    *(JSON,) * 6,
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    *("application/yaml", "text/plain", "application/json;as=Bogus;v=v1;g=meta.k8s.io,application/json"),
)
_MERGE: Final = "application/merge-patch+json"
_STRATEGIC: Final = "application/strategic-merge-patch+json"
_JSON_PATCH: Final = "application/json-patch+json"
_APPLY: Final = "application/apply-patch+yaml"

Query = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Story:
    """`creation` is asked until both servers have the object; `steps` in any case; `end` takes everything away."""

    number: int
    sample: Sample
    creation: Sequence[Step]
    steps: Sequence[Step]
    end: Sequence[Step]


def story(number: int, samples: Sequence[Sample], seed: int, prefix: str = "x") -> Story:
    """`prefix` begins the names, so that what another run has left is not in the way."""
    chance = random.Random(f"{seed}/{number}")
    sample = samples[number % len(samples)]
    return _Author(number, sample, chance, prefix).story()


class _Author:
    def __init__(self, number: int, sample: Sample, chance: random.Random, prefix: str) -> None:
        self._number = number
        self._sample = sample
        self._chance = chance
        self._plain = sample.named(f"{prefix}{number}")
        self._path = f"{sample.collection}/{self._plain['metadata']['name']}"

    def story(self) -> Story:
        creation = [
            *(self._create(self._mutated(), dry=True) for _ in range(self._chance.randint(2, 5))),
            self._create(self._mutated()),
            Step("POST", self._sample.collection, body=self._plain),
        ]
        makers = (
            *(self._get, self._list, self._update, self._merge, self._merge, self._json_patch),
            *(self._apply, self._apply, self._strategic, self._below, self._odd),
        )
        steps = [self._chance.choice(makers)() for _ in range(self._chance.randint(5, 9))]
        if self._chance.random() < 0.05:
            steps.append(self._watch())
        name = self._plain["metadata"]["name"]
        free = Step("PATCH", self._path, body={"metadata": {"finalizers": None}}, content_type=_MERGE)
        end = [self._delete(), Step("DELETE", self._path, (("gracePeriodSeconds", "0"),)), free]
        return Story(self._number, self._sample, creation, steps, [*end, self._list_of(name)])

    def _mutated(self) -> Any:
        return mutated(self._plain, self._sample.schema, self._chance, self._chance.choice((1, 1, 1, 2, 2, 3)))

    def _options(self, *more: tuple[str, str]) -> Query:
        found = list(more)
        if self._chance.random() < 0.6:
            found.append(("fieldValidation", self._chance.choice(("Strict", "Strict", "Warn", "Ignore", "Bogus"))))
        if self._chance.random() < 0.1 and "fieldManager" not in dict(more):
            found.append(("fieldManager", self._chance.choice(("m", "", "x" * 129, "a\tb"))))
        if self._chance.random() < 0.03:
            found.append(("dryRun", self._chance.choice(("All", "Bogus"))))
        return tuple(found)

    def _create(self, body: Any, *, dry: bool = False) -> Step:
        accept = self._chance.choice(_FORMS[:8])
        query = self._options(*((("dryRun", "All"),) if dry else ()))
        if dry:
            query = tuple(dict(query).items())
        if self._chance.random() < 0.1:
            return Step("POST", self._sample.collection, query, json.dumps(body), "application/yaml", accept)
        return Step("POST", self._sample.collection, query, body, accept=accept)

    def _get(self) -> Step:
        query = self._chance.choice(
            (
                (),
                (),
                (("resourceVersion", "0"),),
                (("resourceVersion", "$resourceVersion"),),
                (("pretty", "true"),),
                (("resourceVersion", "x"),),
            )
        )
        return Step("GET", self._path, query, accept=self._chance.choice(_FORMS))

    def _list(self) -> Step:
        selectors = (
            *("", "a=b", "!a", "a in (b,c)", "a notin (b)", "a==b,c!=d", "a in", "a=b c", "a>1", "=", "a=" + "x" * 64),
        )
        fields = (
            "",
            "metadata.name=x",
            "spec.nodeName=a",
            "bogus=1",
            "metadata.name!=x",
            "status.phase=Running",
            "=",
            "a",
        )
        query: list[tuple[str, str]] = [("labelSelector", f"{LABEL}={self._plain['metadata']['name']}")]
        match self._chance.randint(0, 4):
            case 0:
                query = [("labelSelector", self._chance.choice(selectors) + f",{LABEL}=none")]
            case 1:
                query.append(("fieldSelector", self._chance.choice(fields)))
            case 2:
                version = self._chance.choice(("0", "$resourceVersion", "x", "-1", "99999999999"))
                query.append(("resourceVersion", version))
                if self._chance.random() < 0.7:
                    query.append(("resourceVersionMatch", self._chance.choice(("Exact", "NotOlderThan", "Bogus"))))
            case 3:
                query += [("limit", self._chance.choice(("1", "0", "-1", "x")))]
                if self._chance.random() < 0.3:
                    query += [("continue", self._chance.choice(("x", "e30")))]
        if ("resourceVersion", "99999999999") in query:
            query.append(("timeoutSeconds", "1"))
        return Step("GET", self._sample.collection, tuple(query), accept=self._chance.choice(_FORMS))

    def _list_of(self, name: str) -> Step:
        return Step("GET", self._sample.collection, (("labelSelector", f"{LABEL}={name}"),))

    def _watch(self) -> Step:
        query = (
            *(
                ("watch", "true"),
                ("timeoutSeconds", "1"),
                ("resourceVersion", self._chance.choice(("0", "$resourceVersion"))),
            ),
            ("labelSelector", f"{LABEL}={self._plain['metadata']['name']}"),
        )
        return Step("GET", self._sample.collection, query, accept=self._chance.choice(_FORMS[5:8]))

    def _update(self) -> Step:
        body = self._mutated()
        if isinstance(body, dict) and isinstance(body.get("metadata"), dict) and self._chance.random() < 0.7:
            body["metadata"]["resourceVersion"] = self._chance.choice(
                ("$resourceVersion", "$resourceVersion", "1", "x")
            )
        return Step("PUT", self._path, self._options(), body)

    def _change(self) -> dict[str, Any]:
        """A few fields with other values, as a patch would have them."""
        root = self._sample.schema
        patch: dict[str, Any] = {}
        for _ in range(self._chance.randint(1, 2)):
            name = self._chance.choice([key for key in self._plain if key not in ("apiVersion", "kind")])
            node = child_of(root, name)
            patch[name] = self._part(self._plain[name], node)
        return patch

    def _part(self, value: Any, node: Node | None) -> Any:
        if isinstance(value, dict) and value and self._chance.random() < 0.8:
            key = self._chance.choice(list(value))
            loaded = node.load() if node is not None else None
            names = [name for name in loaded.properties if name != "managedFields"] if loaded is not None else []
            if names and self._chance.random() < 0.5:
                key = self._chance.choice(names)
            if key == "name":
                key = "labels"
            return {key: self._part(value.get(key), child_of(loaded, key))}
        return self._chance.choice((None, made(node, self._chance), made(node, self._chance), "x", 1))

    def _merge(self) -> Step:
        return Step("PATCH", self._path, self._options(), self._change(), _MERGE, self._chance.choice(_FORMS[:7]))

    def _strategic(self) -> Step:
        return Step("PATCH", self._path, self._options(), self._change(), _STRATEGIC)

    def _json_patch(self) -> Step:
        operations = []
        for _ in range(self._chance.randint(1, 2)):
            spot = self._chance.choice(list(spots(self._plain, self._sample.schema)))
            pointer = self._chance.choice(
                (_pointer(self._plain, spot.value), "/metadata/labels/a", "/spec/-", "/nope/x", "")
            )
            operation: dict[str, Any] = {
                "op": self._chance.choice(("add", "replace", "remove", "test", "copy", "bogus")),
                "path": pointer,
            }
            if operation["op"] in ("add", "replace", "test"):
                operation["value"] = made(spot.node, self._chance)
            if operation["op"] == "copy":
                operation["from"] = "/metadata/labels"
            operations.append(operation)
        return Step("PATCH", self._path, self._options(), operations, _JSON_PATCH)

    def _apply(self) -> Step:
        body = self._mutated()
        query = self._options(("fieldManager", self._chance.choice(("a", "b", "differential"))))
        if self._chance.random() < 0.5:
            query = (*query, ("force", self._chance.choice(("true", "false", "x"))))
        return Step("PATCH", self._path, query, body, _APPLY)

    def _below(self) -> Step:
        """A subresource, one that the kind has or another."""
        name = self._chance.choice((*self._sample.subresources, *self._sample.subresources, "status", "scale", "bogus"))
        path = f"{self._path}/{name}"
        match self._chance.randint(0, 2):
            case 0:
                return Step("GET", path, accept=self._chance.choice(_FORMS))
            case 1:
                status = made(child_of(self._sample.schema, "status"), self._chance)
                return Step("PATCH", path, self._options(), {"status": status, "spec": {"replicas": 3}}, _MERGE)
        body = self._mutated()
        if isinstance(body, dict) and isinstance(body.get("metadata"), dict):
            body["metadata"].pop("resourceVersion", None)
            body["status"] = made(child_of(self._sample.schema, "status"), self._chance)
        return Step("PUT", path, self._options(), body)

    def _odd(self) -> Step:
        """What nobody should send: other methods, other types, what is no JSON."""
        body = json.dumps(self._plain)
        cut = body[: self._chance.randint(0, len(body))]
        return self._chance.choice(
            (
                Step("POST", self._path, body=self._plain),
                Step("PUT", self._sample.collection, body=self._plain),
                Step("POST", self._sample.collection, body=cut),
                Step("PUT", self._path, body=cut),
                Step("PATCH", self._path, body=cut, content_type=_MERGE),
                Step("PATCH", self._path, (("fieldManager", "a"),), cut, _APPLY),
                Step("POST", self._sample.collection, body=self._plain, content_type="text/plain"),
                Step("PATCH", self._path, body=self._plain),
                Step("PATCH", self._path, body=[], content_type=_MERGE),
                Step("PATCH", self._path, body={"kind": "Other"}, content_type=_MERGE),
                Step("GET", f"{self._path}x"),
                Step("DELETE", f"{self._path}x"),
                Step("POST", self._sample.collection, body=[self._plain]),
                Step("POST", self._sample.collection, body=self._plain),
            )
        )

    def _delete(self) -> Step:
        bodies: tuple[Any, ...] = (
            None,
            {"propagationPolicy": self._chance.choice(("Foreground", "Background", "Orphan", "Bogus"))},
            {"gracePeriodSeconds": self._chance.choice((0, 1, -1, "x"))},
            {"preconditions": {"resourceVersion": self._chance.choice(("$resourceVersion", "1"))}},
            {"dryRun": ["All"], "kind": "DeleteOptions", "apiVersion": "v1"},
            {"orphanDependents": True, "bogus": 1},
        )
        return Step("DELETE", self._path, self._options(), self._chance.choice(bodies))


def _pointer(obj: Any, value: Any) -> str:
    """The JSON pointer to a part of the object."""

    def search(inner: Any, path: str) -> str:
        if inner is value:
            return path
        entries = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        for key, item in entries:
            if pointer := search(item, f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"):
                return pointer
        return ""

    return search(obj, "")
