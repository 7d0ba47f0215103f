"""Kustomizations: directories of manifests, and what is to be made of them, as kustomize v5 makes it.

    build(directory, Options()) -> ResMap     the objects
    render(resources) -> str                  as YAML

`kctl kustomize` and the -k of other verbs call it. Nothing here talks to an API server, and nothing is written but
clones and values of charts in temporary directories. Names are kustomize's own: a resource is an object of a build, a
transformer changes resources, an accumulator is what one kustomization and those below it have gathered.

    building      the whole of it            target        one kustomization, and those that it names
    kustomization its file                   steps         the transformers that its fields mean
    loading       files                      repositories  git
    nodes         YAML that keeps its form   reading, writing, emitting
    resource      one object                 resmap        all of them
    merging       strategic merge patches    schemas       which lists they merge
    field_specs   where fields are           configuration, builtin_specs
    transformers  one file each              generators    one file each
"""
