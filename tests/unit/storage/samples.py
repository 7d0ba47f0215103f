"""Objects to store: a few by hand, and as many odd ones as Hypothesis can think of."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import strategies as st

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.interface import EventType, WatchEvent
from localplane.apiserver.storage.objects import StoredObject, encode

# Enough to find what is wrong, few enough to be run all the time; no deadline, since machines are busy.

PREFIX = "/configmaps/"
ROOT = "/registry"


def key_of(name: str, *, namespace: str = "default") -> str:
    return f"{PREFIX}{namespace}/{name}"


def absolute(name: str, *, namespace: str = "default") -> str:
    return ROOT + key_of(name, namespace=namespace)


def config_map(name: str, *, namespace: str = "default", app: str = "", data: str = "") -> JSONObject:
    metadata: JSONObject = {"name": name, "namespace": namespace, "uid": f"uid-of-{name}"}
    if app:
        metadata["labels"] = {"app": app}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"value": data}}


def encoded(name: str, *, namespace: str = "default", app: str = "", data: str = "") -> bytes:
    return encode(config_map(name, namespace=namespace, app=app, data=data))


def stored(name: str, revision: int, *, namespace: str = "default", app: str = "", data: str = "") -> StoredObject:
    obj = config_map(name, namespace=namespace, app=app, data=data)
    return StoredObject.from_object(absolute(name, namespace=namespace), obj, revision)


def has_app(obj: StoredObject) -> bool:
    return "app" in obj.labels


def brief(event: WatchEvent) -> tuple[EventType, str, int]:
    """What an event says, in a form that can be compared."""
    return event.type, event.object.key if event.object else "", event.revision


def same_json(left: Any, right: Any) -> bool:
    """Python takes 1, 1.0 and True for equal; JSON doesn't."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def reordered(value: Any, chance: random.Random) -> Any:
    """The same JSON with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: reordered(value[key], chance) for key in keys}
    return [reordered(item, chance) for item in value] if isinstance(value, list) else value


def without_repeated_keys(data: bytes) -> Any:
    """Parse JSON; fail where a key stands twice in one object."""

    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"repeated key in {keys}"
        return dict(pairs)

    return json.loads(data, object_pairs_hook=check)


texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    ['"', "\\", '\\"', "\x00", "\n", "é", "\u2028", "𝄞", '"metadata":{', '","resourceVersion":"7"', "}", "{", ","]
)

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)

# The words that mean something to the encoder, and any others.
_metadata = st.fixed_dictionaries(
    {},
    optional={
        "name": texts | st.none(),
        "generateName": texts,
        "namespace": texts,
        "uid": texts | st.none(),
        "resourceVersion": st.sampled_from(["", "0", "123"]),
        "selfLink": texts,
        "labels": st.dictionaries(texts, texts, max_size=2) | st.none(),
        "annotations": st.dictionaries(texts, texts, max_size=2),
        "a": values,
        "z": values,
    },
)

objects = st.builds(
    lambda fixed, rest: {**rest, **fixed},
    st.fixed_dictionaries(
        {},
        optional={
            "kind": st.sampled_from(["", "Pod", "ConfigMap", "É"]),
            "apiVersion": st.sampled_from(["", "v1", "apps/v1"]),
            "metadata": st.none() | _metadata,
        },
    ),
    st.dictionaries(texts.filter(lambda key: key not in ("kind", "apiVersion", "metadata")), values, max_size=3),
)
