"""`kctl explain`: what a type's fields are and mean, as the server itself describes them.

    paths        from `pods.spec.containers` to a resource and its fields
    documents    asks the server for OpenAPI documents
    rendering    tells what an OpenAPI v3 document says about a path of fields; `wrapping` breaks its lines
    swagger      the same from OpenAPI v2, in its older form; `paragraphs` breaks those lines
    skeleton     a manifest to be filled in, which is ours alone

Kubernetes: kubectl/pkg/explain.
"""
