"""A schema's types and values in expressions. Kubernetes: apiserver/pkg/cel/openapi and common.

    declared_types   a schema as a type
    objects          JSON as a value, lazily
    keyed_lists      lists that are maps or sets
    text_formats     texts that are times, durations or bytes
    resource_roots   apiVersion, kind and metadata of what stands for itself

Rules of custom resources and admission policies call it. It knows no kind by name.
"""
