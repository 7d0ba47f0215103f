"""Keeps the developer's own clusters out of reach of tests.

Many clients read KUBECONFIG, or ~/.kube/config, when they are imported: before any fixture has run. So while tests run
that have a cluster, the variable names one file. While a test has its cluster the file leads there; otherwise its only
server is one that nobody answers at, and whose name says why.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from localplane.temporary import temporary_directory

# It can't be resolved anywhere (RFC 6761), and what is sent to port 9 is discarded.
_SERVER: Final = "https://use-the-cluster-fixture.localplane.invalid:9"
_NAME: Final = "no-cluster-outside-of-a-test"
_REFUSING: Final = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": _NAME, "cluster": {"server": _SERVER}}],
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
        self._directory: Path | None = None
        self._stack = ExitStack()

    def begin(self) -> None:
        if self._directory is not None:
            return
        self._directory = self._stack.enter_context(temporary_directory())
        self._before = {variable: os.environ.get(variable) for variable in ("KUBECONFIG", *_IN_CLUSTER)}
        for variable in _IN_CLUSTER:
            os.environ.pop(variable, None)
        self._lead_to(json.dumps(_REFUSING))
        os.environ["KUBECONFIG"] = str(self._file)

    def end(self) -> None:
        """Everything is as it was."""
        if self._directory is None:
            return
        _put(self._before)
        self._stack.close()
        self._directory = None

    @contextmanager
    def towards(self, env: Mapping[str, str]) -> Iterator[None]:
        """Also for those who have read the variable before."""
        wanted = dict(env)
        if self._directory is not None:
            self._lead_to(Path(wanted.pop("KUBECONFIG")).read_text("utf-8"))
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        try:
            yield
        finally:
            _put(before)
            if self._directory is not None:
                self._lead_to(json.dumps(_REFUSING))

    @property
    def _file(self) -> Path:
        assert self._directory is not None  # it has begun
        return self._directory / "kubeconfig"

    def _lead_to(self, content: str) -> None:
        """A reader sees one or the other, and nobody else does."""
        new = self._file.with_suffix(".new")
        new.touch(mode=0o600)
        new.write_text(content, "utf-8")
        new.replace(self._file)


def _put(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
