"""Where objects came from and what changed them, for `buildMetadata`. Kubernetes: api/resource/origin.go."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from kctl.kustomize.loading import repositories
from kctl.kustomize.nodes.emitter import emitted
from kctl.kustomize.nodes.node import Map, Node, Seq, text, text_of
from kctl.kustomize.nodes.parser import parse

from .resource import ORIGIN, TRANSFORMATIONS, Resource


@dataclass(frozen=True, slots=True)
class Origin:
    """A file of a repository; or a transformer or generator, which is configured in a file."""

    path: str = ""
    repo: str = ""
    ref: str = ""
    configured_in: str = ""
    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""

    def append(self, path: str) -> Origin:
        """Of something that is named from here."""
        repository = repositories.parse(path)
        if repository is None:
            return replace(self, path=_joined(self.path, path))
        return replace(self, repo=repository.clone_from, ref=repository.ref, path=_joined("", repository.path))

    def configuring(self, file_name: str, kind: str) -> Origin:
        """Of a transformer or generator that a field of a kustomization makes."""
        where = _joined(self.path, file_name)
        return Origin(repo=self.repo, ref=self.ref, configured_in=where, api_version="builtin", kind=kind)

    def node(self) -> Map:
        mapping = Map(
            (key, text(value))
            for key, value in (
                ("path", self.path),
                ("repo", self.repo),
                ("ref", self.ref),
                ("configuredIn", self.configured_in),
            )
            if value
        )
        by = Map(
            (key, text(value))
            for key, value in (
                ("apiVersion", self.api_version),
                ("kind", self.kind),
                ("name", self.name),
                ("namespace", self.namespace),
            )
            if value
        )
        if by:
            mapping["configuredBy"] = by
        return mapping

    def __str__(self) -> str:
        return emitted(self.node())


def _joined(directory: str, path: str) -> str:
    joined = os.path.normpath(os.path.join(directory, path.lstrip("/") if directory else path))  # noqa: PTH118 - as Go
    return joined if directory or path else ""


def note_origin(resources: Iterable[Resource], origin: Origin) -> None:
    """Of what was generated, unless it is known already."""
    for resource in resources:
        if resource.annotation(ORIGIN) is None:
            resource.set_annotations({**resource.annotations(), ORIGIN: str(origin)})


def note_transformation(resources: Iterable[Resource], origin: Origin) -> None:
    """What has no origin was made by the transformer."""
    for resource in resources:
        annotations = resource.annotations()
        if ORIGIN not in annotations:
            resource.set_annotations({**annotations, ORIGIN: str(origin)})
            continue
        known = parse(annotations.get(TRANSFORMATIONS, ""))
        steps: Seq = Seq(known) if isinstance(known, Seq) else Seq()
        added: Node = origin.node()
        steps.append(added)
        resource.set_annotations({**annotations, TRANSFORMATIONS: emitted(steps)})


def origin_of_plugin(resource: Resource) -> Origin | None:
    """Of a transformer or generator that is an object itself."""
    found = parse(resource.annotation(ORIGIN) or "")
    if not isinstance(found, Map):
        return None
    return Origin(
        repo=text_of(found.get("repo")),
        ref=text_of(found.get("ref")),
        configured_in=text_of(found.get("path")),
        api_version=resource.api_version,
        kind=resource.kind,
        name=resource.name,
        namespace=resource.namespace,
    )
