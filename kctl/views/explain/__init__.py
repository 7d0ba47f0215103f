"""`kctl explain`: what a type's fields are and mean, as the server itself describes them.

    documents    from `pods.spec.containers` to a resource and its fields, in the server's OpenAPI documents
    text         what an OpenAPI v3 document says about a path of fields
    swagger      the same from OpenAPI v2, in its older form
    skeleton     a manifest to be filled in, which is ours alone

Kubernetes: kubectl/pkg/explain.
"""
