"""`kctl explain`: what a type's fields are and mean, as the server itself describes them.

`documents` asks for the OpenAPI document of a version, `rendering` tells what it says about a path of fields,
`wrapping` breaks lines as kubectl does. Kubernetes: kubectl/pkg/explain/v2.
"""
