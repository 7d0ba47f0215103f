"""One kustomization: what it reads, makes and changes, and those it names. Kubernetes: api/internal/target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kctl.kustomize.errors import HTTPStatus, KustomizeError, Timeout, is_malformed_yaml
from kctl.kustomize.plugins import Plugins
from kctl.kustomize.steps import Steps
from localplane.apimachinery.golang.text import go_quote

from . import options, transformers
from .fields import configuration
from .fields.configuration import EMPTY, TransformerConfig
from .loading.decoder import parsed_yaml
from .loading.kustomization import Kustomization, load
from .loading.loader import Loader
from .merging import schemas
from .nodes.conversion import json_value
from .resources.factory import resmap_from_file, resources_from
from .resources.origins import Origin, note_origin, note_transformation, origin_of_plugin
from .resources.resmap import ResMap
from .resources.resource import ORIGIN, Resource
from .transformers import variables


class Accumulator:
    """What a kustomization and those below it have gathered. Kubernetes: api/internal/accumulator, ResAccumulator."""

    def __init__(self) -> None:
        self.resources = ResMap()
        self.config: TransformerConfig = EMPTY
        self.variables: variables.Variables = {}

    def merge(self, other: Accumulator) -> None:
        """Raises KustomizeError if both have the same object."""
        self.resources.extend(other.resources)
        self.config = self.config.merge(other.config)
        variables.add(self.variables, list(other.variables.values()))


_VALIDATED = "validated-by"


class Target:
    def __init__(
        self, loader: Loader, schemas: schemas.Schemas, options: options.Options, *, chart_namespace: str = ""
    ) -> None:
        """Raises KustomizeError if there is no kustomization, or none that can be read."""
        self.kustomization: Kustomization = load(loader, options.warn)
        self.origin: Origin | None = None
        self._loader = loader
        self._schemas = schemas
        self._options = options
        self._chart_namespace = chart_namespace
        self._plugins = Plugins(loader, schemas, options)

    def use_schema(self, *, outermost: bool) -> None:
        openapi = self.kustomization.mapped("openapi")
        document = self._loader.load(openapi["path"]) if "path" in openapi else None
        self._schemas.use(openapi, document, outermost=outermost)

    def accumulate(self, into: Accumulator | None = None) -> Accumulator:
        """All that comes of it, before names are final. A component goes on with what its user has gathered."""
        gathered = Accumulator() if into is None else into
        kustomization = self.kustomization
        try:
            self._read_resources(gathered, kustomization.listed("resources"))
        except KustomizeError as error:
            raise error.within("accumulating resources") from error
        self._configure(gathered)
        self._generate(gathered)
        try:
            gathered = self._read_components(gathered)
        except KustomizeError as error:
            raise error.within("accumulating components") from error
        self._transform(gathered)
        self._validate(gathered)
        entries = kustomization.listed("vars")
        try:
            variables.note(gathered.resources, gathered.variables, entries)
        except KustomizeError as error:
            shown = " ".join(variables.Variable(one).written for one in entries)
            raise error.within(f"merging vars [{shown}]") from error
        return gathered

    # Reading.

    def _read_resources(self, gathered: Accumulator, paths: list[str]) -> None:
        for path in paths:
            try:
                self._read_file(gathered, path)
            except HTTPStatus:
                raise
            except KustomizeError as error:
                self._read_directory(gathered, path, error)

    def _read_file(self, gathered: Accumulator, path: str) -> None:
        try:
            resources = resmap_from_file(self._loader, path, self._schemas)
        except KustomizeError as error:
            raise error.within(f"accumulating resources from '{path}'") from error
        if self.origin is not None:
            origin = str(self.origin.append(path))
            for resource in resources:
                resource.set_annotation(ORIGIN, origin)
        try:
            gathered.resources.extend(resources)
        except KustomizeError as error:
            raise error.within(f"merging resources from '{path}'") from error

    def _read_directory(self, gathered: Accumulator, path: str, as_file: KustomizeError) -> None:
        """What is no file may be a directory or a repository; the error says both if it is neither."""
        try:
            loader = self._loader.enter(path)
        except KustomizeError as error:
            if is_malformed_yaml(as_file) and not isinstance(error, Timeout):
                raise as_file from None
            raise error.within(f"accumulation err='{as_file}'") from None
        try:
            self._within(path, lambda: self._enter(gathered, loader, component=False))
        except KustomizeError as error:
            raise error.within(f"accumulation err='{as_file}'") from None

    def _read_components(self, gathered: Accumulator) -> Accumulator:
        for path in self.kustomization.listed("components"):
            try:
                loader = self._loader.enter(path)
            except KustomizeError as error:
                raise KustomizeError(f"loader.New {go_quote(str(error))}") from error
            before = gathered
            try:
                gathered = self._within(path, lambda: self._enter(before, loader, component=True))  # noqa: B023 - called at once
            except KustomizeError as error:
                raise KustomizeError(f"accumulateDirectory: {go_quote(str(error))}") from error
        return gathered

    def _within(self, path: str, act: Callable[[], Accumulator]) -> Accumulator:
        """Origins that are noted meanwhile are below the path."""
        here = self.origin
        self.origin = None if here is None else here.append(path)
        try:
            return act()
        finally:
            self.origin = here

    def _enter(self, gathered: Accumulator, loader: Loader, *, component: bool) -> Accumulator:
        try:
            return self._entered(gathered, loader, component=component)
        finally:
            loader.clean_up()

    def _entered(self, gathered: Accumulator, loader: Loader, *, component: bool) -> Accumulator:
        namespace = self.kustomization.text("namespace") or self._chart_namespace
        try:
            inner = Target(loader, self._schemas, self._options, chart_namespace=namespace)
        except KustomizeError as error:
            raise error.within(f"couldn't make target for path '{loader.root}'") from error
        inner.kustomization.fields["buildMetadata"] = self.kustomization.listed("buildMetadata")
        inner.origin = self.origin
        inner.use_schema(outermost=False)
        if component and not inner.kustomization.is_component:
            kind = inner.kustomization.text("kind")
            raise KustomizeError(f"expected kind 'Component' for path '{loader.root}' but got '{kind}'")
        if not component and inner.kustomization.is_component:
            raise KustomizeError(f"expected kind != 'Component' for path '{loader.root}'")
        try:
            found = inner.accumulate(gathered if component else None)
        except KustomizeError as error:
            raise error.within(f"recursed accumulation of path '{loader.root}'") from error
        if component:
            gathered = Accumulator()
        try:
            gathered.merge(found)
        except KustomizeError as error:
            raise error.within(f"recursed merging from path '{loader.root}'") from error
        return gathered

    # Making and changing.

    def _configure(self, gathered: Accumulator) -> None:
        config = configuration.DEFAULT
        for path in self.kustomization.listed("configurations"):
            config = config.merge(configuration.from_file(self._loader.load(path)))
        gathered.config = gathered.config.merge(config)
        paths = self.kustomization.listed("crds")
        for path in paths:
            try:
                definitions = self._definitions(path)
                gathered.config = gathered.config.merge(configuration.from_crds(definitions))
            except KustomizeError as error:
                raise error.within(f"loading CRDs [{' '.join(paths)}]") from error

    def _definitions(self, path: str) -> dict[str, Any]:
        data = self._loader.load(path)
        try:
            value = parsed_yaml(data)
            if not isinstance(value, dict):
                raise KustomizeError("it is no object")
        except KustomizeError as error:
            raise error.within(f"unable to parse open API definition from '{path}'") from error
        return value

    def _steps(self, gathered: Accumulator) -> Steps:
        return Steps(
            self.kustomization,
            gathered.config,
            self._loader,
            self._schemas,
            self._options,
            chart_namespace=self._chart_namespace,
        )

    def _generate(self, gathered: Accumulator) -> None:
        made = [
            (generator, self.origin and self.origin.configuring(self.kustomization.file_name, kind))
            for kind, generator in self._steps(gathered).generators()
        ]
        try:
            for resource in self._objects(self.kustomization.listed("generators"), "generator"):
                try:
                    made.append((self._plugins.generator(resource), origin_of_plugin(resource)))
                except KustomizeError as error:
                    raise error.within("failed to load generator") from error
        except KustomizeError as error:
            raise error.within("loading generator plugins") from error
        for generator, origin in made:
            resources = generator.generate()
            if origin is not None:
                note_origin(resources, origin)
            try:
                gathered.resources.absorb(resources)
            except KustomizeError as error:
                raise error.within("merging from generator") from error

    def _objects(self, entries: list[str], kind: str) -> ResMap:
        """Transformers and generators: each entry is an object, or names a file or a kustomization of them."""
        gathered, paths = Accumulator(), []
        for entry in entries:
            try:
                found = ResMap(resources_from(entry, self._schemas))
            except KustomizeError:
                paths.append(entry)
                continue
            if self.origin is not None:
                note = str(self.origin.append(self.kustomization.file_name))
                for resource in found:
                    resource.set_annotations({**resource.annotations(), ORIGIN: note})
            try:
                gathered.resources.extend(found)
            except KustomizeError as error:
                raise error.within(f"configuring external {kind}") from error
        self._read_resources(gathered, paths)
        return gathered.resources

    def _transform(self, gathered: Accumulator) -> None:
        steps: list[tuple[transformers.Transformer, Origin | None]] = [
            (step, self.origin and self.origin.configuring(self.kustomization.file_name, kind))
            for kind, step in self._steps(gathered).transformers()
        ]
        steps += self._external(self.kustomization.listed("transformers"))
        for step, origin in steps:
            step.transform(gathered.resources)
            if origin is not None:
                note_transformation(gathered.resources, origin)
            gathered.resources.drop_empty()

    def _external(self, entries: list[str]) -> list[tuple[transformers.Transformer, Origin | None]]:
        return [
            (self._plugins.transformer(resource), origin_of_plugin(resource))
            for resource in self._objects(entries, "transformer")
        ]

    def _validate(self, gathered: Accumulator) -> None:
        """A validator is a transformer that may change nothing but one label."""
        for step, _ in self._external(self.kustomization.listed("validators")):
            before = [json_value(one.node) for one in gathered.resources]
            step.transform(gathered.resources)
            for old, resource in zip(before, gathered.resources, strict=False):
                if old != json_value(_unmarked(resource).node):
                    raise KustomizeError(
                        f"validator shouldn't modify the resource map: nodes unequal: {resource.current_id}"
                    )


def _unmarked(resource: Resource) -> Resource:
    labels = resource.labels()
    if _VALIDATED not in labels:
        return resource
    unmarked = resource.copied()
    unmarked.set_labels({key: value for key, value in labels.items() if key != _VALIDATED})
    return unmarked
