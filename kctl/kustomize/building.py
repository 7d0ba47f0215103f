"""A whole build: from a directory to objects in their final form and order. Kubernetes: api/krusty, Kustomizer.Run."""

from __future__ import annotations

from kctl.kustomize import variables
from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.field_specs import FieldSpec
from kctl.kustomize.ids import Gvk
from kctl.kustomize.loading import open_target
from kctl.kustomize.name_references import fix_references
from kctl.kustomize.options import Options
from kctl.kustomize.ordering import sort
from kctl.kustomize.origins import Origin
from kctl.kustomize.resmap import ResMap
from kctl.kustomize.resource import ORIGIN, TRANSFORMATIONS
from kctl.kustomize.schemas import Schemas
from kctl.kustomize.target import Target
from kctl.kustomize.transformers import metadata as transformers_metadata
from kctl.kustomize.transformers import names
from kctl.kustomize.writing import go_syntax, to_yaml

_LOCAL = "config.kubernetes.io/local-config"
_MANAGED_BY = "app.kubernetes.io/managed-by"
_VERSION = "v5.8.1"
_BOTH_ORDERS = (
    "Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a CLI flag ('--reorder'). "
    "Using the kustomization file over the CLI flag."
)


def build(path: str, options: Options) -> ResMap:
    """The objects of the kustomization in a directory or repository. Raises KustomizeError."""
    loader = open_target(path, restricted=options.restricted)
    try:
        target = Target(loader, Schemas(), options)
        target.use_schema(outermost=True)
        resources = _customized(target, options)
    finally:
        loader.clean_up()
    metadata = target.kustomization.listed("buildMetadata")
    _sort(resources, target, options)
    if options.managed_by_label or "managedByLabel" in metadata:
        specs = (FieldSpec(Gvk(), "metadata/labels", create=True),)
        transformers_metadata.Marking({_MANAGED_BY: f"kustomize-{_VERSION}"}, specs).transform(resources)
    hidden = [
        annotation
        for annotation, option in ((ORIGIN, "originAnnotations"), (TRANSFORMATIONS, "transformerAnnotations"))
        if option not in metadata
    ]
    for resource in resources:
        resource.remove_build_annotations()
        for annotation in hidden:
            resource.set_annotations({key: value for key, value in resource.annotations().items() if key != annotation})
    return resources


def render(resources: ResMap) -> str:
    """All objects as YAML. Raises KustomizeError."""
    documents = []
    for resource in resources:
        try:
            documents.append(to_yaml(resource.node))
        except KustomizeError as error:
            raise error.within(go_syntax(resource.node)) from error
    return "---\n".join(documents)


def _customized(target: Target, options: Options) -> ResMap:
    target.origin = Origin() if target.kustomization.listed("buildMetadata") else None
    gathered = target.accumulate()
    resources = gathered.resources
    names.Hashing().transform(resources)
    fix_references(resources, gathered.config.name_references)
    variables.replace(resources, gathered.variables, gathered.config.variables, options.log)
    resources.replace_all((one for one in resources if one.annotation(_LOCAL) in (None, "false")), check=False)
    return resources


def _sort(resources: ResMap, target: Target, options: Options) -> None:
    wanted = target.kustomization.fields.get("sortOptions")
    if wanted is not None:
        if options.reorder:
            options.log(_BOTH_ORDERS)
        sort(resources, wanted)
    elif options.reorder != "none":
        sort(resources, None)
