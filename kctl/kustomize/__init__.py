"""Kustomizations: directories of manifests, and what is to be made of them, as kustomize v5 makes it.

    build(directory, Options()) -> ResMap     the objects
    render(resources) -> str                  as YAML

`kctl kustomize` and the -k of other verbs call it. Nothing here talks to an API server, and nothing is written but
clones and values of charts in temporary directories. Names are kustomize's own: a resource is an object of a build, a
transformer changes resources, an accumulator is what one kustomization and those below it have gathered.

    build          the whole of it                 options   what a build may do
    target         one kustomization, and those that it names
    steps          the generators and transformers that its fields mean
    plugins        those that are written as objects
    generators/    one file each                   transformers/  one file each
    fields/        where they change something
    resources/     the objects                     merging/  strategic merge patches
    nodes/         YAML that keeps its form        loading/  files, git, and the kustomization itself
    patterns       regular expressions             errors    what a kustomization is refused for
"""
