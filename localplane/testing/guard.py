"""Keeps the developer's own clusters out of reach of tests.

Many clients read KUBECONFIG, or ~/.kube/config, when they are imported: before any fixture has run. So while tests run
that have a cluster, the variable names a file whose only server is one that nobody answers at, and whose name says why.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_NAME: Final = "no-cluster-outside-of-a-test--use-the-cluster-fixture-of-localplane"
_REFUSING: Final = {
    "apiVersion": "v1",
    "kind": "Config",
    # Port 9 discards what it is sent, where anybody listens at all; the name can't be resolved anywhere (RFC 6761).
    "clusters": [{"name": _NAME, "cluster": {"server": f"https://{_NAME}.invalid:9"}}],
    "users": [{"name": _NAME, "user": {}}],
    "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME}}],
    "current-context": _NAME,
}
_IN_CLUSTER: Final = ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")
"""With these a client takes the cluster that it runs in, as it may in CI."""


class Guard:
    """From `begin` to `end`. In between `towards` lets one cluster be found for a while."""

    def __init__(self) -> None:
        self._before: dict[str, str | None] = {}
        self._file: Path | None = None

    def begin(self) -> None:
        if self._file is not None:
            return
        descriptor, name = tempfile.mkstemp(prefix="localplane-refusing-", suffix=".kubeconfig")
        with os.fdopen(descriptor, "w") as file:
            json.dump(_REFUSING, file)
        self._file = Path(name)
        self._before = {variable: os.environ.get(variable) for variable in ("KUBECONFIG", *_IN_CLUSTER)}
        for variable in _IN_CLUSTER:
            os.environ.pop(variable, None)
        os.environ["KUBECONFIG"] = name

    def end(self) -> None:
        """Everything is as it was."""
        if self._file is None:
            return
        for variable, value in self._before.items():
            if value is None:
                os.environ.pop(variable, None)
            else:
                os.environ[variable] = value
        self._file.unlink(missing_ok=True)
        self._file = None

    @contextmanager
    def towards(self, env: Mapping[str, str]) -> Iterator[None]:
        before = {name: os.environ.get(name) for name in env}
        os.environ.update(env)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
