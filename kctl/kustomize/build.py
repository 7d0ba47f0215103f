"""A whole build: from a directory to objects in their final form and order. Kubernetes: api/krusty, Kustomizer.Run."""

from __future__ import annotations

from .errors import KustomizeError
from .fields.field_specs import FieldSpec
from .loading.loader import open_target
from .merging.schemas import Schemas
from .nodes.conversion import go_syntax, to_yaml
from .options import Options
from .resources.ids import Gvk
from .resources.order import sort
from .resources.origins import Origin
from .resources.resmap import ResMap
from .resources.resource import ORIGIN, TRANSFORMATIONS
from .target import Target
from .transformers import metadata as transformers_metadata
from .transformers import names, variables
from .transformers.name_references import fix_references

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
        transformers_metadata.MetadataTransformer({_MANAGED_BY: f"kustomize-{_VERSION}"}, specs).transform(resources)
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
    names.HashTransformer().transform(resources)
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
