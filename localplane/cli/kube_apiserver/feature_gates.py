"""The features that kube-apiserver can be told to have or not. Kubernetes: component-base/featuregate, pkg/features.

None of them changes anything here: this server does what kube-apiserver does by default. So a name is checked, what is
on or off anyway is taken without a word, and whatever else somebody wants is taken with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files

import orjson

from localplane.apimachinery.golang.text import go_quote

_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_ALL = ("AllAlpha", "AllBeta")


class InvalidGate(ValueError):
    """In Kubernetes' words."""


def notes_on(words: Iterable[str]) -> Iterator[str]:
    """A sentence for each feature that is not as somebody wants it. Raises InvalidGate."""
    gates: dict[str, str] = orjson.loads((files(__package__) / "feature_gates.json").read_bytes())
    for pair in filter(None, (part.strip() for word in words for part in word.split(","))):
        name, separator, value = pair.rpartition(":")[2].partition("=")
        if not separator:
            raise InvalidGate(f"missing bool value for {name}")
        if value not in _TRUE | _FALSE:
            problem = f"strconv.ParseBool: parsing {go_quote(value)}: invalid syntax"
            raise InvalidGate(f"invalid value of {name}={value}, err: {problem}")
        if name in _ALL:
            yield f"{name} has no effect: features are as they are by default"
        elif name not in gates:
            raise InvalidGate(f"unrecognized feature gate: {name}")
        elif (value in _TRUE) != (on := gates[name].startswith("on")):
            if gates[name].endswith("locked"):
                raise InvalidGate(f"cannot set feature gate {name} to {value}, feature is locked to {str(on).lower()}")
            yield f"{name} has no effect: it is {'on' if on else 'off'} here"
